package io.verbena.wire.ib;

import io.verbena.wire.Header;
import io.verbena.wire.Hex;

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
 * <p>Source: InfiniBand architecture specification, volume 1, section 12.6.8.
 */
public final class CmRep extends Header<CmRep> {
    /** Length in bytes. */
    public static final int LENGTH = 232;

    /** Maximum length of private data in bytes. */
    public static final int PRIVATE_DATA_BYTES = 196;

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

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Local Communication ID: the sender's number of the connection. */
    public int localCommId() {
        return u32(LOCAL_COMM_ID);
    }

    public CmRep localCommId(int value) {
        return u32(LOCAL_COMM_ID, value);
    }

    /** Remote Communication ID: the receiver's number of the connection. */
    public int remoteCommId() {
        return u32(REMOTE_COMM_ID);
    }

    public CmRep remoteCommId(int value) {
        return u32(REMOTE_COMM_ID, value);
    }

    /** Local Q_Key, of reliable datagrams. */
    public int localQKey() {
        return u32(LOCAL_Q_KEY);
    }

    public CmRep localQKey(int value) {
        return u32(LOCAL_Q_KEY, value);
    }

    /** Local QPN of the sender. */
    public int localQpn() {
        return u24(LOCAL_QPN);
    }

    public CmRep localQpn(int value) {
        return u24(LOCAL_QPN, value);
    }

    /** Local EE Context Number, of reliable datagrams. */
    public int localEecn() {
        return u24(LOCAL_EECN);
    }

    public CmRep localEecn(int value) {
        return u24(LOCAL_EECN, value);
    }

    /** Starting PSN: the first PSN that the receiver must use. */
    public int startingPsn() {
        return u24(STARTING_PSN);
    }

    public CmRep startingPsn(int value) {
        return u24(STARTING_PSN, value);
    }

    /** Responder Resources: Reads and atomics that the sender serves. */
    public int responderResources() {
        return u8(RESPONDER_RESOURCES);
    }

    public CmRep responderResources(int value) {
        return u8(RESPONDER_RESOURCES, value);
    }

    /** Initiator Depth: Reads and atomics that the sender has outstanding. */
    public int initiatorDepth() {
        return u8(INITIATOR_DEPTH);
    }

    public CmRep initiatorDepth(int value) {
        return u8(INITIATOR_DEPTH, value);
    }

    /** Target ACK Delay. */
    public int targetAckDelay() {
        return bits(TARGET_ACK_DELAY, 0, 5);
    }

    public CmRep targetAckDelay(int value) {
        return bits(TARGET_ACK_DELAY, 0, 5, value);
    }

    /** Failover Accepted: 0 accepted, 1 not supported, 2 rejected. */
    public int failoverAccepted() {
        return bits(FAILOVER_ACCEPTED, 5, 2);
    }

    public CmRep failoverAccepted(int value) {
        return bits(FAILOVER_ACCEPTED, 5, 2, value);
    }

    /** End-To-End Flow Control: whether the sender reports credits. */
    public boolean endToEndFlowControl() {
        return flag(END_TO_END_FLOW_CONTROL, 7);
    }

    public CmRep endToEndFlowControl(boolean value) {
        return flag(END_TO_END_FLOW_CONTROL, 7, value);
    }

    /** RNR Retry Count that the receiver must use. */
    public int rnrRetryCount() {
        return bits(RNR_RETRY_COUNT, 0, 3);
    }

    public CmRep rnrRetryCount(int value) {
        return bits(RNR_RETRY_COUNT, 0, 3, value);
    }

    /** SRQ: whether the sender receives from a shared queue. */
    public boolean srq() {
        return flag(SRQ, 3);
    }

    public CmRep srq(boolean value) {
        return flag(SRQ, 3, value);
    }

    /** Local CA GUID of the sender. */
    public long localCaGuid() {
        return u64(LOCAL_CA_GUID);
    }

    public CmRep localCaGuid(long value) {
        return u64(LOCAL_CA_GUID, value);
    }

    /** The private data, including trailing zeros. */
    public byte[] privateData() {
        return bytes(PRIVATE_DATA, PRIVATE_DATA_BYTES);
    }

    public CmRep privateData(byte[] data) {
        return bytes(PRIVATE_DATA, PRIVATE_DATA_BYTES, data);
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
