package io.verbena.iwarp.startup;

import io.verbena.wire.MpaStartFrame;
import java.util.Optional;

/** The rules of the negotiation, without state: the result of two frames (RFC 5044 section 7.1.1, RFC 6581 section 9). */
final class Negotiation {
    private Negotiation() {}

    /** The initiator's verdict on an accepting Reply. */
    sealed interface Verdict {
        /** RDMA mode begins. */
        record Agreed(Negotiated negotiated) implements Verdict {}

        /** The Reply has the wrong format: the connection is closed. */
        record Malformed(StartUpFault fault) implements Verdict {}

        /** RDMA mode has begun, and ends with a Terminate message. */
        record Unsuitable(StartUpFailure failure) implements Verdict {}
    }

    /** A responder's accepting Reply, and the result of the negotiation. */
    record Acceptance(StartUpFrame reply, Negotiated negotiated) {}

    /** The initiator's Request. */
    static StartUpFrame request(StartUpOptions ours) {
        // RFC 6581 section 6 [3]: revision 2 and S for the enhanced start-up, revision 1 without it.
        return new StartUpFrame(
                MpaStartFrame.Kind.REQUEST,
                new MpaFlags(ours.wantsMarkersReceived(), ours.wantsCrc(), false, ours.enhanced(), 0),
                ours.enhanced() ? MpaStartFrame.REV_2 : MpaStartFrame.REV_1,
                ours.enhanced() ? ours.depths() : ReadDepths.NOT_NEGOTIATED,
                ours.peerToPeer(),
                ours.privateData());
    }

    /** The initiator's verdict on a Reply. */
    static Verdict asInitiator(StartUpOptions ours, StartUpFrame reply) {
        // RFC 6581 section 10 [1, 2]: an enhanced request has an enhanced reply, an unenhanced request an unenhanced
        // reply.
        if (ours.enhanced() && !reply.flags().enhanced()) {
            return new Verdict.Malformed(StartUpFault.REPLY_NOT_ENHANCED);
        }
        if (!ours.enhanced() && reply.flags().enhanced()) {
            return new Verdict.Malformed(StartUpFault.REPLY_ENHANCED_UNASKED);
        }
        int theirIrd = reply.depths().ird();
        int theirOrd = reply.depths().ord();
        // RFC 6581 section 9.1 [4, 9]: the initiator's ORD is at most the responder's IRD, and unchanged if that is all
        // ones. Its IRD needs to be no more than the responder's ORD.
        ReadDepths depths = new ReadDepths(
                Math.min(ours.depths().ird(), theirOrd), Math.min(ours.depths().ord(), theirIrd));
        Optional<RtrKind> rtr = chooseRtr(ours.peerToPeer(), reply);
        Negotiated agreed = new Negotiated(
                true,
                reply.revision(),
                new Negotiated.Framing(
                        // RFC 5044 section 7.1.1 [5, 6]: the M of each side concerns what that side receives.
                        reply.flags().markers(),
                        ours.wantsMarkersReceived(),
                        // RFC 5044 section 7.1.1 [7, 8]: CRCs are used both ways if either frame has C.
                        ours.wantsCrc() || reply.flags().crc()),
                depths,
                rtr,
                new Negotiated.Peer(reply.depths(), reply.privateData(), reply.flags()));
        // RFC 6581 section 9.2 [8]: the models have to be the same, and there has to be an RTR message both can do.
        if (ours.peerToPeer().requested() != reply.peerToPeer().requested()
                || (ours.peerToPeer().requested() && rtr.isEmpty())) {
            return unsuitable(
                    StartUpFault.NO_MATCHING_RTR,
                    "this side requested " + ours.peerToPeer() + " and the peer replied " + reply.peerToPeer(),
                    agreed);
        }
        // RFC 6581 section 9.1 [4, 5]: the initiator's IRD is at least the responder's ORD, or the initiator sends a
        // Terminate message.
        if (theirOrd != ReadDepths.LEFT_TO_ULP && theirOrd > ours.depths().ird()) {
            return unsuitable(
                    StartUpFault.INSUFFICIENT_IRD,
                    "its ORD is " + theirOrd + ", the IRD of this side "
                            + ours.depths().ird(),
                    agreed);
        }
        return new Verdict.Agreed(agreed);
    }

    private static Verdict unsuitable(StartUpFault fault, String detail, Negotiated agreed) {
        return new Verdict.Unsuitable(StartUpFailure.afterReply(fault, detail, agreed.framing()));
    }

    /** The preferred RTR message that both sides support. A Read is preferred only if the responder can serve one. */
    private static Optional<RtrKind> chooseRtr(PeerToPeer ours, StartUpFrame reply) {
        PeerToPeer theirs = reply.peerToPeer();
        boolean readPossible = reply.depths().ird() > 0;
        return ours.firstOffered(kind -> theirs.offers(kind) && (kind != RtrKind.READ || readPossible))
                .or(() -> ours.firstOffered(theirs::offers));
    }

    /** The responder's acceptance. */
    static Acceptance asResponder(StartUpOptions ours, PeerRequest request) {
        Optional<RtrKind> rtr = nameRtr(ours, request);
        ReadDepths wire = request.flags().enhanced() ? answerDepths(ours, request, rtr) : ReadDepths.NOT_NEGOTIATED;
        StartUpFrame reply = reply(
                request,
                // RFC 6581 section 10 [5, 6]: the reply has the S and the revision of the request.
                new MpaFlags(
                        ours.wantsMarkersReceived(),
                        ours.wantsCrc() || request.flags().crc(),
                        false,
                        request.flags().enhanced(),
                        0),
                wire,
                // The Reply names exactly one message.
                rtr.map(PeerToPeer::of).orElse(PeerToPeer.NONE),
                ours.privateData());
        // RFC 6581 section 9.1 [8, 10]: all ones in the reply leave the own value unchanged.
        ReadDepths depths = new ReadDepths(
                wire.ird() == ReadDepths.LEFT_TO_ULP ? ours.depths().ird() : wire.ird(),
                wire.ord() == ReadDepths.LEFT_TO_ULP ? ours.depths().ord() : wire.ord());
        Negotiated negotiated = new Negotiated(
                false,
                reply.revision(),
                new Negotiated.Framing(
                        request.flags().markers(),
                        ours.wantsMarkersReceived(),
                        reply.flags().crc()),
                depths,
                rtr,
                new Negotiated.Peer(request.depths(), request.privateData(), request.flags()));
        return new Acceptance(reply, negotiated);
    }

    /** The responder's rejection, with the depths that it would have required. */
    static StartUpFrame rejection(PeerRequest request, ReadDepths depths, PrivateData privateData) {
        return reply(
                request,
                new MpaFlags(false, request.flags().crc(), true, request.flags().enhanced(), 0),
                request.flags().enhanced() ? depths : ReadDepths.NOT_NEGOTIATED,
                // RFC 6581 section 9.2 [4]: the reply to A has A, and the messages that the responder supports.
                request.peerToPeer().requested() ? PeerToPeer.ANY : PeerToPeer.NONE,
                privateData);
    }

    private static StartUpFrame reply(
            PeerRequest request, MpaFlags flags, ReadDepths depths, PeerToPeer peerToPeer, PrivateData privateData) {
        // RFC 6581 section 10 [5, 6]: the reply has the S and the revision of the request.
        StartUpOptions.checkFits(privateData, request.flags().enhanced());
        return new StartUpFrame(MpaStartFrame.Kind.REPLY, flags, request.revision(), depths, peerToPeer, privateData);
    }

    /** The reply's IRD is the initiator's ORD and the reply's ORD its IRD, both within the limits of this side. */
    private static ReadDepths answerDepths(StartUpOptions ours, PeerRequest request, Optional<RtrKind> rtr) {
        int ird = answer(request.depths().ord(), ours.depths().ird());
        int ord = answer(request.depths().ird(), ours.depths().ord());
        // RFC 6581 section 9.1 [MAY]: a Read as RTR requires an IRD of 1 even if there are no other Reads.
        boolean readRequiresDepth = ird == 0 && rtr.equals(Optional.of(RtrKind.READ));
        return new ReadDepths(readRequiresDepth ? 1 : ird, ord);
    }

    private static int answer(int asked, int limit) {
        // RFC 6581 section 9.1 [8, 10]: if either side leaves a depth to its upper layer, the reply is all ones.
        return asked == ReadDepths.LEFT_TO_ULP || limit == ReadDepths.LEFT_TO_ULP
                ? ReadDepths.LEFT_TO_ULP
                : Math.min(asked, limit);
    }

    /** The RTR message that the Reply names: an offered one, or else one that this side supports. */
    private static Optional<RtrKind> nameRtr(StartUpOptions ours, PeerRequest request) {
        if (!request.peerToPeer().requested()) {
            return Optional.empty();
        }
        PeerToPeer able = ours.peerToPeer().requested() ? ours.peerToPeer() : PeerToPeer.ANY;
        boolean readPossible = ours.depths().ird() > 0;
        // RFC 6581 section 9.2 [6]: without a common message the Reply still names one that the responder supports.
        return request.peerToPeer()
                .firstOffered(kind -> able.offers(kind) && (kind != RtrKind.READ || readPossible))
                .or(() -> able.firstOffered(kind -> kind != RtrKind.READ || readPossible))
                .or(() -> able.firstOffered(kind -> true));
    }
}
