package io.verbena.storage.wire;

/** Opcodes of an I/O queue. */
public enum IoOpcode {
    /** Makes completed writes durable. */
    FLUSH(0x00),
    /** Writes blocks. */
    WRITE(0x01),
    /** Reads blocks. */
    READ(0x02),
    /** Compares blocks with data. */
    COMPARE(0x05),
    /** Zeroes blocks without a transfer. */
    WRITE_ZEROES(0x08),
    /** Deallocates ranges of blocks. */
    DATASET_MANAGEMENT(0x09),
    /** Reads blocks without a transfer. */
    VERIFY(0x0c),
    /** A command of {@link FabricsType}. */
    FABRICS(0x7f),
    /** A value that this library does not know. */
    UNKNOWN(-1);

    private final int code;

    IoOpcode(int code) {
        this.code = code;
    }

    /** The value on the wire. */
    public int code() {
        return code;
    }

    /** Whether the command changes the contents of blocks. */
    public boolean changesBlocks() {
        return this == WRITE || this == WRITE_ZEROES || this == DATASET_MANAGEMENT;
    }

    private static final IoOpcode[] ALL = values();

    /** The constant with this value, or {@link #UNKNOWN}. */
    public static IoOpcode of(int code) {
        for (IoOpcode each : ALL) {
            if (each.code == code) {
                return each;
            }
        }
        return UNKNOWN;
    }
}
