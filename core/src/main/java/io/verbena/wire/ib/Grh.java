package io.verbena.wire.ib;

import io.verbena.wire.Header;
import io.verbena.wire.Hex;

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
 * <p>Source: InfiniBand architecture specification, volume 1, section 8.3.
 */
public final class Grh extends Header<Grh> {
    /** Length in bytes. */
    public static final int LENGTH = 40;
    /** NxtHdr of a packet of the InfiniBand transport. */
    public static final int NEXT_HEADER_BTH = 0x1b;

    private static final int VERSION_CLASS_FLOW = 0;
    private static final int PAY_LEN = 4;
    private static final int NXT_HDR = 6;
    private static final int HOP_LMT = 7;
    private static final int SGID_HIGH = 8;
    private static final int SGID_LOW = 16;
    private static final int DGID_HIGH = 24;
    private static final int DGID_LOW = 32;

    /** Whether {@code available} bytes contain the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** IPVer (6), TClass and Flow Label in one word. */
    public int versionClassFlow() {
        return u32(VERSION_CLASS_FLOW);
    }

    public Grh versionClassFlow(int value) {
        return u32(VERSION_CLASS_FLOW, value);
    }

    /** PayLen: number of bytes after this header, including the ICRC, without the VCRC. */
    public int payLen() {
        return u16(PAY_LEN);
    }

    public Grh payLen(int value) {
        return u16(PAY_LEN, value);
    }

    /** NxtHdr: 0x1B for a BTH. */
    public int nxtHdr() {
        return u8(NXT_HDR);
    }

    public Grh nxtHdr(int value) {
        return u8(NXT_HDR, value);
    }

    /** HopLmt. */
    public int hopLmt() {
        return u8(HOP_LMT);
    }

    public Grh hopLmt(int value) {
        return u8(HOP_LMT, value);
    }

    /** SGID, first eight bytes: the subnet prefix. */
    public long sgidHigh() {
        return u64(SGID_HIGH);
    }

    public Grh sgidHigh(long value) {
        return u64(SGID_HIGH, value);
    }

    /** SGID, last eight bytes: the interface. */
    public long sgidLow() {
        return u64(SGID_LOW);
    }

    public Grh sgidLow(long value) {
        return u64(SGID_LOW, value);
    }

    /** DGID, first eight bytes. */
    public long dgidHigh() {
        return u64(DGID_HIGH);
    }

    public Grh dgidHigh(long value) {
        return u64(DGID_HIGH, value);
    }

    /** DGID, last eight bytes. */
    public long dgidLow() {
        return u64(DGID_LOW);
    }

    public Grh dgidLow(long value) {
        return u64(DGID_LOW, value);
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
