package io.verbena.storage.wire;

/** Log pages. */
public enum LogPage {
    /** Errors, the newest first. */
    ERRORS(0x01),
    /** Health. */
    SMART(0x02),
    /** Firmware slots. */
    FIRMWARE(0x03),
    /** Namespaces that changed since the last read. */
    CHANGED_NAMESPACES(0x04),
    /** Supported commands. */
    COMMAND_EFFECTS(0x05),
    /** Subsystems of this port. */
    DISCOVERY(0x70),
    /** A value that this library does not know. */
    UNKNOWN(-1);

    private final int code;

    LogPage(int code) {
        this.code = code;
    }

    /** The value on the wire. */
    public int code() {
        return code;
    }

    private static final LogPage[] ALL = values();

    /** The constant with this value, or {@link #UNKNOWN}. */
    public static LogPage of(int code) {
        for (LogPage each : ALL) {
            if (each.code == code) {
                return each;
            }
        }
        return UNKNOWN;
    }
}
