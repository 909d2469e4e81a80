package io.verbena.ib.cm;

/** Reasons in a REJ of this side (InfiniBand architecture specification, volume 1, section 12.6.7.2). */
public enum CmReject {
    NO_QUEUE_PAIR(1),
    NO_RESOURCES(3),
    TIMEOUT(4),
    UNSUPPORTED(5),
    INVALID_COMM_ID(6),
    INVALID_SERVICE_ID(8),
    INVALID_TRANSPORT(9),
    STALE_CONNECTION(10),
    INVALID_GID(12),
    INVALID_MTU(26),
    CONSUMER(28);

    private final int code;

    CmReject(int code) {
        this.code = code;
    }

    /** Whether a reason says that the peer has given the connection up: it waits no more, or does not know it any more. */
    public static boolean givenUp(int reason) {
        return reason == TIMEOUT.code || reason == INVALID_COMM_ID.code;
    }

    /** The number on the wire. */
    public int code() {
        return code;
    }
}
