package io.verbena.wire;

/**
 * The RDMAP control byte, the second byte of every DDP segment of an RDMAP stream, as pure functions of its value.
 *
 * <pre>
 *   0 1 2 3 4 5 6 7
 *  +-+-+-+-+-+-+-+-+
 *  | RV|Rsv| Opcode|
 *  +-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>Source: RFC 5040 section 4.1; RFC 7306 section 4.1.
 */
public final class RdmapControl {
    /** Bytes. */
    public static final int LENGTH = 1;
    /** The RDMAP version of the RFC: 1. Version 0, of the older RDMA Consortium specification, is not supported. */
    public static final int VERSION = 1;

    private static final int RV_SHIFT = 6;
    private static final int RV_MASK = 0x3;
    private static final int RSV_SHIFT = 4;
    private static final int RSV_MASK = 0x3;
    private static final int OPCODE_MASK = 0xf;

    private RdmapControl() {}

    /** The control byte (0 to 255) of a version 1 message; reserved bits are zero. */
    public static int of(RdmapOpcode opcode) {
        // RFC 5040 section 4.1 [8, 9]: version 01b, reserved bits cleared by the sender.
        return VERSION << RV_SHIFT | opcode.value();
    }

    /** RV: the RDMAP version, 0 to 3. */
    public static int rv(int control) {
        return control >> RV_SHIFT & RV_MASK;
    }

    /** Rsv: two reserved bits; receivers ignore them. */
    public static int rsv(int control) {
        return control >> RSV_SHIFT & RSV_MASK;
    }

    /** The four bits of the opcode, 0 to 15. */
    public static int opcodeValue(int control) {
        return control & OPCODE_MASK;
    }

    /** Opcode; {@link RdmapOpcode#RESERVED} where no RFC defines the value. */
    public static RdmapOpcode opcode(int control) {
        return RdmapOpcode.of(control & OPCODE_MASK);
    }

    /** The byte with RV changed to {@code value} (0 to 3). */
    public static int rv(int control, int value) {
        return control & ~(RV_MASK << RV_SHIFT) & 0xff | (value & RV_MASK) << RV_SHIFT;
    }

    /** The byte with the opcode changed. */
    public static int opcode(int control, RdmapOpcode opcode) {
        return opcodeValue(control, opcode.value());
    }

    /** The byte with the opcode changed to any four bits. */
    public static int opcodeValue(int control, int value) {
        return control & ~OPCODE_MASK & 0xff | value & OPCODE_MASK;
    }
}
