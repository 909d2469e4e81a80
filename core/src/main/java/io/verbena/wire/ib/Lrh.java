package io.verbena.wire.ib;

import io.verbena.wire.Header;

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
 * <p>Source: InfiniBand architecture specification, volume 1, section 7.7.
 */
public final class Lrh extends Header<Lrh> {
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

    private static final int DLID = 2;
    private static final int LENGTH_FIELD = 4;
    private static final int SLID = 6;

    /** Whether {@code available} bytes contain the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Writes zeros, also into the reserved bits. */
    public Lrh clear() {
        return u64(0, 0);
    }

    /** VL: the virtual lane; changes from link to link. */
    public int vl() {
        return bits(0, 0, 4);
    }

    public Lrh vl(int value) {
        return bits(0, 0, 4, value);
    }

    /** LVer: 0. */
    public int lver() {
        return bits(0, 4, 4);
    }

    public Lrh lver(int value) {
        return bits(0, 4, 4, value);
    }

    /** SL: the service level. */
    public int sl() {
        return bits(1, 0, 4);
    }

    public Lrh sl(int value) {
        return bits(1, 0, 4, value);
    }

    /** LNH, the next header: 0 raw with an EtherType, 1 raw IPv6, 2 BTH, 3 GRH. */
    public int lnh() {
        return bits(1, 6, 2);
    }

    public Lrh lnh(int value) {
        return bits(1, 6, 2, value);
    }

    /** DLID: the destination port. */
    public int dlid() {
        return u16(DLID);
    }

    public Lrh dlid(int value) {
        return u16(DLID, value);
    }

    /** Five reserved bits and PktLen. */
    public int lengthField() {
        return u16(LENGTH_FIELD);
    }

    public Lrh lengthField(int value) {
        return u16(LENGTH_FIELD, value);
    }

    /** SLID: the source port. */
    public int slid() {
        return u16(SLID);
    }

    public Lrh slid(int value) {
        return u16(SLID, value);
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
