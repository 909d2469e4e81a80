package io.verbena.rnic.iwarp;

import io.verbena.base.RandomSource;
import io.verbena.iwarp.startup.PrivateData;
import io.verbena.objects.ConnectionRules;
import io.verbena.rnic.PacketCarriage;
import io.verbena.survival.AgreementHeader;
import io.verbena.survival.CarriageHeader;
import io.verbena.survival.SurvivalAgreement;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.SurvivalOptions;
import java.net.SocketAddress;
import java.util.Optional;

/** What a set-up has to do with surviving. */
sealed interface SurvivalTerms {

    /** Nothing: the connection ends with its transport. */
    record None() implements SurvivalTerms {
        static final None NONE = new None();
    }

    /**
     * This side wants the connection to survive.
     *
     * @param remote the address that was connected to; empty if the peer has connected
     * @param offer of the peer in its Request; empty in an initiator, and if the peer made none
     * @param own contribution of this side; empty before the start-up begins, and if the peer made no offer
     * @param survivors where the peer finds the connection again
     */
    record Wanted(
            SurvivalOptions options,
            Optional<SocketAddress> remote,
            Optional<SurvivalAgreement> offer,
            Optional<SurvivalAgreement> own,
            Survivors survivors)
            implements SurvivalTerms {

        boolean initiator() {
            return remote.isPresent();
        }

        /** With the offer of the peer. */
        Wanted offered(Optional<SurvivalAgreement> peerOffer) {
            return new Wanted(options, remote, peerOffer, own, survivors);
        }

        /** With a contribution, if there is a reason for it. */
        Wanted contributing(RandomSource random) {
            boolean contributes = initiator() || offer.isPresent();
            Optional<SurvivalAgreement> added =
                    contributes ? Optional.of(SurvivalAgreement.random(initiator() ? 0 : 1, random)) : Optional.empty();
            return new Wanted(options, remote, offer, added, survivors);
        }
    }

    /** The set-up continues a connection that exists. */
    record Resuming(Continuation survivor) implements SurvivalTerms {}

    /**
     * Prepares packets that carry the messages; empty if the connection ends with its transport, or a stream is to
     * carry it.
     *
     * @param asked whether this side may offer that: it asks, or the peer has asked
     * @param local the address of this side of the stream
     */
    default Optional<PacketCarriage> packets(IwarpQueuePair queuePair, boolean asked, SocketAddress local) {
        return switch (this) {
            case None() -> Optional.empty();
            case Wanted wanted ->
                asked && (wanted.initiator() || wanted.offer().isPresent())
                        ? wanted.survivors().carrier().flatMap(it -> it.prepare(queuePair, local))
                        : Optional.empty();
            case Resuming(Continuation survivor) -> asked ? survivor.packets(local) : Optional.empty();
        };
    }

    /**
     * The terms of a first set-up.
     *
     * @param remote the address that is connected to; empty if a peer has connected
     * @param offer of that peer
     * @param survivors where the peer finds the connection again
     * @throws IllegalArgumentException if the private data are too long, or look like an agreement, or an option
     *     prevents surviving
     */
    static SurvivalTerms of(
            ConnectionOptions requested,
            Optional<SocketAddress> remote,
            Optional<SurvivalAgreement> offer,
            Survivors survivors) {
        byte[] data = requested.privateData();
        if (SurvivalAgreement.isMarked(data) || CarriageHeader.isMarked(data) || Survivors.isResume(data)) {
            throw new IllegalArgumentException("the private data begin as those of a connection that survives its"
                    + " transport do; put another byte before them");
        }
        if (requested.survival().isEmpty()) {
            return None.NONE;
        }
        int packets = survivors.carrier().isPresent() ? CarriageHeader.LENGTH + PacketCarriage.MOST_OFFER_BYTES : 0;
        ConnectionRules.privateData(data, PrivateData.MAX_LENGTH_ENHANCED - AgreementHeader.LENGTH - packets);
        if (remote.isPresent() && (requested.revision() != ConnectionSetUp.ENHANCED || !requested.peerToPeer())) {
            throw new IllegalArgumentException("a connection that survives its transport needs MPA revision 2 and"
                    + " peerToPeer: only then the sides tell a close from the end of a process");
        }
        return new Wanted(requested.survival().get(), remote, offer, Optional.empty(), survivors);
    }
}
