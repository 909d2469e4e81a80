package io.verbena.wire.ib;

import io.verbena.wire.Hex;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

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
 * <p>A flyweight: {@link #wrap} points it at memory without a copy. Check {@link #fits} before use.
 * Source: InfiniBand architecture specification, volume 1, section 12.8.1.
 */
public final class CmLap {
    /** Length in bytes. */
    public static final int LENGTH = 232;

    /** Maximum length of private data in bytes. */
    public static final int PRIVATE_DATA_BYTES = 168;

    private static final ValueLayout.OfByte U8 = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

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

    private MemorySegment segment = MemorySegment.NULL;
    private long offset;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the structure that starts at {@code offset}. */
    public CmLap wrap(MemorySegment segment, long offset) {
        this.segment = segment;
        this.offset = offset;
        return this;
    }

    /** Local Communication ID: the sender's number of the connection. */
    public int localCommId() {
        return segment.get(U32, offset + LOCAL_COMM_ID);
    }

    /** Writes localCommId. */
    public CmLap localCommId(int value) {
        segment.set(U32, offset + LOCAL_COMM_ID, value);
        return this;
    }

    /** Remote Communication ID: the receiver's number of the connection. */
    public int remoteCommId() {
        return segment.get(U32, offset + REMOTE_COMM_ID);
    }

    /** Writes remoteCommId. */
    public CmLap remoteCommId(int value) {
        segment.set(U32, offset + REMOTE_COMM_ID, value);
        return this;
    }

    /** Remote QPN/EECN: the receiver's. */
    public int remoteQpn() {
        return segment.get(U32, offset + REMOTE_QPN) >>> 8 & 0xffffff;
    }

    /** Writes remoteQpn. */
    public CmLap remoteQpn(int value) {
        segment.set(
                U32,
                offset + REMOTE_QPN,
                segment.get(U32, offset + REMOTE_QPN) & ~0xffffff00 | (value & 0xffffff) << 8);
        return this;
    }

    /** Remote CM Response Timeout. */
    public int remoteResponseTimeout() {
        return segment.get(U8, offset + REMOTE_RESPONSE_TIMEOUT) >>> 3 & 0x1f;
    }

    /** Writes remoteResponseTimeout. */
    public CmLap remoteResponseTimeout(int value) {
        segment.set(U8, offset + REMOTE_RESPONSE_TIMEOUT, (byte)
                (segment.get(U8, offset + REMOTE_RESPONSE_TIMEOUT) & ~0xf8 | (value & 0x1f) << 3));
        return this;
    }

    /** Alternate Local Port LID. */
    public int alternateLocalLid() {
        return segment.get(U16, offset + ALTERNATE_LOCAL_LID) & 0xffff;
    }

    /** Writes alternateLocalLid. */
    public CmLap alternateLocalLid(int value) {
        segment.set(U16, offset + ALTERNATE_LOCAL_LID, (short) value);
        return this;
    }

    /** Alternate Remote Port LID. */
    public int alternateRemoteLid() {
        return segment.get(U16, offset + ALTERNATE_REMOTE_LID) & 0xffff;
    }

    /** Writes alternateRemoteLid. */
    public CmLap alternateRemoteLid(int value) {
        segment.set(U16, offset + ALTERNATE_REMOTE_LID, (short) value);
        return this;
    }

    /** Alternate Local Port GID, the first eight bytes. */
    public long alternateLocalGidHigh() {
        return segment.get(U64, offset + ALTERNATE_LOCAL_GID);
    }

    /** Alternate Local Port GID, the last eight bytes. */
    public long alternateLocalGidLow() {
        return segment.get(U64, offset + ALTERNATE_LOCAL_GID + 8);
    }

    /** Writes alternateLocalGid. */
    public CmLap alternateLocalGid(long high, long low) {
        segment.set(U64, offset + ALTERNATE_LOCAL_GID, high);
        segment.set(U64, offset + ALTERNATE_LOCAL_GID + 8, low);
        return this;
    }

    /** Alternate Remote Port GID, the first eight bytes. */
    public long alternateRemoteGidHigh() {
        return segment.get(U64, offset + ALTERNATE_REMOTE_GID);
    }

    /** Alternate Remote Port GID, the last eight bytes. */
    public long alternateRemoteGidLow() {
        return segment.get(U64, offset + ALTERNATE_REMOTE_GID + 8);
    }

    /** Writes alternateRemoteGid. */
    public CmLap alternateRemoteGid(long high, long low) {
        segment.set(U64, offset + ALTERNATE_REMOTE_GID, high);
        segment.set(U64, offset + ALTERNATE_REMOTE_GID + 8, low);
        return this;
    }

    /** Alternate Flow Label. */
    public int alternateFlowLabel() {
        return segment.get(U32, offset + ALTERNATE_FLOW_LABEL) >>> 12 & 0xfffff;
    }

    /** Writes alternateFlowLabel. */
    public CmLap alternateFlowLabel(int value) {
        segment.set(
                U32,
                offset + ALTERNATE_FLOW_LABEL,
                segment.get(U32, offset + ALTERNATE_FLOW_LABEL) & ~0xfffff000 | (value & 0xfffff) << 12);
        return this;
    }

    /** Alternate Traffic Class. */
    public int alternateTrafficClass() {
        return segment.get(U8, offset + ALTERNATE_TRAFFIC_CLASS) & 0xff;
    }

    /** Writes alternateTrafficClass. */
    public CmLap alternateTrafficClass(int value) {
        segment.set(U8, offset + ALTERNATE_TRAFFIC_CLASS, (byte) value);
        return this;
    }

    /** Alternate Hop Limit. */
    public int alternateHopLimit() {
        return segment.get(U8, offset + ALTERNATE_HOP_LIMIT) & 0xff;
    }

    /** Writes alternateHopLimit. */
    public CmLap alternateHopLimit(int value) {
        segment.set(U8, offset + ALTERNATE_HOP_LIMIT, (byte) value);
        return this;
    }

    /** Alternate Packet Rate. */
    public int alternatePacketRate() {
        return segment.get(U8, offset + ALTERNATE_PACKET_RATE) & 0x3f;
    }

    /** Writes alternatePacketRate. */
    public CmLap alternatePacketRate(int value) {
        segment.set(U8, offset + ALTERNATE_PACKET_RATE, (byte)
                (segment.get(U8, offset + ALTERNATE_PACKET_RATE) & ~0x3f | (value & 0x3f)));
        return this;
    }

    /** Alternate SL. */
    public int alternateServiceLevel() {
        return segment.get(U8, offset + ALTERNATE_SERVICE_LEVEL) >>> 4 & 0xf;
    }

    /** Writes alternateServiceLevel. */
    public CmLap alternateServiceLevel(int value) {
        segment.set(U8, offset + ALTERNATE_SERVICE_LEVEL, (byte)
                (segment.get(U8, offset + ALTERNATE_SERVICE_LEVEL) & ~0xf0 | (value & 0xf) << 4));
        return this;
    }

    /** Alternate Subnet Local. */
    public boolean alternateSubnetLocal() {
        return (segment.get(U8, offset + ALTERNATE_SUBNET_LOCAL) & 0x8) != 0;
    }

    /** Writes alternateSubnetLocal. */
    public CmLap alternateSubnetLocal(boolean value) {
        int others = segment.get(U8, offset + ALTERNATE_SUBNET_LOCAL) & ~0x8;
        segment.set(U8, offset + ALTERNATE_SUBNET_LOCAL, (byte) (value ? others | 0x8 : others));
        return this;
    }

    /** Alternate Local ACK Timeout. */
    public int alternateAckTimeout() {
        return segment.get(U8, offset + ALTERNATE_ACK_TIMEOUT) >>> 3 & 0x1f;
    }

    /** Writes alternateAckTimeout. */
    public CmLap alternateAckTimeout(int value) {
        segment.set(U8, offset + ALTERNATE_ACK_TIMEOUT, (byte)
                (segment.get(U8, offset + ALTERNATE_ACK_TIMEOUT) & ~0xf8 | (value & 0x1f) << 3));
        return this;
    }

    /** The private data, including trailing zeros. */
    public byte[] privateData() {
        return segment.asSlice(offset + PRIVATE_DATA, PRIVATE_DATA_BYTES).toArray(U8);
    }

    /** Writes the private data and fills the rest with zeros. */
    public CmLap privateData(byte[] data) {
        MemorySegment target =
                segment.asSlice(offset + PRIVATE_DATA, PRIVATE_DATA_BYTES).fill((byte) 0);
        MemorySegment.copy(data, 0, target, U8, 0, Math.min(data.length, PRIVATE_DATA_BYTES));
        return this;
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
