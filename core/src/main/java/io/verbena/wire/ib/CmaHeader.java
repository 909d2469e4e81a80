package io.verbena.wire.ib;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The header of the RDMA IP connection manager (rdma_cm), which precedes the private data of the application in a REQ
 * or SIDR_REQ.
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |   MV  |   MV  |   IV  |   R   |           sourcePort          |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                             source                            |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                             target                            |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>A flyweight: {@link #wrap} points it at memory without a copy. Check {@link #fits} before use. Source:
 * InfiniBand architecture specification, annex A11 (RDMA IP CM service).
 */
public final class CmaHeader {
    /** Length in bytes. */
    public static final int LENGTH = 36;

    private static final ValueLayout.OfByte U8 = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final int MAJOR_VERSION = 0;
    private static final int MINOR_VERSION = 0;
    private static final int IP_VERSION = 1;
    private static final int SOURCE_PORT = 2;
    private static final int SOURCE = 4;
    private static final int TARGET = 20;

    private MemorySegment segment = MemorySegment.NULL;
    private long offset;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the structure that starts at {@code offset}. */
    public CmaHeader wrap(MemorySegment segment, long offset) {
        this.segment = segment;
        this.offset = offset;
        return this;
    }

    /** Major version: 0. */
    public int majorVersion() {
        return segment.get(U8, offset + MAJOR_VERSION) >>> 4 & 0xf;
    }

    /** Writes majorVersion. */
    public CmaHeader majorVersion(int value) {
        segment.set(U8, offset + MAJOR_VERSION, (byte)
                (segment.get(U8, offset + MAJOR_VERSION) & ~0xf0 | (value & 0xf) << 4));
        return this;
    }

    /** Minor version: 0. */
    public int minorVersion() {
        return segment.get(U8, offset + MINOR_VERSION) & 0xf;
    }

    /** Writes minorVersion. */
    public CmaHeader minorVersion(int value) {
        segment.set(
                U8, offset + MINOR_VERSION, (byte) (segment.get(U8, offset + MINOR_VERSION) & ~0xf | (value & 0xf)));
        return this;
    }

    /** IP version: 4 or 6. */
    public int ipVersion() {
        return segment.get(U8, offset + IP_VERSION) >>> 4 & 0xf;
    }

    /** Writes ipVersion. */
    public CmaHeader ipVersion(int value) {
        segment.set(
                U8, offset + IP_VERSION, (byte) (segment.get(U8, offset + IP_VERSION) & ~0xf0 | (value & 0xf) << 4));
        return this;
    }

    /** Source port. */
    public int sourcePort() {
        return segment.get(U16, offset + SOURCE_PORT) & 0xffff;
    }

    /** Writes sourcePort. */
    public CmaHeader sourcePort(int value) {
        segment.set(U16, offset + SOURCE_PORT, (short) value);
        return this;
    }

    /** Source address; IPv4 in the last four bytes, the first eight bytes. */
    public long sourceHigh() {
        return segment.get(U64, offset + SOURCE);
    }

    /** Source address; IPv4 in the last four bytes, the last eight bytes. */
    public long sourceLow() {
        return segment.get(U64, offset + SOURCE + 8);
    }

    /** Writes source. */
    public CmaHeader source(long high, long low) {
        segment.set(U64, offset + SOURCE, high);
        segment.set(U64, offset + SOURCE + 8, low);
        return this;
    }

    /** Destination address; IPv4 in the last four bytes, the first eight bytes. */
    public long targetHigh() {
        return segment.get(U64, offset + TARGET);
    }

    /** Destination address; IPv4 in the last four bytes, the last eight bytes. */
    public long targetLow() {
        return segment.get(U64, offset + TARGET + 8);
    }

    /** Writes target. */
    public CmaHeader target(long high, long low) {
        segment.set(U64, offset + TARGET, high);
        segment.set(U64, offset + TARGET + 8, low);
        return this;
    }

    /** Appends one line. */
    public StringBuilder describe(StringBuilder out) {
        out.append("IP CM");
        out.append(" version=").append(ipVersion());
        out.append(" port=").append(sourcePort());
        return out;
    }
}
