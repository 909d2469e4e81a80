package io.verbena.verbs;

/** States of an InfiniBand queue pair (ibv_qp_state). */
public enum InfinibandQueuePairState implements QueuePairState {
    RESET,
    INIT,
    RTR,
    RTS,
    /** Send queue drained. */
    SQD,
    /** Send queue error (datagram services). */
    SQE,
    ERR;

    @Override
    public boolean maySend() {
        return ordinal() >= RTS.ordinal();
    }

    @Override
    public boolean failed() {
        return this == ERR;
    }
}
