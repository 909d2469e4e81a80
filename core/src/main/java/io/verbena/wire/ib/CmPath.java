package io.verbena.wire.ib;

import io.verbena.wire.Header;

/**
 * One path in a REQ: the primary or the alternate one.
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |            localLid           |           remoteLid           |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                            localGid                           |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                           remoteGid                           |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |               flowLabel               |  Reserved | packetRate|
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |  trafficClass |    hopLimit   |   SL  |S|  R  |    AT   |  R  |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>Source: InfiniBand architecture specification, volume 1, section 12.6.5.
 */
public final class CmPath extends Header<CmPath> {
    /** Length in bytes. */
    public static final int LENGTH = 44;

    private static final int LOCAL_LID = 0;
    private static final int REMOTE_LID = 2;
    private static final int LOCAL_GID = 4;
    private static final int REMOTE_GID = 20;
    private static final int FLOW_LABEL = 36;
    private static final int PACKET_RATE = 39;
    private static final int TRAFFIC_CLASS = 40;
    private static final int HOP_LIMIT = 41;
    private static final int SERVICE_LEVEL = 42;
    private static final int SUBNET_LOCAL = 42;
    private static final int ACK_TIMEOUT = 43;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Local Port LID; 0xffff over UDP. */
    public int localLid() {
        return u16(LOCAL_LID);
    }

    public CmPath localLid(int value) {
        return u16(LOCAL_LID, value);
    }

    /** Remote Port LID; 0xffff over UDP. */
    public int remoteLid() {
        return u16(REMOTE_LID);
    }

    public CmPath remoteLid(int value) {
        return u16(REMOTE_LID, value);
    }

    /** Local Port GID, the first eight bytes. */
    public long localGidHigh() {
        return u64(LOCAL_GID);
    }

    /** Local Port GID, the last eight bytes. */
    public long localGidLow() {
        return u64(LOCAL_GID + 8);
    }

    public CmPath localGid(long high, long low) {
        return u128(LOCAL_GID, high, low);
    }

    /** Remote Port GID, the first eight bytes. */
    public long remoteGidHigh() {
        return u64(REMOTE_GID);
    }

    /** Remote Port GID, the last eight bytes. */
    public long remoteGidLow() {
        return u64(REMOTE_GID + 8);
    }

    public CmPath remoteGid(long high, long low) {
        return u128(REMOTE_GID, high, low);
    }

    /** Flow Label. */
    public int flowLabel() {
        return u32(FLOW_LABEL) >>> 12 & 0xfffff;
    }

    public CmPath flowLabel(int value) {
        return u32(FLOW_LABEL, u32(FLOW_LABEL) & ~0xfffff000 | (value & 0xfffff) << 12);
    }

    /** Packet Rate. */
    public int packetRate() {
        return bits(PACKET_RATE, 2, 6);
    }

    public CmPath packetRate(int value) {
        return bits(PACKET_RATE, 2, 6, value);
    }

    /** Traffic Class. */
    public int trafficClass() {
        return u8(TRAFFIC_CLASS);
    }

    public CmPath trafficClass(int value) {
        return u8(TRAFFIC_CLASS, value);
    }

    /** Hop Limit. */
    public int hopLimit() {
        return u8(HOP_LIMIT);
    }

    public CmPath hopLimit(int value) {
        return u8(HOP_LIMIT, value);
    }

    /** SL. */
    public int serviceLevel() {
        return bits(SERVICE_LEVEL, 0, 4);
    }

    public CmPath serviceLevel(int value) {
        return bits(SERVICE_LEVEL, 0, 4, value);
    }

    /** Subnet Local. */
    public boolean subnetLocal() {
        return flag(SUBNET_LOCAL, 4);
    }

    public CmPath subnetLocal(boolean value) {
        return flag(SUBNET_LOCAL, 4, value);
    }

    /** Local ACK Timeout: 4.096 us times 2 to this value. */
    public int ackTimeout() {
        return bits(ACK_TIMEOUT, 0, 5);
    }

    public CmPath ackTimeout(int value) {
        return bits(ACK_TIMEOUT, 0, 5, value);
    }

    /** Appends one line. */
    public StringBuilder describe(StringBuilder out) {
        out.append("path");
        out.append(" sl=").append(serviceLevel());
        out.append(" ackTimeout=").append(ackTimeout());
        return out;
    }
}
