package io.verbena.storage.wire;

/** Status type and code of a completion, without the bits for More and Do Not Retry. */
public enum Status {
    /** The command succeeded. */
    SUCCESS(0x000),
    /** Unknown opcode. */
    INVALID_OPCODE(0x001),
    /** A field has a value that is not supported. */
    INVALID_FIELD(0x002),
    /** The command identifier is in use. */
    COMMAND_ID_CONFLICT(0x003),
    /** The data could not be transferred. */
    DATA_TRANSFER_ERROR(0x004),
    /** The controller failed. */
    INTERNAL(0x006),
    /** An Abort ended the command. */
    ABORTED(0x007),
    /** There is no such namespace. */
    INVALID_NAMESPACE(0x00b),
    /** The command is not allowed in this state. */
    SEQUENCE(0x00c),
    /** The length of the data pointer does not suit the command. */
    SGL_LENGTH(0x00f),
    /** Unknown type of data pointer. */
    SGL_TYPE(0x011),
    /** In-capsule data outside of the capsule. */
    SGL_OFFSET(0x016),
    /** The keep-alive time is invalid. */
    KEEP_ALIVE_TIMEOUT(0x01a),
    /** The namespace is read-only. */
    WRITE_PROTECTED(0x020),
    /** Blocks past the end. */
    LBA_RANGE(0x080),
    /** No space is left. */
    CAPACITY(0x081),
    /** The namespace is not ready. */
    NOT_READY(0x082),
    /** Too many Asynchronous Event Requests. */
    EVENT_LIMIT(0x105),
    /** Unknown log page. */
    INVALID_LOG_PAGE(0x109),
    /** The feature cannot be changed. */
    FEATURE_NOT_CHANGEABLE(0x10e),
    /** Connect has an unknown record format. */
    CONNECT_FORMAT(0x180),
    /** No controller or queue is free. */
    CONNECT_BUSY(0x181),
    /** A parameter of Connect is invalid. */
    CONNECT_PARAMETER(0x182),
    /** The host is not allowed. */
    CONNECT_HOST(0x184),
    /** The medium did not take the data. */
    WRITE_FAULT(0x280),
    /** The medium did not give the data. */
    READ_ERROR(0x281),
    /** The data differ. */
    COMPARE_FAILURE(0x285);

    private final int code;

    Status(int code) {
        this.code = code;
    }

    /** The value on the wire. */
    public int code() {
        return code;
    }

    /** Status type and code in a status field. */
    public static final int CODE_MASK = 0x7ff;

    /** Do Not Retry: the same command would fail again. */
    public static final int DO_NOT_RETRY = 0x4000;

    /**
     * Whether a host should not repeat the command. What the medium or a shortage causes can pass; anything wrong with the command cannot.
     */
    public boolean permanent() {
        return switch (this) {
            case SUCCESS,
                    DATA_TRANSFER_ERROR,
                    INTERNAL,
                    ABORTED,
                    CAPACITY,
                    NOT_READY,
                    CONNECT_BUSY,
                    WRITE_FAULT,
                    READ_ERROR -> false;
            default -> true;
        };
    }

    /** The 15-bit status field of a completion. */
    public int field() {
        return permanent() ? code | DO_NOT_RETRY : code;
    }

    private static final Status[] ALL = values();

    /** The name of a 15-bit status field and its value, for people. */
    public static String describe(int field) {
        int code = field & CODE_MASK;
        String value = "0x" + Integer.toHexString(field);
        for (Status each : ALL) {
            if (each.code == code) {
                return each + " (" + value + ")";
            }
        }
        return value;
    }
}
