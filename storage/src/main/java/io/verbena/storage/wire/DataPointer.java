package io.verbena.storage.wire;

/** The kinds of data pointers (SGL descriptors) of NVMe over RDMA. */
public enum DataPointer {
    /** Data that follow in the capsule. */
    IN_CAPSULE(0x01),
    /** Memory of the host, named by a key. */
    KEYED(0x40),
    /** Memory of the host whose key is invalidated by the response. */
    KEYED_INVALIDATE(0x4f),
    /** A known type with a subtype that this library does not know. */
    UNKNOWN_SUBTYPE(-1),
    /** A type that this library does not know. */
    UNKNOWN_TYPE(-2);

    private final int code;

    DataPointer(int code) {
        this.code = code;
    }

    /** The byte on the wire. */
    public int code() {
        return code;
    }

    /** Whether the data are in memory of the host. */
    public boolean keyed() {
        return this == KEYED || this == KEYED_INVALIDATE;
    }

    /** The kind that the byte on the wire means. */
    public static DataPointer of(int code) {
        return switch (code) {
            case 0x01 -> IN_CAPSULE;
            case 0x40 -> KEYED;
            case 0x4f -> KEYED_INVALIDATE;
            default -> (code & 0xf0) == 0x40 || (code & 0xf0) == 0 ? UNKNOWN_SUBTYPE : UNKNOWN_TYPE;
        };
    }
}
