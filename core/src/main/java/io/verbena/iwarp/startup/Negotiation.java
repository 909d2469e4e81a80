package io.verbena.iwarp.startup;

import io.verbena.wire.MpaStartFrame;
import java.util.Optional;

/** The arithmetic of start-up, without state: what two frames mean (RFC 5044 section 7.1.1, RFC 6581 section 9). */
final class Negotiation {
    private Negotiation() {}

    /** What an initiator makes of an accepting Reply. */
    sealed interface Verdict {
        /** Full operation. */
        record Agreed(Negotiated negotiated) implements Verdict {}

        /** The Reply is in the wrong format: close. */
        record Malformed(StartUpFault fault) implements Verdict {}

        /** Full operation has begun, and ends with a Terminate. */
        record Unsuitable(StartUpFailure failure) implements Verdict {}
    }

    /** A responder's accepting Reply, and what follows from it. */
    record Acceptance(StartUpFrame reply, Negotiated negotiated) {}

    /** The initiator's Request. */
    static StartUpFrame request(StartUpOptions ours) {
        // RFC 6581 section 6 [3]: revision 2 and S for the enhanced start-up, revision 1 without it.
        return new StartUpFrame(
                MpaStartFrame.Kind.REQUEST,
                ours.wantsMarkersReceived(),
                ours.wantsCrc(),
                false,
                ours.enhanced(),
                0,
                ours.enhanced() ? MpaStartFrame.REV_2 : MpaStartFrame.REV_1,
                ours.enhanced() ? ours.depths() : ReadDepths.UNSAID,
                ours.peerToPeer(),
                ours.privateData());
    }

    /** The initiator's side of it. */
    static Verdict asInitiator(StartUpOptions ours, StartUpFrame reply) {
        // RFC 6581 section 10 [1, 2]: an enhanced request has an enhanced answer, an unenhanced one an unenhanced.
        if (ours.enhanced() && !reply.enhanced()) {
            return new Verdict.Malformed(StartUpFault.REPLY_NOT_ENHANCED);
        }
        if (!ours.enhanced() && reply.enhanced()) {
            return new Verdict.Malformed(StartUpFault.REPLY_ENHANCED_UNASKED);
        }
        int theirIrd = reply.depths().ird();
        int theirOrd = reply.depths().ord();
        // RFC 6581 section 9.1 [4, 9]: our ORD is at most the responder's IRD, and stays as it is if that is all ones.
        ReadDepths depths =
                new ReadDepths(ours.depths().ird(), Math.min(ours.depths().ord(), theirIrd));
        Optional<RtrKind> rtr = chooseRtr(ours.peerToPeer(), reply);
        Negotiated agreed = new Negotiated(
                true,
                reply.revision(),
                // RFC 5044 section 7.1.1 [5, 6]: each side's M speaks of what that side receives.
                reply.markers(),
                ours.wantsMarkersReceived(),
                // RFC 5044 section 7.1.1 [7, 8]: CRCs are used both ways if either frame has C.
                ours.wantsCrc() || reply.crc(),
                depths,
                reply.depths(),
                rtr,
                reply.privateData(),
                reply.reservedBits());
        // RFC 6581 section 9.2 [8]: the models have to be the same, and there has to be an RTR message both can do.
        if (ours.peerToPeer().wanted() != reply.peerToPeer().wanted()
                || (ours.peerToPeer().wanted() && rtr.isEmpty())) {
            return unsuitable(
                    StartUpFault.NO_MATCHING_RTR,
                    "we asked for " + ours.peerToPeer() + " and got " + reply.peerToPeer(),
                    agreed);
        }
        // RFC 6581 section 9.1 [4, 5]: our IRD is at least the responder's ORD, or we end it with a Terminate.
        if (theirOrd != ReadDepths.LEFT_TO_ULP && theirOrd > ours.depths().ird()) {
            return unsuitable(
                    StartUpFault.INSUFFICIENT_IRD,
                    "its ORD is " + theirOrd + ", our IRD " + ours.depths().ird(),
                    agreed);
        }
        return new Verdict.Agreed(agreed);
    }

    private static Verdict unsuitable(StartUpFault fault, String detail, Negotiated agreed) {
        return new Verdict.Unsuitable(StartUpFailure.afterReply(fault, detail, agreed));
    }

    /** Of what both can do the first by preference; a Read only then first if the responder has room for one. */
    private static Optional<RtrKind> chooseRtr(PeerToPeer ours, StartUpFrame reply) {
        PeerToPeer theirs = reply.peerToPeer();
        boolean roomForRead = reply.depths().ird() > 0;
        return ours.firstOffered(kind -> theirs.offers(kind) && (kind != RtrKind.READ || roomForRead))
                .or(() -> ours.firstOffered(theirs::offers));
    }

    /** The responder's yes. */
    static Acceptance asResponder(StartUpOptions ours, PeerRequest request) {
        Optional<RtrKind> rtr = nameRtr(ours, request);
        ReadDepths wire = request.enhanced() ? answerDepths(ours, request, rtr) : ReadDepths.UNSAID;
        StartUpFrame reply = reply(
                request,
                false,
                ours.wantsMarkersReceived(),
                ours.wantsCrc() || request.wantsCrc(),
                wire,
                // One message is named, so that both sides know which.
                rtr.map(PeerToPeer::of).orElse(PeerToPeer.NONE),
                ours.privateData());
        // RFC 6581 section 9.1 [8, 10]: all ones in the answer leave our own value as it is.
        ReadDepths depths = new ReadDepths(
                wire.ird() == ReadDepths.LEFT_TO_ULP ? ours.depths().ird() : wire.ird(),
                wire.ord() == ReadDepths.LEFT_TO_ULP ? ours.depths().ord() : wire.ord());
        Negotiated negotiated = new Negotiated(
                false,
                reply.revision(),
                request.wantsMarkers(),
                ours.wantsMarkersReceived(),
                reply.crc(),
                depths,
                request.depths(),
                rtr,
                request.privateData(),
                request.reservedBits());
        return new Acceptance(reply, negotiated);
    }

    /** The responder's no, with the depths it would have needed. */
    static StartUpFrame rejection(PeerRequest request, ReadDepths depths, PrivateData privateData) {
        return reply(
                request,
                true,
                false,
                request.wantsCrc(),
                request.enhanced() ? depths : ReadDepths.UNSAID,
                // RFC 6581 section 9.2 [4]: A is answered by A, with the messages that we could take.
                request.peerToPeer().wanted() ? PeerToPeer.ANY : PeerToPeer.NONE,
                privateData);
    }

    private static StartUpFrame reply(
            PeerRequest request,
            boolean rejected,
            boolean markers,
            boolean crc,
            ReadDepths depths,
            PeerToPeer peerToPeer,
            PrivateData privateData) {
        // RFC 6581 section 10 [5, 6]: S and the revision are answered in kind.
        StartUpOptions.checkFits(privateData, request.enhanced());
        return new StartUpFrame(
                MpaStartFrame.Kind.REPLY,
                markers,
                crc,
                rejected,
                request.enhanced(),
                0,
                request.revision(),
                depths,
                peerToPeer,
                privateData);
    }

    /** The initiator's ORD is answered by our IRD and its IRD by our ORD, both within our limits. */
    private static ReadDepths answerDepths(StartUpOptions ours, PeerRequest request, Optional<RtrKind> rtr) {
        int ird = answer(request.depths().ord(), ours.depths().ird());
        int ord = answer(request.depths().ird(), ours.depths().ord());
        // RFC 6581 section 9.1 [MAY]: a Read as RTR needs an IRD of 1 even where no other Read is wanted.
        boolean readNeedsRoom = ird == 0 && rtr.equals(Optional.of(RtrKind.READ));
        return new ReadDepths(readNeedsRoom ? 1 : ird, ord);
    }

    private static int answer(int asked, int limit) {
        // RFC 6581 section 9.1 [8, 10]: where one side leaves a depth to its upper layer the answer is all ones.
        return asked == ReadDepths.LEFT_TO_ULP || limit == ReadDepths.LEFT_TO_ULP
                ? ReadDepths.LEFT_TO_ULP
                : Math.min(asked, limit);
    }

    /** The RTR message that our Reply names: one of the offered ones, or else one that we can take. */
    private static Optional<RtrKind> nameRtr(StartUpOptions ours, PeerRequest request) {
        if (!request.peerToPeer().wanted()) {
            return Optional.empty();
        }
        PeerToPeer able = ours.peerToPeer().wanted() ? ours.peerToPeer() : PeerToPeer.ANY;
        boolean roomForRead = ours.depths().ird() > 0;
        // RFC 6581 section 9.2 [6]: with nothing in common the Reply still names one that we can do.
        return request.peerToPeer()
                .firstOffered(kind -> able.offers(kind) && (kind != RtrKind.READ || roomForRead))
                .or(() -> able.firstOffered(kind -> kind != RtrKind.READ || roomForRead))
                .or(() -> able.firstOffered(kind -> true));
    }
}
