package io.verbena.storage.wire;

/** Features. */
public enum Feature {
    /** Whether writes may be lost before a Flush. */
    VOLATILE_WRITE_CACHE(0x06),
    /** Number of I/O queues. */
    QUEUES(0x07),
    /** Events that are reported. */
    EVENTS(0x0b),
    /** Keep-alive time in ms. */
    KEEP_ALIVE(0x0f),
    /** A value that this library does not know. */
    UNKNOWN(-1);

    private final int code;

    Feature(int code) {
        this.code = code;
    }

    /** The value on the wire. */
    public int code() {
        return code;
    }

    private static final Feature[] ALL = values();

    /** The constant with this value, or {@link #UNKNOWN}. */
    public static Feature of(int code) {
        for (Feature each : ALL) {
            if (each.code == code) {
                return each;
            }
        }
        return UNKNOWN;
    }
}
