package io.verbena.wire.ib;

import io.verbena.wire.Header;
import io.verbena.wire.Hex;

/**
 * LoadAlternatePath (LAP): proposes an alternate path for a connection.
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                          localCommId                          |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                          remoteCommId                         |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                            Reserved                           |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                   remoteQpn                   |   RRT   |  R  |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                            Reserved                           |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |       alternateLocalLid       |       alternateRemoteLid      |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                       alternateLocalGid                       |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                       alternateRemoteGid                      |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |           alternateFlowLabel          |   R   |      ATC      |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |      AHL      | R |    APR    |  ASL  |A|  R  |   AAT   |  R  |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                    Private data, 168 bytes                    |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>Source: InfiniBand architecture specification, volume 1, section 12.8.1.
 */
public final class CmLap extends Header<CmLap> {
    /** Length in bytes. */
    public static final int LENGTH = 232;

    /** Maximum length of private data in bytes. */
    public static final int PRIVATE_DATA_BYTES = 168;

    private static final int LOCAL_COMM_ID = 0;
    private static final int REMOTE_COMM_ID = 4;
    private static final int REMOTE_QPN = 12;
    private static final int REMOTE_RESPONSE_TIMEOUT = 15;
    private static final int ALTERNATE_LOCAL_LID = 20;
    private static final int ALTERNATE_REMOTE_LID = 22;
    private static final int ALTERNATE_LOCAL_GID = 24;
    private static final int ALTERNATE_REMOTE_GID = 40;
    private static final int ALTERNATE_FLOW_LABEL = 56;
    private static final int ALTERNATE_TRAFFIC_CLASS = 59;
    private static final int ALTERNATE_HOP_LIMIT = 60;
    private static final int ALTERNATE_PACKET_RATE = 61;
    private static final int ALTERNATE_SERVICE_LEVEL = 62;
    private static final int ALTERNATE_SUBNET_LOCAL = 62;
    private static final int ALTERNATE_ACK_TIMEOUT = 63;
    private static final int PRIVATE_DATA = 64;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Local Communication ID: the sender's number of the connection. */
    public int localCommId() {
        return u32(LOCAL_COMM_ID);
    }

    public CmLap localCommId(int value) {
        return u32(LOCAL_COMM_ID, value);
    }

    /** Remote Communication ID: the receiver's number of the connection. */
    public int remoteCommId() {
        return u32(REMOTE_COMM_ID);
    }

    public CmLap remoteCommId(int value) {
        return u32(REMOTE_COMM_ID, value);
    }

    /** Remote QPN/EECN: the receiver's. */
    public int remoteQpn() {
        return u24(REMOTE_QPN);
    }

    public CmLap remoteQpn(int value) {
        return u24(REMOTE_QPN, value);
    }

    /** Remote CM Response Timeout. */
    public int remoteResponseTimeout() {
        return bits(REMOTE_RESPONSE_TIMEOUT, 0, 5);
    }

    public CmLap remoteResponseTimeout(int value) {
        return bits(REMOTE_RESPONSE_TIMEOUT, 0, 5, value);
    }

    /** Alternate Local Port LID. */
    public int alternateLocalLid() {
        return u16(ALTERNATE_LOCAL_LID);
    }

    public CmLap alternateLocalLid(int value) {
        return u16(ALTERNATE_LOCAL_LID, value);
    }

    /** Alternate Remote Port LID. */
    public int alternateRemoteLid() {
        return u16(ALTERNATE_REMOTE_LID);
    }

    public CmLap alternateRemoteLid(int value) {
        return u16(ALTERNATE_REMOTE_LID, value);
    }

    /** Alternate Local Port GID, the first eight bytes. */
    public long alternateLocalGidHigh() {
        return u64(ALTERNATE_LOCAL_GID);
    }

    /** Alternate Local Port GID, the last eight bytes. */
    public long alternateLocalGidLow() {
        return u64(ALTERNATE_LOCAL_GID + 8);
    }

    public CmLap alternateLocalGid(long high, long low) {
        return u128(ALTERNATE_LOCAL_GID, high, low);
    }

    /** Alternate Remote Port GID, the first eight bytes. */
    public long alternateRemoteGidHigh() {
        return u64(ALTERNATE_REMOTE_GID);
    }

    /** Alternate Remote Port GID, the last eight bytes. */
    public long alternateRemoteGidLow() {
        return u64(ALTERNATE_REMOTE_GID + 8);
    }

    public CmLap alternateRemoteGid(long high, long low) {
        return u128(ALTERNATE_REMOTE_GID, high, low);
    }

    /** Alternate Flow Label. */
    public int alternateFlowLabel() {
        return u32(ALTERNATE_FLOW_LABEL) >>> 12 & 0xfffff;
    }

    public CmLap alternateFlowLabel(int value) {
        return u32(ALTERNATE_FLOW_LABEL, u32(ALTERNATE_FLOW_LABEL) & ~0xfffff000 | (value & 0xfffff) << 12);
    }

    /** Alternate Traffic Class. */
    public int alternateTrafficClass() {
        return u8(ALTERNATE_TRAFFIC_CLASS);
    }

    public CmLap alternateTrafficClass(int value) {
        return u8(ALTERNATE_TRAFFIC_CLASS, value);
    }

    /** Alternate Hop Limit. */
    public int alternateHopLimit() {
        return u8(ALTERNATE_HOP_LIMIT);
    }

    public CmLap alternateHopLimit(int value) {
        return u8(ALTERNATE_HOP_LIMIT, value);
    }

    /** Alternate Packet Rate. */
    public int alternatePacketRate() {
        return bits(ALTERNATE_PACKET_RATE, 2, 6);
    }

    public CmLap alternatePacketRate(int value) {
        return bits(ALTERNATE_PACKET_RATE, 2, 6, value);
    }

    /** Alternate SL. */
    public int alternateServiceLevel() {
        return bits(ALTERNATE_SERVICE_LEVEL, 0, 4);
    }

    public CmLap alternateServiceLevel(int value) {
        return bits(ALTERNATE_SERVICE_LEVEL, 0, 4, value);
    }

    /** Alternate Subnet Local. */
    public boolean alternateSubnetLocal() {
        return flag(ALTERNATE_SUBNET_LOCAL, 4);
    }

    public CmLap alternateSubnetLocal(boolean value) {
        return flag(ALTERNATE_SUBNET_LOCAL, 4, value);
    }

    /** Alternate Local ACK Timeout. */
    public int alternateAckTimeout() {
        return bits(ALTERNATE_ACK_TIMEOUT, 0, 5);
    }

    public CmLap alternateAckTimeout(int value) {
        return bits(ALTERNATE_ACK_TIMEOUT, 0, 5, value);
    }

    /** The private data, including trailing zeros. */
    public byte[] privateData() {
        return bytes(PRIVATE_DATA, PRIVATE_DATA_BYTES);
    }

    public CmLap privateData(byte[] data) {
        return bytes(PRIVATE_DATA, PRIVATE_DATA_BYTES, data);
    }

    /** Appends one line. */
    public StringBuilder describe(StringBuilder out) {
        out.append("LAP");
        Hex.append(out.append(" local=0x"), localCommId(), 8);
        Hex.append(out.append(" remote=0x"), remoteCommId(), 8);
        Hex.append(out.append(" qp=0x"), remoteQpn(), 6);
        return out;
    }
}
