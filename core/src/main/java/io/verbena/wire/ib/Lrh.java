package io.verbena.wire.ib;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The Local Route Header: the first bytes of a packet in a subnet.
 *
 * <pre>
 *    0                   1                   2                   3
 * 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |   VL  |  LVer |   SL  | R |LNH|              DLID             |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |  Resv5  |        PktLen       |              SLID             |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>A flyweight: {@link #wrap} points it at memory without a copy. Check {@link #fits} before use.
 * Source: InfiniBand architecture specification, volume 1, section 7.7.
 */
public final class Lrh {
    /** Length in bytes. */
    public static final int LENGTH = 8;
    /** LNH of a packet without a GRH. */
    public static final int LOCAL = 2;
    /** LNH of a packet with a GRH. */
    public static final int GLOBAL = 3;
    /** LNH of a raw packet that starts with an EtherType. */
    public static final int RAW_ETHERTYPE = 0;
    /** LNH of a raw packet that is IPv6. */
    public static final int RAW_IPV6 = 1;

    private static final ValueLayout.OfByte U8 = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final int DLID = 2;
    private static final int LENGTH_FIELD = 4;
    private static final int SLID = 6;

    private MemorySegment segment = MemorySegment.NULL;
    private long offset;

    /** Whether {@code available} bytes contain the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the header that starts at {@code offset}. */
    public Lrh wrap(MemorySegment segment, long offset) {
        this.segment = segment;
        this.offset = offset;
        return this;
    }

    /** Writes zeros, also into the reserved bits. */
    public Lrh clear() {
        segment.set(ValueLayout.JAVA_LONG_UNALIGNED, offset, 0);
        return this;
    }

    /** VL: the virtual lane; changes from link to link. */
    public int vl() {
        return segment.get(U8, offset + 0) >> 4 & 0xf;
    }

    /** Writes vl. */
    public Lrh vl(int value) {
        int others = segment.get(U8, offset + 0) & ~(0xf << 4);
        segment.set(U8, offset + 0, (byte) (others | (value & 0xf) << 4));
        return this;
    }

    /** LVer: 0. */
    public int lver() {
        return segment.get(U8, offset + 0) & 0xf;
    }

    /** Writes lver. */
    public Lrh lver(int value) {
        int others = segment.get(U8, offset + 0) & ~0xf;
        segment.set(U8, offset + 0, (byte) (others | (value & 0xf)));
        return this;
    }

    /** SL: the service level. */
    public int sl() {
        return segment.get(U8, offset + 1) >> 4 & 0xf;
    }

    /** Writes sl. */
    public Lrh sl(int value) {
        int others = segment.get(U8, offset + 1) & ~(0xf << 4);
        segment.set(U8, offset + 1, (byte) (others | (value & 0xf) << 4));
        return this;
    }

    /** LNH, the next header: 0 raw with an EtherType, 1 raw IPv6, 2 BTH, 3 GRH. */
    public int lnh() {
        return segment.get(U8, offset + 1) & 0x3;
    }

    /** Writes lnh. */
    public Lrh lnh(int value) {
        int others = segment.get(U8, offset + 1) & ~0x3;
        segment.set(U8, offset + 1, (byte) (others | (value & 0x3)));
        return this;
    }

    /** DLID: the destination port. */
    public int dlid() {
        return segment.get(U16, offset + DLID) & 0xffff;
    }

    /** Writes dlid. */
    public Lrh dlid(int value) {
        segment.set(U16, offset + DLID, (short) value);
        return this;
    }

    /** Five reserved bits and PktLen. */
    public int lengthField() {
        return segment.get(U16, offset + LENGTH_FIELD) & 0xffff;
    }

    /** Writes lengthField. */
    public Lrh lengthField(int value) {
        segment.set(U16, offset + LENGTH_FIELD, (short) value);
        return this;
    }

    /** SLID: the source port. */
    public int slid() {
        return segment.get(U16, offset + SLID) & 0xffff;
    }

    /** Writes slid. */
    public Lrh slid(int value) {
        segment.set(U16, offset + SLID, (short) value);
        return this;
    }

    /** PktLen: 4-byte words from the first byte of this header up to the one before the VCRC. */
    public int pktLen() {
        return lengthField() & 0x7ff;
    }

    /** Writes PktLen and clears the reserved bits. */
    public Lrh pktLen(int words) {
        return lengthField(words & 0x7ff);
    }

    /** Appends one line such as {@code LRH 3 to 7 sl=0 vl=0 88 B}. */
    public StringBuilder describe(StringBuilder out) {
        out.append("LRH ")
                .append(slid())
                .append(" to ")
                .append(dlid())
                .append(" sl=")
                .append(sl());
        return out.append(" vl=").append(vl()).append(' ').append(4 * pktLen()).append(" B");
    }
}
