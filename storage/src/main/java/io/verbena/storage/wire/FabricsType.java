package io.verbena.storage.wire;

/** Types of Fabrics commands, in byte 4 of the entry. */
public enum FabricsType {
    /** Writes a property of the controller. */
    PROPERTY_SET(0x00),
    /** Joins a queue to a controller. */
    CONNECT(0x01),
    /** Reads a property of the controller. */
    PROPERTY_GET(0x04),
    /** A value that this library does not know. */
    UNKNOWN(-1);

    private final int code;

    FabricsType(int code) {
        this.code = code;
    }

    /** The value on the wire. */
    public int code() {
        return code;
    }

    private static final FabricsType[] ALL = values();

    /** The constant with this value, or {@link #UNKNOWN}. */
    public static FabricsType of(int code) {
        for (FabricsType each : ALL) {
            if (each.code == code) {
                return each;
            }
        }
        return UNKNOWN;
    }
}
