package io.verbena.wire.ib;

import io.verbena.wire.Hex;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * ConnectRequest (REQ): requests a connection to a service.
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                          localCommId                          |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                            Reserved                           |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                           serviceId                           |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                          localCaGuid                          |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                            Reserved                           |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                           localQKey                           |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                    localQpn                   |       RR      |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                   localEecn                   | initiatorDepth|
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                   remoteEecn                  |   RRT   | TS|E|
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                  startingPsn                  |   LRT   |  RC |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |              pKey             |pathMtu|R| RRC |  MCR  |S|  ET |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                     primary path, 44 bytes                    |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                    alternate path, 44 bytes                   |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                     Private data, 92 bytes                    |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>A flyweight: {@link #wrap} points it at memory without a copy. Check {@link #fits} before use. Source:
 * InfiniBand architecture specification, volume 1, section 12.6.5.
 */
public final class CmReq {
    /** Length in bytes. */
    public static final int LENGTH = 232;

    /** Maximum length of private data in bytes. */
    public static final int PRIVATE_DATA_BYTES = 92;

    private static final ValueLayout.OfByte U8 = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final int LOCAL_COMM_ID = 0;
    private static final int SERVICE_ID = 8;
    private static final int LOCAL_CA_GUID = 16;
    private static final int LOCAL_Q_KEY = 28;
    private static final int LOCAL_QPN = 32;
    private static final int RESPONDER_RESOURCES = 35;
    private static final int LOCAL_EECN = 36;
    private static final int INITIATOR_DEPTH = 39;
    private static final int REMOTE_EECN = 40;
    private static final int REMOTE_RESPONSE_TIMEOUT = 43;
    private static final int TRANSPORT_SERVICE = 43;
    private static final int END_TO_END_FLOW_CONTROL = 43;
    private static final int STARTING_PSN = 44;
    private static final int LOCAL_RESPONSE_TIMEOUT = 47;
    private static final int RETRY_COUNT = 47;
    private static final int P_KEY = 48;
    private static final int PATH_MTU = 50;
    private static final int RDC_EXISTS = 50;
    private static final int RNR_RETRY_COUNT = 50;
    private static final int MAX_CM_RETRIES = 51;
    private static final int SRQ = 51;
    private static final int EXTENDED_TRANSPORT = 51;
    private static final int PRIVATE_DATA = 140;
    private static final int PRIMARY_PATH = 52;
    private static final int ALTERNATE_PATH = 96;

    private MemorySegment segment = MemorySegment.NULL;
    private long offset;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the structure that starts at {@code offset}. */
    public CmReq wrap(MemorySegment segment, long offset) {
        this.segment = segment;
        this.offset = offset;
        return this;
    }

    /** Local Communication ID: the sender's number of the connection. */
    public int localCommId() {
        return segment.get(U32, offset + LOCAL_COMM_ID);
    }

    /** Writes localCommId. */
    public CmReq localCommId(int value) {
        segment.set(U32, offset + LOCAL_COMM_ID, value);
        return this;
    }

    /** Service ID: the requested service. */
    public long serviceId() {
        return segment.get(U64, offset + SERVICE_ID);
    }

    /** Writes serviceId. */
    public CmReq serviceId(long value) {
        segment.set(U64, offset + SERVICE_ID, value);
        return this;
    }

    /** Local CA GUID of the sender. */
    public long localCaGuid() {
        return segment.get(U64, offset + LOCAL_CA_GUID);
    }

    /** Writes localCaGuid. */
    public CmReq localCaGuid(long value) {
        segment.set(U64, offset + LOCAL_CA_GUID, value);
        return this;
    }

    /** Local Q_Key, of reliable datagrams. */
    public int localQKey() {
        return segment.get(U32, offset + LOCAL_Q_KEY);
    }

    /** Writes localQKey. */
    public CmReq localQKey(int value) {
        segment.set(U32, offset + LOCAL_Q_KEY, value);
        return this;
    }

    /** Local QPN of the sender. */
    public int localQpn() {
        return segment.get(U32, offset + LOCAL_QPN) >>> 8 & 0xffffff;
    }

    /** Writes localQpn. */
    public CmReq localQpn(int value) {
        segment.set(
                U32, offset + LOCAL_QPN, segment.get(U32, offset + LOCAL_QPN) & ~0xffffff00 | (value & 0xffffff) << 8);
        return this;
    }

    /** Responder Resources: Reads and atomics that the sender can serve. */
    public int responderResources() {
        return segment.get(U8, offset + RESPONDER_RESOURCES) & 0xff;
    }

    /** Writes responderResources. */
    public CmReq responderResources(int value) {
        segment.set(U8, offset + RESPONDER_RESOURCES, (byte) value);
        return this;
    }

    /** Local EECN, of reliable datagrams. */
    public int localEecn() {
        return segment.get(U32, offset + LOCAL_EECN) >>> 8 & 0xffffff;
    }

    /** Writes localEecn. */
    public CmReq localEecn(int value) {
        segment.set(
                U32,
                offset + LOCAL_EECN,
                segment.get(U32, offset + LOCAL_EECN) & ~0xffffff00 | (value & 0xffffff) << 8);
        return this;
    }

    /** Initiator Depth: Reads and atomics that the sender requests to have outstanding. */
    public int initiatorDepth() {
        return segment.get(U8, offset + INITIATOR_DEPTH) & 0xff;
    }

    /** Writes initiatorDepth. */
    public CmReq initiatorDepth(int value) {
        segment.set(U8, offset + INITIATOR_DEPTH, (byte) value);
        return this;
    }

    /** Remote EECN, of reliable datagrams. */
    public int remoteEecn() {
        return segment.get(U32, offset + REMOTE_EECN) >>> 8 & 0xffffff;
    }

    /** Writes remoteEecn. */
    public CmReq remoteEecn(int value) {
        segment.set(
                U32,
                offset + REMOTE_EECN,
                segment.get(U32, offset + REMOTE_EECN) & ~0xffffff00 | (value & 0xffffff) << 8);
        return this;
    }

    /** Remote CM Response Timeout: maximum response time of the receiver, 4.096 us times 2 to this value. */
    public int remoteResponseTimeout() {
        return segment.get(U8, offset + REMOTE_RESPONSE_TIMEOUT) >>> 3 & 0x1f;
    }

    /** Writes remoteResponseTimeout. */
    public CmReq remoteResponseTimeout(int value) {
        segment.set(U8, offset + REMOTE_RESPONSE_TIMEOUT, (byte)
                (segment.get(U8, offset + REMOTE_RESPONSE_TIMEOUT) & ~0xf8 | (value & 0x1f) << 3));
        return this;
    }

    /** Transport Service Type: 0 RC, 1 UC, 2 RD. */
    public int transportService() {
        return segment.get(U8, offset + TRANSPORT_SERVICE) >>> 1 & 0x3;
    }

    /** Writes transportService. */
    public CmReq transportService(int value) {
        segment.set(U8, offset + TRANSPORT_SERVICE, (byte)
                (segment.get(U8, offset + TRANSPORT_SERVICE) & ~0x6 | (value & 0x3) << 1));
        return this;
    }

    /** End-to-End Flow Control: whether the sender reports credits. */
    public boolean endToEndFlowControl() {
        return (segment.get(U8, offset + END_TO_END_FLOW_CONTROL) & 0x1) != 0;
    }

    /** Writes endToEndFlowControl. */
    public CmReq endToEndFlowControl(boolean value) {
        int others = segment.get(U8, offset + END_TO_END_FLOW_CONTROL) & ~0x1;
        segment.set(U8, offset + END_TO_END_FLOW_CONTROL, (byte) (value ? others | 0x1 : others));
        return this;
    }

    /** Starting PSN: the first PSN that the receiver must use. */
    public int startingPsn() {
        return segment.get(U32, offset + STARTING_PSN) >>> 8 & 0xffffff;
    }

    /** Writes startingPsn. */
    public CmReq startingPsn(int value) {
        segment.set(
                U32,
                offset + STARTING_PSN,
                segment.get(U32, offset + STARTING_PSN) & ~0xffffff00 | (value & 0xffffff) << 8);
        return this;
    }

    /** Local CM Response Timeout: maximum response time of the sender. */
    public int localResponseTimeout() {
        return segment.get(U8, offset + LOCAL_RESPONSE_TIMEOUT) >>> 3 & 0x1f;
    }

    /** Writes localResponseTimeout. */
    public CmReq localResponseTimeout(int value) {
        segment.set(U8, offset + LOCAL_RESPONSE_TIMEOUT, (byte)
                (segment.get(U8, offset + LOCAL_RESPONSE_TIMEOUT) & ~0xf8 | (value & 0x1f) << 3));
        return this;
    }

    /** Retry Count that the receiver must use. */
    public int retryCount() {
        return segment.get(U8, offset + RETRY_COUNT) & 0x7;
    }

    /** Writes retryCount. */
    public CmReq retryCount(int value) {
        segment.set(U8, offset + RETRY_COUNT, (byte) (segment.get(U8, offset + RETRY_COUNT) & ~0x7 | (value & 0x7)));
        return this;
    }

    /** Partition Key. */
    public int pKey() {
        return segment.get(U16, offset + P_KEY) & 0xffff;
    }

    /** Writes pKey. */
    public CmReq pKey(int value) {
        segment.set(U16, offset + P_KEY, (short) value);
        return this;
    }

    /** Path Packet Payload MTU: 1 to 5 for 256 to 4096. */
    public int pathMtu() {
        return segment.get(U8, offset + PATH_MTU) >>> 4 & 0xf;
    }

    /** Writes pathMtu. */
    public CmReq pathMtu(int value) {
        segment.set(U8, offset + PATH_MTU, (byte) (segment.get(U8, offset + PATH_MTU) & ~0xf0 | (value & 0xf) << 4));
        return this;
    }

    /** RDC Exists: the end-to-end context exists already. */
    public boolean rdcExists() {
        return (segment.get(U8, offset + RDC_EXISTS) & 0x8) != 0;
    }

    /** Writes rdcExists. */
    public CmReq rdcExists(boolean value) {
        int others = segment.get(U8, offset + RDC_EXISTS) & ~0x8;
        segment.set(U8, offset + RDC_EXISTS, (byte) (value ? others | 0x8 : others));
        return this;
    }

    /** RNR Retry Count that the receiver must use; 7 is unlimited. */
    public int rnrRetryCount() {
        return segment.get(U8, offset + RNR_RETRY_COUNT) & 0x7;
    }

    /** Writes rnrRetryCount. */
    public CmReq rnrRetryCount(int value) {
        segment.set(U8, offset + RNR_RETRY_COUNT, (byte)
                (segment.get(U8, offset + RNR_RETRY_COUNT) & ~0x7 | (value & 0x7)));
        return this;
    }

    /** Max CM Retries. */
    public int maxCmRetries() {
        return segment.get(U8, offset + MAX_CM_RETRIES) >>> 4 & 0xf;
    }

    /** Writes maxCmRetries. */
    public CmReq maxCmRetries(int value) {
        segment.set(U8, offset + MAX_CM_RETRIES, (byte)
                (segment.get(U8, offset + MAX_CM_RETRIES) & ~0xf0 | (value & 0xf) << 4));
        return this;
    }

    /** SRQ: whether the sender receives from a shared queue. */
    public boolean srq() {
        return (segment.get(U8, offset + SRQ) & 0x8) != 0;
    }

    /** Writes srq. */
    public CmReq srq(boolean value) {
        int others = segment.get(U8, offset + SRQ) & ~0x8;
        segment.set(U8, offset + SRQ, (byte) (value ? others | 0x8 : others));
        return this;
    }

    /** Extended Transport Type. */
    public int extendedTransport() {
        return segment.get(U8, offset + EXTENDED_TRANSPORT) & 0x7;
    }

    /** Writes extendedTransport. */
    public CmReq extendedTransport(int value) {
        segment.set(U8, offset + EXTENDED_TRANSPORT, (byte)
                (segment.get(U8, offset + EXTENDED_TRANSPORT) & ~0x7 | (value & 0x7)));
        return this;
    }

    /** The private data, including trailing zeros. */
    public byte[] privateData() {
        return segment.asSlice(offset + PRIVATE_DATA, PRIVATE_DATA_BYTES).toArray(U8);
    }

    /** Writes the private data and fills the rest with zeros. */
    public CmReq privateData(byte[] data) {
        MemorySegment target =
                segment.asSlice(offset + PRIVATE_DATA, PRIVATE_DATA_BYTES).fill((byte) 0);
        MemorySegment.copy(data, 0, target, U8, 0, Math.min(data.length, PRIVATE_DATA_BYTES));
        return this;
    }

    /** Points a flyweight at the primary path. */
    public CmPath primary(CmPath path) {
        return path.wrap(segment, offset + PRIMARY_PATH);
    }

    /** Points a flyweight at the alternate path, which is all zeros if there is none. */
    public CmPath alternate(CmPath path) {
        return path.wrap(segment, offset + ALTERNATE_PATH);
    }

    /** Appends one line. */
    public StringBuilder describe(StringBuilder out) {
        out.append("REQ");
        Hex.append(out.append(" local=0x"), localCommId(), 8);
        Hex.append(out.append(" service=0x"), serviceId(), 16);
        Hex.append(out.append(" qp=0x"), localQpn(), 6);
        out.append(" psn=").append(startingPsn());
        return out;
    }
}
