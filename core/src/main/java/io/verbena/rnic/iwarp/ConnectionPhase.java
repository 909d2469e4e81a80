package io.verbena.rnic.iwarp;

import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.IwarpQueuePairState;

/**
 * Where a connection stands, seen at once by the stream handler, the RDMA layer and the RNIC. The states that the verbs show,
 * of the queue pair and of the connection, are read off it.
 */
public enum ConnectionPhase {
    /** No stream: never connected, or moved back to IDLE by the application. */
    IDLE(IwarpQueuePairState.IDLE, ConnectionState.CONNECTING),
    /** A TCP connection is being made. */
    DIALLING(IwarpQueuePairState.IDLE, ConnectionState.CONNECTING),
    /** The stream carries start-up frames (RFC 5044 section 7.1). */
    STARTING(IwarpQueuePairState.IDLE, ConnectionState.CONNECTING),
    /** RDMA mode, both directions. */
    OPEN(IwarpQueuePairState.RTS, ConnectionState.ESTABLISHED),
    /** This side was told to close: what was posted is finished, then our direction ends. The peer may still send. */
    CLOSING_HERE(IwarpQueuePairState.CLOSING, ConnectionState.CLOSING),
    /** The peer has ended its direction: what was posted here is still sent, then ours ends too. */
    CLOSING_THERE(IwarpQueuePairState.CLOSING, ConnectionState.CLOSING),
    /** Both directions have ended with nothing left undone; receives are being flushed. */
    BOTH_ENDED(IwarpQueuePairState.CLOSING, ConnectionState.CLOSING),
    /** A Terminate message was sent or received: it is flushed, and the stream lingers so that the last word arrives. */
    TERMINATING(IwarpQueuePairState.TERMINATE, ConnectionState.CLOSING),
    /** The stream broke, fell silent, ended too early, or was aborted: it is flushed and the stream is given up. */
    BREAKING(IwarpQueuePairState.ERROR, ConnectionState.CLOSING),
    /** Over in good order. */
    CLOSED(IwarpQueuePairState.IDLE, ConnectionState.CLOSED),
    /** The peer's word in the Reply was no: the stream is a stream again. */
    REJECTED(IwarpQueuePairState.IDLE, ConnectionState.REJECTED),
    /** Set-up came to nothing; the queue pair may be tried again. */
    NOT_SET_UP(IwarpQueuePairState.IDLE, ConnectionState.FAILED),
    /** Over by an error. */
    FAILED(IwarpQueuePairState.ERROR, ConnectionState.FAILED);

    private final IwarpQueuePairState queuePair;
    private final ConnectionState connection;

    ConnectionPhase(IwarpQueuePairState queuePair, ConnectionState connection) {
        this.queuePair = queuePair;
        this.connection = connection;
    }

    /** The queue pair's state in this phase. */
    public IwarpQueuePairState queuePair() {
        return queuePair;
    }

    /** The connection's state in this phase, where there is a connection. */
    public ConnectionState connection() {
        return connection;
    }

    /** Whether there is a stream in RDMA mode. */
    public boolean rdma() {
        return ordinal() >= OPEN.ordinal() && ordinal() <= BREAKING.ordinal();
    }

    /** Whether this side, or the peer, is in set-up. */
    public boolean settingUp() {
        return this == DIALLING || this == STARTING;
    }

    /** Whether work that is posted or pending completes flushed. */
    public boolean flushes() {
        return this == BOTH_ENDED || this == TERMINATING || this == BREAKING || this == CLOSED || this == FAILED;
    }

    /** Whether no access to memory can happen any more: nothing leads out of it but another connection. */
    public boolean over() {
        return ordinal() >= CLOSED.ordinal() || this == IDLE;
    }
}
