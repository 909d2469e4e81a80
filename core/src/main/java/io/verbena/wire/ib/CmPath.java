package io.verbena.wire.ib;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

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
 * <p>A flyweight: {@link #wrap} points it at memory without a copy. Check {@link #fits} before use.
 * Source: InfiniBand architecture specification, volume 1, section 12.6.5.
 */
public final class CmPath {
    /** Length in bytes. */
    public static final int LENGTH = 44;

    private static final ValueLayout.OfByte U8 = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

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

    private MemorySegment segment = MemorySegment.NULL;
    private long offset;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the structure that starts at {@code offset}. */
    public CmPath wrap(MemorySegment segment, long offset) {
        this.segment = segment;
        this.offset = offset;
        return this;
    }

    /** Local Port LID; 0xffff over UDP. */
    public int localLid() {
        return segment.get(U16, offset + LOCAL_LID) & 0xffff;
    }

    /** Writes localLid. */
    public CmPath localLid(int value) {
        segment.set(U16, offset + LOCAL_LID, (short) value);
        return this;
    }

    /** Remote Port LID; 0xffff over UDP. */
    public int remoteLid() {
        return segment.get(U16, offset + REMOTE_LID) & 0xffff;
    }

    /** Writes remoteLid. */
    public CmPath remoteLid(int value) {
        segment.set(U16, offset + REMOTE_LID, (short) value);
        return this;
    }

    /** Local Port GID, the first eight bytes. */
    public long localGidHigh() {
        return segment.get(U64, offset + LOCAL_GID);
    }

    /** Local Port GID, the last eight bytes. */
    public long localGidLow() {
        return segment.get(U64, offset + LOCAL_GID + 8);
    }

    /** Writes localGid. */
    public CmPath localGid(long high, long low) {
        segment.set(U64, offset + LOCAL_GID, high);
        segment.set(U64, offset + LOCAL_GID + 8, low);
        return this;
    }

    /** Remote Port GID, the first eight bytes. */
    public long remoteGidHigh() {
        return segment.get(U64, offset + REMOTE_GID);
    }

    /** Remote Port GID, the last eight bytes. */
    public long remoteGidLow() {
        return segment.get(U64, offset + REMOTE_GID + 8);
    }

    /** Writes remoteGid. */
    public CmPath remoteGid(long high, long low) {
        segment.set(U64, offset + REMOTE_GID, high);
        segment.set(U64, offset + REMOTE_GID + 8, low);
        return this;
    }

    /** Flow Label. */
    public int flowLabel() {
        return segment.get(U32, offset + FLOW_LABEL) >>> 12 & 0xfffff;
    }

    /** Writes flowLabel. */
    public CmPath flowLabel(int value) {
        segment.set(
                U32,
                offset + FLOW_LABEL,
                segment.get(U32, offset + FLOW_LABEL) & ~0xfffff000 | (value & 0xfffff) << 12);
        return this;
    }

    /** Packet Rate. */
    public int packetRate() {
        return segment.get(U8, offset + PACKET_RATE) & 0x3f;
    }

    /** Writes packetRate. */
    public CmPath packetRate(int value) {
        segment.set(U8, offset + PACKET_RATE, (byte) (segment.get(U8, offset + PACKET_RATE) & ~0x3f | (value & 0x3f)));
        return this;
    }

    /** Traffic Class. */
    public int trafficClass() {
        return segment.get(U8, offset + TRAFFIC_CLASS) & 0xff;
    }

    /** Writes trafficClass. */
    public CmPath trafficClass(int value) {
        segment.set(U8, offset + TRAFFIC_CLASS, (byte) value);
        return this;
    }

    /** Hop Limit. */
    public int hopLimit() {
        return segment.get(U8, offset + HOP_LIMIT) & 0xff;
    }

    /** Writes hopLimit. */
    public CmPath hopLimit(int value) {
        segment.set(U8, offset + HOP_LIMIT, (byte) value);
        return this;
    }

    /** SL. */
    public int serviceLevel() {
        return segment.get(U8, offset + SERVICE_LEVEL) >>> 4 & 0xf;
    }

    /** Writes serviceLevel. */
    public CmPath serviceLevel(int value) {
        segment.set(U8, offset + SERVICE_LEVEL, (byte)
                (segment.get(U8, offset + SERVICE_LEVEL) & ~0xf0 | (value & 0xf) << 4));
        return this;
    }

    /** Subnet Local. */
    public boolean subnetLocal() {
        return (segment.get(U8, offset + SUBNET_LOCAL) & 0x8) != 0;
    }

    /** Writes subnetLocal. */
    public CmPath subnetLocal(boolean value) {
        int others = segment.get(U8, offset + SUBNET_LOCAL) & ~0x8;
        segment.set(U8, offset + SUBNET_LOCAL, (byte) (value ? others | 0x8 : others));
        return this;
    }

    /** Local ACK Timeout: 4.096 us times 2 to this value. */
    public int ackTimeout() {
        return segment.get(U8, offset + ACK_TIMEOUT) >>> 3 & 0x1f;
    }

    /** Writes ackTimeout. */
    public CmPath ackTimeout(int value) {
        segment.set(
                U8, offset + ACK_TIMEOUT, (byte) (segment.get(U8, offset + ACK_TIMEOUT) & ~0xf8 | (value & 0x1f) << 3));
        return this;
    }

    /** Appends one line. */
    public StringBuilder describe(StringBuilder out) {
        out.append("path");
        out.append(" sl=").append(serviceLevel());
        out.append(" ackTimeout=").append(ackTimeout());
        return out;
    }
}
