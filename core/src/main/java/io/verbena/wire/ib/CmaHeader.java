package io.verbena.wire.ib;

import io.verbena.wire.Header;

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
 * <p>Source: InfiniBand architecture specification, annex A11 (RDMA IP CM service).
 */
public final class CmaHeader extends Header<CmaHeader> {
    /** Length in bytes. */
    public static final int LENGTH = 36;

    private static final int MAJOR_VERSION = 0;
    private static final int MINOR_VERSION = 0;
    private static final int IP_VERSION = 1;
    private static final int SOURCE_PORT = 2;
    private static final int SOURCE = 4;
    private static final int TARGET = 20;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Major version: 0. */
    public int majorVersion() {
        return bits(MAJOR_VERSION, 0, 4);
    }

    public CmaHeader majorVersion(int value) {
        return bits(MAJOR_VERSION, 0, 4, value);
    }

    /** Minor version: 0. */
    public int minorVersion() {
        return bits(MINOR_VERSION, 4, 4);
    }

    public CmaHeader minorVersion(int value) {
        return bits(MINOR_VERSION, 4, 4, value);
    }

    /** IP version: 4 or 6. */
    public int ipVersion() {
        return bits(IP_VERSION, 0, 4);
    }

    public CmaHeader ipVersion(int value) {
        return bits(IP_VERSION, 0, 4, value);
    }

    /** Source port. */
    public int sourcePort() {
        return u16(SOURCE_PORT);
    }

    public CmaHeader sourcePort(int value) {
        return u16(SOURCE_PORT, value);
    }

    /** Source address; IPv4 in the last four bytes, the first eight bytes. */
    public long sourceHigh() {
        return u64(SOURCE);
    }

    /** Source address; IPv4 in the last four bytes, the last eight bytes. */
    public long sourceLow() {
        return u64(SOURCE + 8);
    }

    public CmaHeader source(long high, long low) {
        return u128(SOURCE, high, low);
    }

    /** Destination address; IPv4 in the last four bytes, the first eight bytes. */
    public long targetHigh() {
        return u64(TARGET);
    }

    /** Destination address; IPv4 in the last four bytes, the last eight bytes. */
    public long targetLow() {
        return u64(TARGET + 8);
    }

    public CmaHeader target(long high, long low) {
        return u128(TARGET, high, low);
    }

    /** Appends one line. */
    public StringBuilder describe(StringBuilder out) {
        out.append("IP CM");
        out.append(" version=").append(ipVersion());
        out.append(" port=").append(sourcePort());
        return out;
    }
}
