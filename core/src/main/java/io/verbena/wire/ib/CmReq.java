package io.verbena.wire.ib;

import io.verbena.wire.Header;
import io.verbena.wire.Hex;

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
 * <p>Source: InfiniBand architecture specification, volume 1, section 12.6.5.
 */
public final class CmReq extends Header<CmReq> {
    /** Length in bytes. */
    public static final int LENGTH = 232;

    /** Maximum length of private data in bytes. */
    public static final int PRIVATE_DATA_BYTES = 92;

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

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Local Communication ID: the sender's number of the connection. */
    public int localCommId() {
        return u32(LOCAL_COMM_ID);
    }

    public CmReq localCommId(int value) {
        return u32(LOCAL_COMM_ID, value);
    }

    /** Service ID: the requested service. */
    public long serviceId() {
        return u64(SERVICE_ID);
    }

    public CmReq serviceId(long value) {
        return u64(SERVICE_ID, value);
    }

    /** Local CA GUID of the sender. */
    public long localCaGuid() {
        return u64(LOCAL_CA_GUID);
    }

    public CmReq localCaGuid(long value) {
        return u64(LOCAL_CA_GUID, value);
    }

    /** Local Q_Key, of reliable datagrams. */
    public int localQKey() {
        return u32(LOCAL_Q_KEY);
    }

    public CmReq localQKey(int value) {
        return u32(LOCAL_Q_KEY, value);
    }

    /** Local QPN of the sender. */
    public int localQpn() {
        return u24(LOCAL_QPN);
    }

    public CmReq localQpn(int value) {
        return u24(LOCAL_QPN, value);
    }

    /** Responder Resources: Reads and atomics that the sender can serve. */
    public int responderResources() {
        return u8(RESPONDER_RESOURCES);
    }

    public CmReq responderResources(int value) {
        return u8(RESPONDER_RESOURCES, value);
    }

    /** Local EECN, of reliable datagrams. */
    public int localEecn() {
        return u24(LOCAL_EECN);
    }

    public CmReq localEecn(int value) {
        return u24(LOCAL_EECN, value);
    }

    /** Initiator Depth: Reads and atomics that the sender requests to have outstanding. */
    public int initiatorDepth() {
        return u8(INITIATOR_DEPTH);
    }

    public CmReq initiatorDepth(int value) {
        return u8(INITIATOR_DEPTH, value);
    }

    /** Remote EECN, of reliable datagrams. */
    public int remoteEecn() {
        return u24(REMOTE_EECN);
    }

    public CmReq remoteEecn(int value) {
        return u24(REMOTE_EECN, value);
    }

    /** Remote CM Response Timeout: maximum response time of the receiver, 4.096 us times 2 to this value. */
    public int remoteResponseTimeout() {
        return bits(REMOTE_RESPONSE_TIMEOUT, 0, 5);
    }

    public CmReq remoteResponseTimeout(int value) {
        return bits(REMOTE_RESPONSE_TIMEOUT, 0, 5, value);
    }

    /** Transport Service Type: 0 RC, 1 UC, 2 RD. */
    public int transportService() {
        return bits(TRANSPORT_SERVICE, 5, 2);
    }

    public CmReq transportService(int value) {
        return bits(TRANSPORT_SERVICE, 5, 2, value);
    }

    /** End-to-End Flow Control: whether the sender reports credits. */
    public boolean endToEndFlowControl() {
        return flag(END_TO_END_FLOW_CONTROL, 7);
    }

    public CmReq endToEndFlowControl(boolean value) {
        return flag(END_TO_END_FLOW_CONTROL, 7, value);
    }

    /** Starting PSN: the first PSN that the receiver must use. */
    public int startingPsn() {
        return u24(STARTING_PSN);
    }

    public CmReq startingPsn(int value) {
        return u24(STARTING_PSN, value);
    }

    /** Local CM Response Timeout: maximum response time of the sender. */
    public int localResponseTimeout() {
        return bits(LOCAL_RESPONSE_TIMEOUT, 0, 5);
    }

    public CmReq localResponseTimeout(int value) {
        return bits(LOCAL_RESPONSE_TIMEOUT, 0, 5, value);
    }

    /** Retry Count that the receiver must use. */
    public int retryCount() {
        return bits(RETRY_COUNT, 5, 3);
    }

    public CmReq retryCount(int value) {
        return bits(RETRY_COUNT, 5, 3, value);
    }

    /** Partition Key. */
    public int pKey() {
        return u16(P_KEY);
    }

    public CmReq pKey(int value) {
        return u16(P_KEY, value);
    }

    /** Path Packet Payload MTU: 1 to 5 for 256 to 4096. */
    public int pathMtu() {
        return bits(PATH_MTU, 0, 4);
    }

    public CmReq pathMtu(int value) {
        return bits(PATH_MTU, 0, 4, value);
    }

    /** RDC Exists: the end-to-end context exists already. */
    public boolean rdcExists() {
        return flag(RDC_EXISTS, 4);
    }

    public CmReq rdcExists(boolean value) {
        return flag(RDC_EXISTS, 4, value);
    }

    /** RNR Retry Count that the receiver must use; 7 is unlimited. */
    public int rnrRetryCount() {
        return bits(RNR_RETRY_COUNT, 5, 3);
    }

    public CmReq rnrRetryCount(int value) {
        return bits(RNR_RETRY_COUNT, 5, 3, value);
    }

    /** Max CM Retries. */
    public int maxCmRetries() {
        return bits(MAX_CM_RETRIES, 0, 4);
    }

    public CmReq maxCmRetries(int value) {
        return bits(MAX_CM_RETRIES, 0, 4, value);
    }

    /** SRQ: whether the sender receives from a shared queue. */
    public boolean srq() {
        return flag(SRQ, 4);
    }

    public CmReq srq(boolean value) {
        return flag(SRQ, 4, value);
    }

    /** Extended Transport Type. */
    public int extendedTransport() {
        return bits(EXTENDED_TRANSPORT, 5, 3);
    }

    public CmReq extendedTransport(int value) {
        return bits(EXTENDED_TRANSPORT, 5, 3, value);
    }

    /** The private data, including trailing zeros. */
    public byte[] privateData() {
        return bytes(PRIVATE_DATA, PRIVATE_DATA_BYTES);
    }

    public CmReq privateData(byte[] data) {
        return bytes(PRIVATE_DATA, PRIVATE_DATA_BYTES, data);
    }

    /** Points a flyweight at the primary path. */
    public CmPath primary(CmPath path) {
        return path.wrap(segment(), offset(PRIMARY_PATH));
    }

    /** Points a flyweight at the alternate path, which is all zeros if there is none. */
    public CmPath alternate(CmPath path) {
        return path.wrap(segment(), offset(ALTERNATE_PATH));
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
