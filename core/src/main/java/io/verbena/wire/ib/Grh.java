package io.verbena.wire.ib;

import io.verbena.wire.Hex;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The Global Route Header: an IPv6 header; also the first 40 bytes of every received datagram.
 *
 * <pre>
 *    0                   1                   2                   3
 * 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   | IPVer |     TClass    |               Flow Label              |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |             PayLen            |     NxtHdr    |     HopLmt    |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                        SGID (16 bytes)                        |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                        DGID (16 bytes)                        |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>A flyweight: {@link #wrap} points it at memory without a copy. Check {@link #fits} before use.
 * Source: InfiniBand architecture specification, volume 1, section 8.3.
 */
public final class Grh {
    /** Length in bytes. */
    public static final int LENGTH = 40;
    /** NxtHdr of a packet of the InfiniBand transport. */
    public static final int NEXT_HEADER_BTH = 0x1b;

    private static final ValueLayout.OfByte U8 = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final int VERSION_CLASS_FLOW = 0;
    private static final int PAY_LEN = 4;
    private static final int NXT_HDR = 6;
    private static final int HOP_LMT = 7;
    private static final int SGID_HIGH = 8;
    private static final int SGID_LOW = 16;
    private static final int DGID_HIGH = 24;
    private static final int DGID_LOW = 32;

    private MemorySegment segment = MemorySegment.NULL;
    private long offset;

    /** Whether {@code available} bytes contain the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the header that starts at {@code offset}. */
    public Grh wrap(MemorySegment segment, long offset) {
        this.segment = segment;
        this.offset = offset;
        return this;
    }

    /** IPVer (6), TClass and Flow Label in one word. */
    public int versionClassFlow() {
        return segment.get(U32, offset + VERSION_CLASS_FLOW);
    }

    /** Writes versionClassFlow. */
    public Grh versionClassFlow(int value) {
        segment.set(U32, offset + VERSION_CLASS_FLOW, value);
        return this;
    }

    /** PayLen: number of bytes after this header, including the ICRC, without the VCRC. */
    public int payLen() {
        return segment.get(U16, offset + PAY_LEN) & 0xffff;
    }

    /** Writes payLen. */
    public Grh payLen(int value) {
        segment.set(U16, offset + PAY_LEN, (short) value);
        return this;
    }

    /** NxtHdr: 0x1B for a BTH. */
    public int nxtHdr() {
        return segment.get(U8, offset + NXT_HDR) & 0xff;
    }

    /** Writes nxtHdr. */
    public Grh nxtHdr(int value) {
        segment.set(U8, offset + NXT_HDR, (byte) value);
        return this;
    }

    /** HopLmt. */
    public int hopLmt() {
        return segment.get(U8, offset + HOP_LMT) & 0xff;
    }

    /** Writes hopLmt. */
    public Grh hopLmt(int value) {
        segment.set(U8, offset + HOP_LMT, (byte) value);
        return this;
    }

    /** SGID, first eight bytes: the subnet prefix. */
    public long sgidHigh() {
        return segment.get(U64, offset + SGID_HIGH);
    }

    /** Writes sgidHigh. */
    public Grh sgidHigh(long value) {
        segment.set(U64, offset + SGID_HIGH, value);
        return this;
    }

    /** SGID, last eight bytes: the interface. */
    public long sgidLow() {
        return segment.get(U64, offset + SGID_LOW);
    }

    /** Writes sgidLow. */
    public Grh sgidLow(long value) {
        segment.set(U64, offset + SGID_LOW, value);
        return this;
    }

    /** DGID, first eight bytes. */
    public long dgidHigh() {
        return segment.get(U64, offset + DGID_HIGH);
    }

    /** Writes dgidHigh. */
    public Grh dgidHigh(long value) {
        segment.set(U64, offset + DGID_HIGH, value);
        return this;
    }

    /** DGID, last eight bytes. */
    public long dgidLow() {
        return segment.get(U64, offset + DGID_LOW);
    }

    /** Writes dgidLow. */
    public Grh dgidLow(long value) {
        segment.set(U64, offset + DGID_LOW, value);
        return this;
    }

    /** TClass. */
    public int tClass() {
        return versionClassFlow() >>> 20 & 0xff;
    }

    /** Flow Label, 20 bits. */
    public int flowLabel() {
        return versionClassFlow() & 0xfffff;
    }

    /** Writes version 6, TClass and Flow Label. */
    public Grh classAndFlow(int tClass, int flowLabel) {
        return versionClassFlow(6 << 28 | (tClass & 0xff) << 20 | flowLabel & 0xfffff);
    }

    /** Appends one line such as {@code GRH fe80000000000000:0000000000000001 to fe80000000000000:0000000000000002}. */
    public StringBuilder describe(StringBuilder out) {
        Hex.append(out.append("GRH "), sgidHigh(), 16);
        Hex.append(out.append(':'), sgidLow(), 16);
        Hex.append(out.append(" to "), dgidHigh(), 16);
        return Hex.append(out.append(':'), dgidLow(), 16);
    }
}
