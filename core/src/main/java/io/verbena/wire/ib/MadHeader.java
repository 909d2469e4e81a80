package io.verbena.wire.ib;

import io.verbena.wire.Hex;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

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
 * <p>A flyweight: {@link #wrap} points it at memory without a copy. Check {@link #fits} before use.
 * Source: InfiniBand architecture specification, volume 1, section 13.4.3.
 */
public final class MadHeader {
    /** Length in bytes. */
    public static final int LENGTH = 24;

    private static final ValueLayout.OfByte U8 = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

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

    private MemorySegment segment = MemorySegment.NULL;
    private long offset;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the structure that starts at {@code offset}. */
    public MadHeader wrap(MemorySegment segment, long offset) {
        this.segment = segment;
        this.offset = offset;
        return this;
    }

    /** BaseVersion: 1. */
    public int baseVersion() {
        return segment.get(U8, offset + BASE_VERSION) & 0xff;
    }

    /** Writes baseVersion. */
    public MadHeader baseVersion(int value) {
        segment.set(U8, offset + BASE_VERSION, (byte) value);
        return this;
    }

    /** MgmtClass: 7 for communication management. */
    public int mgmtClass() {
        return segment.get(U8, offset + MGMT_CLASS) & 0xff;
    }

    /** Writes mgmtClass. */
    public MadHeader mgmtClass(int value) {
        segment.set(U8, offset + MGMT_CLASS, (byte) value);
        return this;
    }

    /** ClassVersion: 2 for communication management. */
    public int classVersion() {
        return segment.get(U8, offset + CLASS_VERSION) & 0xff;
    }

    /** Writes classVersion. */
    public MadHeader classVersion(int value) {
        segment.set(U8, offset + CLASS_VERSION, (byte) value);
        return this;
    }

    /** R: whether the datagram is a response of its class. */
    public boolean response() {
        return (segment.get(U8, offset + RESPONSE) & 0x80) != 0;
    }

    /** Writes response. */
    public MadHeader response(boolean value) {
        int others = segment.get(U8, offset + RESPONSE) & ~0x80;
        segment.set(U8, offset + RESPONSE, (byte) (value ? others | 0x80 : others));
        return this;
    }

    /** Method: 3 is Send. */
    public int method() {
        return segment.get(U8, offset + METHOD) & 0x7f;
    }

    /** Writes method. */
    public MadHeader method(int value) {
        segment.set(U8, offset + METHOD, (byte) (segment.get(U8, offset + METHOD) & ~0x7f | (value & 0x7f)));
        return this;
    }

    /** Status: 0 for success. */
    public int status() {
        return segment.get(U16, offset + STATUS) & 0xffff;
    }

    /** Writes status. */
    public MadHeader status(int value) {
        segment.set(U16, offset + STATUS, (short) value);
        return this;
    }

    /** ClassSpecific. */
    public int classSpecific() {
        return segment.get(U16, offset + CLASS_SPECIFIC) & 0xffff;
    }

    /** Writes classSpecific. */
    public MadHeader classSpecific(int value) {
        segment.set(U16, offset + CLASS_SPECIFIC, (short) value);
        return this;
    }

    /** TransactionID, which an answer repeats. */
    public long transactionId() {
        return segment.get(U64, offset + TRANSACTION_ID);
    }

    /** Writes transactionId. */
    public MadHeader transactionId(long value) {
        segment.set(U64, offset + TRANSACTION_ID, value);
        return this;
    }

    /** AttributeID: the type of the message. */
    public int attributeId() {
        return segment.get(U16, offset + ATTRIBUTE_ID) & 0xffff;
    }

    /** Writes attributeId. */
    public MadHeader attributeId(int value) {
        segment.set(U16, offset + ATTRIBUTE_ID, (short) value);
        return this;
    }

    /** AttributeModifier. */
    public int attributeModifier() {
        return segment.get(U32, offset + ATTRIBUTE_MODIFIER);
    }

    /** Writes attributeModifier. */
    public MadHeader attributeModifier(int value) {
        segment.set(U32, offset + ATTRIBUTE_MODIFIER, value);
        return this;
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
