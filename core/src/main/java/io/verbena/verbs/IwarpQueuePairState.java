package io.verbena.verbs;

/** States of an iWARP queue pair (RDMA Consortium verbs; rules in RFC 5040 sections 5.4 [8] and 6.2). */
public enum IwarpQueuePairState implements QueuePairState {
    /** Not connected. */
    IDLE,
    /** Ready to send: RDMA mode, both directions. */
    RTS,
    /** A graceful close is under way. */
    CLOSING,
    /** A Terminate message was sent or received; the stream is being closed. */
    TERMINATE,
    /** Ended by an error or an abort: all work completes with status FLUSHED. */
    ERROR;

    @Override
    public boolean maySend() {
        return this != IDLE;
    }

    @Override
    public boolean failed() {
        return this == TERMINATE || this == ERROR;
    }
}
