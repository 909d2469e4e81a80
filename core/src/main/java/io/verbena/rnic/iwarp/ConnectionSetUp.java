package io.verbena.rnic.iwarp;

import io.verbena.base.PeerDeadline;
import io.verbena.base.Times;
import io.verbena.engine.RnicEngine;
import io.verbena.iwarp.SurvivingWork;
import io.verbena.iwarp.startup.Negotiated;
import io.verbena.iwarp.startup.PeerToPeer;
import io.verbena.iwarp.startup.PrivateData;
import io.verbena.iwarp.startup.RtrKind;
import io.verbena.iwarp.startup.StartUpOptions;
import io.verbena.objects.ConnectionRules;
import io.verbena.port.ByteStream;
import io.verbena.rnic.PacketCarriage;
import io.verbena.rnic.SoftConnection;
import io.verbena.survival.CarriageHeader;
import io.verbena.survival.SurvivalAgreement;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RnicOptions;
import java.time.Duration;
import java.util.Optional;

/**
 * Parameters of a connection that is being set up.
 *
 * @param queuePair the queue pair to connect
 * @param connection the connection as seen by the application
 * @param options for the exchange of start-up frames
 * @param deadline the time for the set-up
 * @param requested by the application
 * @param survival whether the connection survives its transport, or continues after it
 */
record ConnectionSetUp(
        IwarpQueuePair queuePair,
        SoftConnection connection,
        StartUpOptions options,
        PeerDeadline deadline,
        ConnectionOptions requested,
        SurvivalTerms survival) {

    ConnectionSetUp(
            IwarpQueuePair queuePair,
            SoftConnection connection,
            StartUpOptions options,
            ConnectionOptions requested,
            SurvivalTerms survival) {
        this(
                queuePair,
                connection,
                options,
                new PeerDeadline(
                        options.timeoutNs(), queuePair.context().environment().nowNs()),
                requested,
                survival);
    }

    /** Supported revisions of MPA. */
    private static final int UNENHANCED = 1;

    static final int ENHANCED = 2;

    /** Maximum silence of the peer of a connection that survives: a change that was not necessary loses nothing. */
    private static final long SUSPICION_NS = 500_000_000L;

    /** Maximum silence of the peer after the connection is established; 0 for no limit. */
    long silenceNs(boolean survives) {
        return survives && requested.keepAlive().equals(ConnectionOptions.KEEP_ALIVE)
                ? SUSPICION_NS
                : Times.nanos(requested.keepAlive());
    }

    /**
     * The start-up options of an initiator. Revision 1 has no peer-to-peer mode: the connecting side sends first,
     * whatever was requested.
     *
     * @throws IllegalArgumentException with a sentence, if a value is out of range
     */
    static StartUpOptions initiator(ConnectionOptions requested, QueuePairOptions depths, RnicOptions rnic) {
        if (requested.revision() != UNENHANCED && requested.revision() != ENHANCED) {
            throw new IllegalArgumentException("the MPA revision must be 1 or 2, not " + requested.revision());
        }
        boolean enhanced = requested.revision() == ENHANCED;
        return of(requested, depths, rnic, enhanced, requested.peerToPeer() && enhanced);
    }

    /**
     * The start-up options of a responder that accepts. The format of the Reply and the connection model are those of
     * the request.
     */
    static StartUpOptions responder(ConnectionOptions requested, QueuePairOptions depths, RnicOptions rnic) {
        return of(requested, depths, rnic, true, true);
    }

    private static StartUpOptions of(
            ConnectionOptions requested,
            QueuePairOptions depths,
            RnicOptions rnic,
            boolean enhanced,
            boolean peerToPeer) {
        long timeoutNs = Times.nanos(requested.timeout());
        ConnectionRules.timeout(requested.timeout());
        // RFC 6581 section 9.2 [2]: each supported RTR message is offered. A Send as RTR would consume a receive.
        PeerToPeer model = peerToPeer ? PeerToPeer.of(RtrKind.WRITE, RtrKind.READ) : PeerToPeer.NONE;
        return StartUpOptions.defaults()
                .withMarkersReceived(rnic.iwarp().markers())
                .withCrc(rnic.iwarp().crc())
                .withEnhanced(enhanced)
                .withDepths(depth(requested, depths.inboundReads()), depth(requested, depths.outboundReads()))
                .withPeerToPeer(model)
                .withTimeoutNs(timeoutNs)
                .withPrivateData(PrivateData.of(requested.privateData()));
    }

    private static int depth(ConnectionOptions requested, int depth) {
        return requested.survival().isPresent() ? Math.min(depth, SurvivingWork.DEPTH) : depth;
    }

    // Surviving.

    /**
     * The same, with the contribution of this side to an agreement that the connection survives, if there is a
     * reason for one.
     */
    ConnectionSetUp contributing() {
        if (!(survival instanceof SurvivalTerms.Wanted wanted)) {
            return this;
        }
        SurvivalTerms.Wanted terms = wanted.contributing(engine().random());
        byte[] programData = options.privateData().toArray();
        byte[] data = terms.own().map(own -> own.before(programData)).orElse(programData);
        return new ConnectionSetUp(
                queuePair, connection, options.withPrivateData(PrivateData.of(data)), deadline, requested, terms);
    }

    /** The same, with the offer that packets carry the messages. */
    ConnectionSetUp offering(PacketCarriage packets) {
        byte[] data =
                CarriageHeader.before(packets.offer(), options.privateData().toArray());
        return new ConnectionSetUp(
                queuePair, connection, options.withPrivateData(PrivateData.of(data)), deadline, requested, survival);
    }

    /** The same, with what the Request of the peer says about surviving. */
    ConnectionSetUp requested(byte[] peerData) {
        return survival instanceof SurvivalTerms.Wanted wanted
                ? new ConnectionSetUp(
                        queuePair,
                        connection,
                        options,
                        deadline,
                        requested,
                        wanted.offered(SurvivalAgreement.of(peerData, 0)))
                : this;
    }

    /** The set-up of another stream for the same connection. */
    ConnectionSetUp resuming(Continuation survivor, byte[] message, long timeoutNs) {
        StartUpOptions resuming =
                options.withPrivateData(PrivateData.of(message)).withTimeoutNs(timeoutNs);
        return new ConnectionSetUp(
                queuePair,
                connection,
                resuming,
                new PeerDeadline(timeoutNs, engine().nowNs()),
                requested,
                new SurvivalTerms.Resuming(survivor));
    }

    /** Whether the set-up continues a connection. */
    boolean resumes() {
        return survival instanceof SurvivalTerms.Resuming;
    }

    /** RDMA mode follows: shows the private data of the peer, and whether the connection survives. */
    void established(Negotiated negotiated, Optional<Continuation> survivor) {
        if (resumes()) {
            return;
        }
        if (negotiated.initiator()) {
            byte[] data = CarriageHeader.rest(negotiated.peer().privateData().toArray());
            connection.privateData(survivor.isPresent() ? SurvivalAgreement.programData(data) : data);
        }
        survivor.ifPresent(queuePair::surviving);
    }

    RnicEngine engine() {
        return queuePair.engine();
    }

    /** The time for the set-up, for a sentence. */
    String timeout() {
        return Times.text(Duration.ofNanos(options.timeoutNs()));
    }

    /** Whether the set-up was cancelled meanwhile; if so, closes the stream. */
    boolean abandoned(ByteStream stream) {
        if (!queuePair.abandoned(connection)) {
            return false;
        }
        stream.close(true);
        queuePair.abandon(connection, "The queue pair was closed before the connection was established.");
        return true;
    }

    /** Reports a failed set-up. The queue pair can be connected again. */
    void failed(ConnectionException.Kind kind, String sentence) {
        if (survival instanceof SurvivalTerms.Resuming(Continuation survivor)) {
            survivor.setUpFailed(kind == ConnectionException.Kind.REFUSED, sentence, engine().nowNs());
            return;
        }
        queuePair.setUpFailed(connection, kind, sentence);
    }
}
