package io.verbena.wire.ib;

import io.verbena.wire.Header;
import io.verbena.wire.Hex;
import java.lang.foreign.MemorySegment;

/**
 * The Base Transport Header: the first header of every packet of the InfiniBand transport.
 *
 * <pre>
 *    0                   1                   2                   3
 * 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |     Opcode    |S|M|Pad|  TVer |             P_Key             |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |F|B|   Resv6   |                 Destination QP                |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |A|    Resv7    |                      PSN                      |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>Source: InfiniBand architecture specification, volume 1, section 9.2.
 */
public final class Bth extends Header<Bth> {
    /** Length in bytes. */
    public static final int LENGTH = 12;
    /** The default partition, as a full member. */
    public static final int DEFAULT_P_KEY = 0xffff;

    private static final int OPCODE_VALUE = 0;
    private static final int P_KEY = 2;
    private static final int DEST_QP = 5;
    private static final int TAIL = 8;
    private static final int LOW_24 = 0xff_ffff;

    // In the first eight bytes as a number, and in the last four.
    private static final int OPCODE_SHIFT = 56;
    private static final int PAD_SHIFT = 52;
    private static final long SE = 1L << 55;
    private static final long M = 1L << 54;
    private static final int A = 1 << 31;
    private static final int PSN = 9;

    /** Whether {@code available} bytes contain the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Opcode, 0 to 255; see {@link IbOpcode}. */
    public int opcodeValue() {
        return u8(OPCODE_VALUE);
    }

    public Bth opcodeValue(int value) {
        return u8(OPCODE_VALUE, value);
    }

    /** SE: solicited event, meaningful on the last packet of a message that consumes a receive. */
    public boolean se() {
        return flag(1, 0);
    }

    public Bth se(boolean value) {
        return flag(1, 0, value);
    }

    /** M: MigReq, set while the sender is in the state "migrated". */
    public boolean m() {
        return flag(1, 1);
    }

    public Bth m(boolean value) {
        return flag(1, 1, value);
    }

    /** PadCnt: bytes of padding after the payload, 0 to 3. */
    public int pad() {
        return bits(1, 2, 2);
    }

    public Bth pad(int value) {
        return bits(1, 2, 2, value);
    }

    /** TVer: version of the transport header, 0. */
    public int tver() {
        return bits(1, 4, 4);
    }

    public Bth tver(int value) {
        return bits(1, 4, 4, value);
    }

    /** P_Key: the partition; bit 15 is set for full members. */
    public int pKey() {
        return u16(P_KEY);
    }

    public Bth pKey(int value) {
        return u16(P_KEY, value);
    }

    /** FECN. Not used by RoCE, where IP carries the mark. */
    public boolean fecn() {
        return flag(4, 0);
    }

    public Bth fecn(boolean value) {
        return flag(4, 0, value);
    }

    /** BECN: set in a congestion notification packet. */
    public boolean becn() {
        return flag(4, 1);
    }

    public Bth becn(boolean value) {
        return flag(4, 1, value);
    }

    /** DestQP: the destination queue pair. */
    public int destQp() {
        return u24(DEST_QP);
    }

    /** The destination queue pair of a packet that begins at an offset and has at least {@link #LENGTH} bytes. */
    public static int destQp(MemorySegment packet, long at) {
        return packet.get(U32, at + DEST_QP - 1) & 0xffffff;
    }

    /** The first eight bytes of a header: all but the request for an acknowledgement and the PSN. */
    static long head(MemorySegment packet, long at) {
        return packet.get(U64, at);
    }

    /** The last four bytes of a header: the request for an acknowledgement, and the PSN. */
    static int tail(MemorySegment packet, long at) {
        return packet.get(U32, at + TAIL);
    }

    public Bth destQp(int value) {
        return u24(DEST_QP, value);
    }

    /** A: the sender requests an acknowledgement. */
    public boolean a() {
        return flag(8, 0);
    }

    public Bth a(boolean value) {
        return flag(8, 0, value);
    }

    /** PSN: packet sequence number, 24 bits that wrap; compare by difference. */
    public int psn() {
        return u24(PSN);
    }

    public Bth psn(int value) {
        return u24(PSN, value);
    }

    /** The opcode; {@link IbOpcode#RESERVED} for undefined values. */
    public IbOpcode opcode() {
        return IbOpcode.of(opcodeValue());
    }

    /**
     * The first eight bytes of a header as a number: version 0, reserved bits, FECN, BECN and PadCnt clear.
     *
     * @param se SE
     * @param m M
     */
    public static long head(IbOpcode opcode, boolean se, boolean m, int pKey, int destQp) {
        return (long) opcode.value() << OPCODE_SHIFT
                | (se ? SE : 0)
                | (m ? M : 0)
                | (long) pKey << Integer.SIZE
                | destQp & LOW_24;
    }

    /** The last four bytes of a header as a number. */
    public static int tail(boolean a, int psn) {
        return (a ? A : 0) | psn & LOW_24;
    }

    /** Writes the whole header from its numbers {@link #head} and {@link #tail}, and PadCnt. */
    public Bth set(long head, int tail, int pad) {
        u64(0, head | (long) pad << PAD_SHIFT);
        return u32(TAIL, tail);
    }

    /** Writes the whole header: version 0, reserved bits, FECN and BECN clear. */
    public Bth set(IbOpcode opcode, int destQp, int psn) {
        u32(0, opcode.value() << 24 | DEFAULT_P_KEY);
        u32(4, destQp & 0xffffff);
        return u32(8, psn & 0xffffff);
    }

    /** Appends one line such as {@code RC_SEND_ONLY qp=0x000012 psn=7 ack}. */
    public StringBuilder describe(StringBuilder out) {
        out.append(opcode()).append(" qp=0x");
        Hex.append(out, destQp(), 6).append(" psn=").append(psn());
        if (pKey() != DEFAULT_P_KEY) {
            Hex.append(out.append(" pkey=0x"), pKey(), 4);
        }
        return out.append(se() ? " se" : "").append(a() ? " ack" : "").append(becn() ? " becn" : "");
    }
}
