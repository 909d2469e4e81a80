package io.verbena.storage.wire;

/** What an Identify command reads (CNS). */
public enum IdentifyKind {
    /** One namespace. */
    NAMESPACE(0x00),
    /** The controller. */
    CONTROLLER(0x01),
    /** Numbers of the active namespaces. */
    ACTIVE_NAMESPACES(0x02),
    /** Names of one namespace. */
    DESCRIPTORS(0x03),
    /** A value that this library does not know. */
    UNKNOWN(-1);

    private final int code;

    IdentifyKind(int code) {
        this.code = code;
    }

    /** The value on the wire. */
    public int code() {
        return code;
    }

    private static final IdentifyKind[] ALL = values();

    /** The constant with this value, or {@link #UNKNOWN}. */
    public static IdentifyKind of(int code) {
        for (IdentifyKind each : ALL) {
            if (each.code == code) {
                return each;
            }
        }
        return UNKNOWN;
    }
}
