package io.verbena.wire.ib;

import io.verbena.wire.Header;
import io.verbena.wire.Hex;

/**
 * The common header of management datagrams (MAD). The message of its class follows it.
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |  baseVersion  |   mgmtClass   |  classVersion |R|    method   |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |             status            |         classSpecific         |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                         transactionId                         |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |          attributeId          |            Reserved           |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                       attributeModifier                       |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>Source: InfiniBand architecture specification, volume 1, section 13.4.3.
 */
public final class MadHeader extends Header<MadHeader> {
    /** Length in bytes. */
    public static final int LENGTH = 24;

    private static final int BASE_VERSION = 0;
    private static final int MGMT_CLASS = 1;
    private static final int CLASS_VERSION = 2;
    private static final int RESPONSE = 3;
    private static final int METHOD = 3;
    private static final int STATUS = 4;
    private static final int CLASS_SPECIFIC = 6;
    private static final int TRANSACTION_ID = 8;
    private static final int ATTRIBUTE_ID = 16;
    private static final int ATTRIBUTE_MODIFIER = 20;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** BaseVersion: 1. */
    public int baseVersion() {
        return u8(BASE_VERSION);
    }

    public MadHeader baseVersion(int value) {
        return u8(BASE_VERSION, value);
    }

    /** MgmtClass: 7 for communication management. */
    public int mgmtClass() {
        return u8(MGMT_CLASS);
    }

    public MadHeader mgmtClass(int value) {
        return u8(MGMT_CLASS, value);
    }

    /** ClassVersion: 2 for communication management. */
    public int classVersion() {
        return u8(CLASS_VERSION);
    }

    public MadHeader classVersion(int value) {
        return u8(CLASS_VERSION, value);
    }

    /** R: whether the datagram is a response of its class. */
    public boolean response() {
        return flag(RESPONSE, 0);
    }

    public MadHeader response(boolean value) {
        return flag(RESPONSE, 0, value);
    }

    /** Method: 3 is Send. */
    public int method() {
        return bits(METHOD, 1, 7);
    }

    public MadHeader method(int value) {
        return bits(METHOD, 1, 7, value);
    }

    /** Status: 0 for success. */
    public int status() {
        return u16(STATUS);
    }

    public MadHeader status(int value) {
        return u16(STATUS, value);
    }

    /** ClassSpecific. */
    public int classSpecific() {
        return u16(CLASS_SPECIFIC);
    }

    public MadHeader classSpecific(int value) {
        return u16(CLASS_SPECIFIC, value);
    }

    /** TransactionID, which an answer repeats. */
    public long transactionId() {
        return u64(TRANSACTION_ID);
    }

    public MadHeader transactionId(long value) {
        return u64(TRANSACTION_ID, value);
    }

    /** AttributeID: the type of the message. */
    public int attributeId() {
        return u16(ATTRIBUTE_ID);
    }

    public MadHeader attributeId(int value) {
        return u16(ATTRIBUTE_ID, value);
    }

    /** AttributeModifier. */
    public int attributeModifier() {
        return u32(ATTRIBUTE_MODIFIER);
    }

    public MadHeader attributeModifier(int value) {
        return u32(ATTRIBUTE_MODIFIER, value);
    }

    /** Appends one line. */
    public StringBuilder describe(StringBuilder out) {
        out.append("MAD");
        out.append(" class=").append(mgmtClass());
        Hex.append(out.append(" attribute=0x"), attributeId(), 4);
        Hex.append(out.append(" tid=0x"), transactionId(), 16);
        return out;
    }
}
