package io.verbena.rnic.iwarp;

import io.verbena.base.Times;
import io.verbena.engine.RnicEngine;
import io.verbena.iwarp.startup.PeerToPeer;
import io.verbena.iwarp.startup.PrivateData;
import io.verbena.iwarp.startup.ReadDepths;
import io.verbena.iwarp.startup.RtrKind;
import io.verbena.iwarp.startup.StartUpOptions;
import io.verbena.port.ByteStream;
import io.verbena.rnic.SoftConnection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RnicOptions;

/**
 * A connection that is to be set up.
 *
 * @param queuePair whose connection
 * @param connection as the application holds it
 * @param options for the exchange of start-up frames
 * @param deadlineNs when it is given up, whatever it waits for then
 * @param keepAliveNs how long the peer may be silent once it stands; 0 for ever
 */
record ConnectionSetUp(
        IwarpQueuePair queuePair,
        SoftConnection connection,
        StartUpOptions options,
        long deadlineNs,
        long keepAliveNs) {

    ConnectionSetUp(
            IwarpQueuePair queuePair, SoftConnection connection, StartUpOptions options, ConnectionOptions wanted) {
        this(
                queuePair,
                connection,
                options,
                queuePair.context().environment().nowNs() + options.timeoutNs(),
                Times.nanos(wanted.keepAlive()));
    }

    /** Revisions of MPA that can be asked for. */
    private static final int UNENHANCED = 1;

    private static final int ENHANCED = 2;

    /**
     * What an initiator asks for. Revision 1 has no peer-to-peer mode, so there the connecting side sends first whatever
     * was wished.
     *
     * @throws IllegalArgumentException with a sentence, when something is out of range
     */
    static StartUpOptions initiator(ConnectionOptions wanted, QueuePairOptions depths, RnicOptions rnic) {
        if (wanted.revision() != UNENHANCED && wanted.revision() != ENHANCED) {
            throw new IllegalArgumentException("the MPA revision is 1 or 2, not " + wanted.revision());
        }
        boolean enhanced = wanted.revision() == ENHANCED;
        return of(wanted, depths, rnic, enhanced, wanted.peerToPeer() && enhanced);
    }

    /** What a responder that accepts brings; the format of the reply and the model are those of the request. */
    static StartUpOptions responder(ConnectionOptions wanted, QueuePairOptions depths, RnicOptions rnic) {
        return of(wanted, depths, rnic, true, true);
    }

    private static StartUpOptions of(
            ConnectionOptions wanted, QueuePairOptions depths, RnicOptions rnic, boolean enhanced, boolean peerToPeer) {
        long timeoutNs = Times.nanos(wanted.timeout());
        if (timeoutNs == 0) {
            throw new IllegalArgumentException("the time-out of a connection must be above zero");
        }
        return new StartUpOptions(
                rnic.markers(),
                rnic.crc(),
                enhanced,
                new ReadDepths(depths.inboundReads(), depths.outboundReads()),
                // RFC 6581 section 9.2 [2]: each supported RTR message is offered. A Send as RTR would take a receive.
                peerToPeer ? PeerToPeer.of(RtrKind.WRITE, RtrKind.READ) : PeerToPeer.NONE,
                timeoutNs,
                PrivateData.of(wanted.privateData()));
    }

    RnicEngine engine() {
        return queuePair.engine();
    }

    /** Whether nobody wants it any more; then the stream is closed. */
    boolean abandoned(ByteStream stream) {
        if (!queuePair.abandoned(connection)) {
            return false;
        }
        stream.close(true);
        queuePair.abandon(connection, "The queue pair was closed before the connection was established.");
        return true;
    }

    /** Set-up came to nothing: the queue pair may be tried again. */
    void failed(ConnectionException.Kind kind, String sentence) {
        queuePair.setUpFailed(connection, kind, sentence);
    }
}
