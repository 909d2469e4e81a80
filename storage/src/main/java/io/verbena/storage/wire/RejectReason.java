package io.verbena.storage.wire;

/** Why the target rejects an RDMA connection. */
public enum RejectReason {
    /** The private data are too short. */
    PRIVATE_DATA_LENGTH(1),
    /** Unknown record format. */
    RECORD_FORMAT(2),
    /** Invalid queue. */
    QUEUE_ID(3),
    /** Invalid HSQSIZE. */
    SEND_QUEUE_SIZE(4),
    /** Invalid HRQSIZE. */
    RECEIVE_QUEUE_SIZE(5),
    /** No resources are left. */
    NO_RESOURCES(6),
    /** Invalid IRD. */
    INBOUND_READS(7),
    /** Invalid ORD. */
    OUTBOUND_READS(8);

    private final int code;

    RejectReason(int code) {
        this.code = code;
    }

    /** The value on the wire. */
    public int code() {
        return code;
    }

    private static final RejectReason[] ALL = values();

    /** The name of a value on the wire, for people. */
    public static String describe(int code) {
        for (RejectReason each : ALL) {
            if (each.code == code) {
                return each.toString();
            }
        }
        return Integer.toString(code);
    }
}
