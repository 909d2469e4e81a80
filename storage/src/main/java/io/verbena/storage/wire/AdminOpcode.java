package io.verbena.storage.wire;

/** Opcodes of the admin queue. */
public enum AdminOpcode {
    /** Reads a log page. */
    GET_LOG_PAGE(0x02),
    /** Reads what the controller and its namespaces are. */
    IDENTIFY(0x06),
    /** Asks for the end of a command. */
    ABORT(0x08),
    /** Changes a feature. */
    SET_FEATURES(0x09),
    /** Reads a feature. */
    GET_FEATURES(0x0a),
    /** Waits for an event. */
    ASYNC_EVENT_REQUEST(0x0c),
    /** Restarts the keep-alive time. */
    KEEP_ALIVE(0x18),
    /** A command of {@link FabricsType}. */
    FABRICS(0x7f),
    /** A value that this library does not know. */
    UNKNOWN(-1);

    private final int code;

    AdminOpcode(int code) {
        this.code = code;
    }

    /** The value on the wire. */
    public int code() {
        return code;
    }

    private static final AdminOpcode[] ALL = values();

    /** The constant with this value, or {@link #UNKNOWN}. */
    public static AdminOpcode of(int code) {
        for (AdminOpcode each : ALL) {
            if (each.code == code) {
                return each;
            }
        }
        return UNKNOWN;
    }
}
