package io.verbena.wire.ib;

import io.verbena.wire.Hex;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

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
 * <p>A flyweight: {@link #wrap} points it at memory without a copy. Check {@link #fits} before use. Source:
 * InfiniBand architecture specification, volume 1, section 9.2.
 */
public final class Bth {
    /** Length in bytes. */
    public static final int LENGTH = 12;
    /** The default partition, as a full member. */
    public static final int DEFAULT_P_KEY = 0xffff;

    private static final ValueLayout.OfByte U8 = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final int OPCODE_VALUE = 0;
    private static final int P_KEY = 2;
    private static final int DEST_QP = 4;
    private static final int PSN = 8;

    private MemorySegment segment = MemorySegment.NULL;
    private long offset;

    /** Whether {@code available} bytes contain the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the header that starts at {@code offset}. */
    public Bth wrap(MemorySegment segment, long offset) {
        this.segment = segment;
        this.offset = offset;
        return this;
    }

    /** Opcode, 0 to 255; see {@link IbOpcode}. */
    public int opcodeValue() {
        return segment.get(U8, offset + OPCODE_VALUE) & 0xff;
    }

    /** Writes opcodeValue. */
    public Bth opcodeValue(int value) {
        segment.set(U8, offset + OPCODE_VALUE, (byte) value);
        return this;
    }

    /** SE: solicited event, meaningful on the last packet of a message that consumes a receive. */
    public boolean se() {
        return (segment.get(U8, offset + 1) & 0x80) != 0;
    }

    /** Writes se. */
    public Bth se(boolean value) {
        int others = segment.get(U8, offset + 1) & ~0x80;
        segment.set(U8, offset + 1, (byte) (value ? others | 0x80 : others));
        return this;
    }

    /** M: MigReq, set while the sender is in the state "migrated". */
    public boolean m() {
        return (segment.get(U8, offset + 1) & 0x40) != 0;
    }

    /** Writes m. */
    public Bth m(boolean value) {
        int others = segment.get(U8, offset + 1) & ~0x40;
        segment.set(U8, offset + 1, (byte) (value ? others | 0x40 : others));
        return this;
    }

    /** PadCnt: bytes of padding after the payload, 0 to 3. */
    public int pad() {
        return segment.get(U8, offset + 1) >> 4 & 0x3;
    }

    /** Writes pad. */
    public Bth pad(int value) {
        int others = segment.get(U8, offset + 1) & ~(0x3 << 4);
        segment.set(U8, offset + 1, (byte) (others | (value & 0x3) << 4));
        return this;
    }

    /** TVer: version of the transport header, 0. */
    public int tver() {
        return segment.get(U8, offset + 1) & 0xf;
    }

    /** Writes tver. */
    public Bth tver(int value) {
        int others = segment.get(U8, offset + 1) & ~0xf;
        segment.set(U8, offset + 1, (byte) (others | (value & 0xf)));
        return this;
    }

    /** P_Key: the partition; bit 15 is set for full members. */
    public int pKey() {
        return segment.get(U16, offset + P_KEY) & 0xffff;
    }

    /** Writes pKey. */
    public Bth pKey(int value) {
        segment.set(U16, offset + P_KEY, (short) value);
        return this;
    }

    /** FECN. Not used by RoCE, where IP carries the mark. */
    public boolean fecn() {
        return (segment.get(U8, offset + 4) & 0x80) != 0;
    }

    /** Writes fecn. */
    public Bth fecn(boolean value) {
        int others = segment.get(U8, offset + 4) & ~0x80;
        segment.set(U8, offset + 4, (byte) (value ? others | 0x80 : others));
        return this;
    }

    /** BECN: set in a congestion notification packet. */
    public boolean becn() {
        return (segment.get(U8, offset + 4) & 0x40) != 0;
    }

    /** Writes becn. */
    public Bth becn(boolean value) {
        int others = segment.get(U8, offset + 4) & ~0x40;
        segment.set(U8, offset + 4, (byte) (value ? others | 0x40 : others));
        return this;
    }

    /** DestQP: the destination queue pair. */
    public int destQp() {
        return segment.get(U32, offset + DEST_QP) & 0xffffff;
    }

    /** The destination queue pair of a packet that begins at an offset and has at least {@link #LENGTH} bytes. */
    public static int destQp(MemorySegment packet, long at) {
        return packet.get(U32, at + DEST_QP) & 0xffffff;
    }

    /** Writes destQp; keeps the byte before it. */
    public Bth destQp(int value) {
        int others = segment.get(U32, offset + DEST_QP) & 0xff000000;
        segment.set(U32, offset + DEST_QP, others | value & 0xffffff);
        return this;
    }

    /** A: the sender requests an acknowledgement. */
    public boolean a() {
        return (segment.get(U8, offset + 8) & 0x80) != 0;
    }

    /** Writes a. */
    public Bth a(boolean value) {
        int others = segment.get(U8, offset + 8) & ~0x80;
        segment.set(U8, offset + 8, (byte) (value ? others | 0x80 : others));
        return this;
    }

    /** PSN: packet sequence number, 24 bits that wrap; compare by difference. */
    public int psn() {
        return segment.get(U32, offset + PSN) & 0xffffff;
    }

    /** Writes psn; keeps the byte before it. */
    public Bth psn(int value) {
        int others = segment.get(U32, offset + PSN) & 0xff000000;
        segment.set(U32, offset + PSN, others | value & 0xffffff);
        return this;
    }

    /** The opcode; {@link IbOpcode#RESERVED} for undefined values. */
    public IbOpcode opcode() {
        return IbOpcode.of(opcodeValue());
    }

    /** Writes the whole header: version 0, reserved bits, FECN and BECN clear. */
    public Bth set(IbOpcode opcode, int destQp, int psn) {
        segment.set(U32, offset, opcode.value() << 24 | DEFAULT_P_KEY);
        segment.set(U32, offset + DEST_QP, destQp & 0xffffff);
        segment.set(U32, offset + PSN, psn & 0xffffff);
        return this;
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
