package io.verbena.rnic.iwarp;

import io.verbena.rnic.PhasedEndpoint;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.IwarpQueuePairState;

/**
 * The phase of a connection, shared by the stream handler, the RDMA layer and the RNIC. The queue pair state and the
 * connection state shown by the verbs are derived from it.
 */
public enum ConnectionPhase implements PhasedEndpoint.Phase {
    /** No stream: never connected, or moved back to IDLE by the application. */
    IDLE(IwarpQueuePairState.IDLE, ConnectionState.CONNECTING),
    /** A TCP connection is being established. */
    DIALLING(IwarpQueuePairState.IDLE, ConnectionState.CONNECTING),
    /** The stream carries start-up frames (RFC 5044 section 7.1). */
    STARTING(IwarpQueuePairState.IDLE, ConnectionState.CONNECTING),
    /** RDMA mode in both directions. */
    OPEN(IwarpQueuePairState.RTS, ConnectionState.ESTABLISHED),
    /** The stream of a connection that survives has ended; another one is being set up. Nothing is flushed. */
    SURVIVING(IwarpQueuePairState.RTS, ConnectionState.ESTABLISHED),
    /** The same, and the application has closed the connection: it is closed when it has another stream. */
    SURVIVING_TO_CLOSE(IwarpQueuePairState.CLOSING, ConnectionState.CLOSING),
    /**
     * The application closed the connection: posted work is completed, then this direction ends. The peer may still
     * send.
     */
    CLOSING_HERE(IwarpQueuePairState.CLOSING, ConnectionState.CLOSING),
    /** The peer has ended its direction: work posted here is still sent, then this direction ends as well. */
    CLOSING_THERE(IwarpQueuePairState.CLOSING, ConnectionState.CLOSING),
    /** Both directions have ended and no work is incomplete; receives are being flushed. */
    BOTH_ENDED(IwarpQueuePairState.CLOSING, ConnectionState.CLOSING),
    /**
     * A Terminate message was sent or received: work is flushed, and the stream lingers so that the Terminate arrives.
     */
    TERMINATING(IwarpQueuePairState.TERMINATE, ConnectionState.CLOSING),
    /** The stream broke, was silent, ended too early, or was aborted: work is flushed and the stream is closed. */
    BREAKING(IwarpQueuePairState.ERROR, ConnectionState.CLOSING),
    /** Closed gracefully. */
    CLOSED(IwarpQueuePairState.IDLE, ConnectionState.CLOSED),
    /** The Reply of the peer rejected the connection: the stream is in streaming mode again. */
    REJECTED(IwarpQueuePairState.IDLE, ConnectionState.REJECTED),
    /** The set-up failed; the queue pair can be connected again. */
    NOT_SET_UP(IwarpQueuePairState.IDLE, ConnectionState.FAILED),
    /** Ended by an error. */
    FAILED(IwarpQueuePairState.ERROR, ConnectionState.FAILED);

    private final IwarpQueuePairState queuePair;
    private final ConnectionState connection;

    ConnectionPhase(IwarpQueuePairState queuePair, ConnectionState connection) {
        this.queuePair = queuePair;
        this.connection = connection;
    }

    @Override
    public IwarpQueuePairState queuePair() {
        return queuePair;
    }

    @Override
    public ConnectionState connection() {
        return connection;
    }

    /** Whether the connection is being set up, by either side. */
    public boolean settingUp() {
        return this == DIALLING || this == STARTING;
    }

    /** Whether a connection that survives has no stream. */
    public boolean survives() {
        return this == SURVIVING || this == SURVIVING_TO_CLOSE;
    }

    /** Whether posted and pending work completes as flushed. */
    public boolean flushes() {
        return this == BOTH_ENDED || this == TERMINATING || this == BREAKING || this == CLOSED || this == FAILED;
    }

    /** Whether memory can no longer be accessed. Only a new connection leaves such a phase. */
    public boolean over() {
        return ordinal() >= CLOSED.ordinal() || this == IDLE;
    }
}
