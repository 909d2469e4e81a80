package io.verbena.wire.ib;

import io.verbena.wire.Hex;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * ConnectReply (REP): accepts a request.
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                          localCommId                          |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                          remoteCommId                         |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                           localQKey                           |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                    localQpn                   |    Reserved   |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                   localEecn                   |    Reserved   |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                  startingPsn                  |    Reserved   |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |       RR      | initiatorDepth|   TAD   | FA|E| RRC |S|   R   |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                          localCaGuid                          |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                    Private data, 196 bytes                    |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>A flyweight: {@link #wrap} points it at memory without a copy. Check {@link #fits} before use.
 * Source: InfiniBand architecture specification, volume 1, section 12.6.8.
 */
public final class CmRep {
    /** Length in bytes. */
    public static final int LENGTH = 232;

    /** Maximum length of private data in bytes. */
    public static final int PRIVATE_DATA_BYTES = 196;

    private static final ValueLayout.OfByte U8 = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final int LOCAL_COMM_ID = 0;
    private static final int REMOTE_COMM_ID = 4;
    private static final int LOCAL_Q_KEY = 8;
    private static final int LOCAL_QPN = 12;
    private static final int LOCAL_EECN = 16;
    private static final int STARTING_PSN = 20;
    private static final int RESPONDER_RESOURCES = 24;
    private static final int INITIATOR_DEPTH = 25;
    private static final int TARGET_ACK_DELAY = 26;
    private static final int FAILOVER_ACCEPTED = 26;
    private static final int END_TO_END_FLOW_CONTROL = 26;
    private static final int RNR_RETRY_COUNT = 27;
    private static final int SRQ = 27;
    private static final int LOCAL_CA_GUID = 28;
    private static final int PRIVATE_DATA = 36;

    private MemorySegment segment = MemorySegment.NULL;
    private long offset;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the structure that starts at {@code offset}. */
    public CmRep wrap(MemorySegment segment, long offset) {
        this.segment = segment;
        this.offset = offset;
        return this;
    }

    /** Local Communication ID: the sender's number of the connection. */
    public int localCommId() {
        return segment.get(U32, offset + LOCAL_COMM_ID);
    }

    /** Writes localCommId. */
    public CmRep localCommId(int value) {
        segment.set(U32, offset + LOCAL_COMM_ID, value);
        return this;
    }

    /** Remote Communication ID: the receiver's number of the connection. */
    public int remoteCommId() {
        return segment.get(U32, offset + REMOTE_COMM_ID);
    }

    /** Writes remoteCommId. */
    public CmRep remoteCommId(int value) {
        segment.set(U32, offset + REMOTE_COMM_ID, value);
        return this;
    }

    /** Local Q_Key, of reliable datagrams. */
    public int localQKey() {
        return segment.get(U32, offset + LOCAL_Q_KEY);
    }

    /** Writes localQKey. */
    public CmRep localQKey(int value) {
        segment.set(U32, offset + LOCAL_Q_KEY, value);
        return this;
    }

    /** Local QPN of the sender. */
    public int localQpn() {
        return segment.get(U32, offset + LOCAL_QPN) >>> 8 & 0xffffff;
    }

    /** Writes localQpn. */
    public CmRep localQpn(int value) {
        segment.set(
                U32, offset + LOCAL_QPN, segment.get(U32, offset + LOCAL_QPN) & ~0xffffff00 | (value & 0xffffff) << 8);
        return this;
    }

    /** Local EE Context Number, of reliable datagrams. */
    public int localEecn() {
        return segment.get(U32, offset + LOCAL_EECN) >>> 8 & 0xffffff;
    }

    /** Writes localEecn. */
    public CmRep localEecn(int value) {
        segment.set(
                U32,
                offset + LOCAL_EECN,
                segment.get(U32, offset + LOCAL_EECN) & ~0xffffff00 | (value & 0xffffff) << 8);
        return this;
    }

    /** Starting PSN: the first PSN that the receiver must use. */
    public int startingPsn() {
        return segment.get(U32, offset + STARTING_PSN) >>> 8 & 0xffffff;
    }

    /** Writes startingPsn. */
    public CmRep startingPsn(int value) {
        segment.set(
                U32,
                offset + STARTING_PSN,
                segment.get(U32, offset + STARTING_PSN) & ~0xffffff00 | (value & 0xffffff) << 8);
        return this;
    }

    /** Responder Resources: Reads and atomics that the sender serves. */
    public int responderResources() {
        return segment.get(U8, offset + RESPONDER_RESOURCES) & 0xff;
    }

    /** Writes responderResources. */
    public CmRep responderResources(int value) {
        segment.set(U8, offset + RESPONDER_RESOURCES, (byte) value);
        return this;
    }

    /** Initiator Depth: Reads and atomics that the sender has outstanding. */
    public int initiatorDepth() {
        return segment.get(U8, offset + INITIATOR_DEPTH) & 0xff;
    }

    /** Writes initiatorDepth. */
    public CmRep initiatorDepth(int value) {
        segment.set(U8, offset + INITIATOR_DEPTH, (byte) value);
        return this;
    }

    /** Target ACK Delay. */
    public int targetAckDelay() {
        return segment.get(U8, offset + TARGET_ACK_DELAY) >>> 3 & 0x1f;
    }

    /** Writes targetAckDelay. */
    public CmRep targetAckDelay(int value) {
        segment.set(U8, offset + TARGET_ACK_DELAY, (byte)
                (segment.get(U8, offset + TARGET_ACK_DELAY) & ~0xf8 | (value & 0x1f) << 3));
        return this;
    }

    /** Failover Accepted: 0 accepted, 1 not supported, 2 rejected. */
    public int failoverAccepted() {
        return segment.get(U8, offset + FAILOVER_ACCEPTED) >>> 1 & 0x3;
    }

    /** Writes failoverAccepted. */
    public CmRep failoverAccepted(int value) {
        segment.set(U8, offset + FAILOVER_ACCEPTED, (byte)
                (segment.get(U8, offset + FAILOVER_ACCEPTED) & ~0x6 | (value & 0x3) << 1));
        return this;
    }

    /** End-To-End Flow Control: whether the sender reports credits. */
    public boolean endToEndFlowControl() {
        return (segment.get(U8, offset + END_TO_END_FLOW_CONTROL) & 0x1) != 0;
    }

    /** Writes endToEndFlowControl. */
    public CmRep endToEndFlowControl(boolean value) {
        int others = segment.get(U8, offset + END_TO_END_FLOW_CONTROL) & ~0x1;
        segment.set(U8, offset + END_TO_END_FLOW_CONTROL, (byte) (value ? others | 0x1 : others));
        return this;
    }

    /** RNR Retry Count that the receiver must use. */
    public int rnrRetryCount() {
        return segment.get(U8, offset + RNR_RETRY_COUNT) >>> 5 & 0x7;
    }

    /** Writes rnrRetryCount. */
    public CmRep rnrRetryCount(int value) {
        segment.set(U8, offset + RNR_RETRY_COUNT, (byte)
                (segment.get(U8, offset + RNR_RETRY_COUNT) & ~0xe0 | (value & 0x7) << 5));
        return this;
    }

    /** SRQ: whether the sender receives from a shared queue. */
    public boolean srq() {
        return (segment.get(U8, offset + SRQ) & 0x10) != 0;
    }

    /** Writes srq. */
    public CmRep srq(boolean value) {
        int others = segment.get(U8, offset + SRQ) & ~0x10;
        segment.set(U8, offset + SRQ, (byte) (value ? others | 0x10 : others));
        return this;
    }

    /** Local CA GUID of the sender. */
    public long localCaGuid() {
        return segment.get(U64, offset + LOCAL_CA_GUID);
    }

    /** Writes localCaGuid. */
    public CmRep localCaGuid(long value) {
        segment.set(U64, offset + LOCAL_CA_GUID, value);
        return this;
    }

    /** The private data, including trailing zeros. */
    public byte[] privateData() {
        return segment.asSlice(offset + PRIVATE_DATA, PRIVATE_DATA_BYTES).toArray(U8);
    }

    /** Writes the private data and fills the rest with zeros. */
    public CmRep privateData(byte[] data) {
        MemorySegment target =
                segment.asSlice(offset + PRIVATE_DATA, PRIVATE_DATA_BYTES).fill((byte) 0);
        MemorySegment.copy(data, 0, target, U8, 0, Math.min(data.length, PRIVATE_DATA_BYTES));
        return this;
    }

    /** Appends one line. */
    public StringBuilder describe(StringBuilder out) {
        out.append("REP");
        Hex.append(out.append(" local=0x"), localCommId(), 8);
        Hex.append(out.append(" remote=0x"), remoteCommId(), 8);
        Hex.append(out.append(" qp=0x"), localQpn(), 6);
        out.append(" psn=").append(startingPsn());
        return out;
    }
}
