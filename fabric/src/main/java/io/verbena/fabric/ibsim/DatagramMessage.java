package io.verbena.fabric.ibsim;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * A management datagram with its addresses. LIDs are big-endian 16-bit numbers that a client keeps in 32-bit words of its machine.
 *
 * <pre>
 *    byte  field
 *       0  dlid
 *       4  slid
 *       8  destination queue pair, big-endian
 *      12  source queue pair, big-endian
 *      16  status, big-endian: 110 for a time-out
 *      24  length of the datagram, big-endian
 *      32  the datagram, 256 bytes
 * </pre>
 *
 * <p>A flyweight: {@link #wrap} points it at memory without a copy. Check {@link #fits} before use.
 * Source: include/ibsim.h of ibsim 0.10.
 */
public final class DatagramMessage {
    /** Length in bytes. */
    public static final int LENGTH = 288;
    /** Offset of the datagram. */
    public static final int MAD = 32;
    /** Length of the datagram. */
    public static final int MAD_LENGTH = 256;
    /** Status: no response within the time. */
    public static final int TIMED_OUT = 110;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfInt BIG = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong BIG_LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final boolean LITTLE = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

    private MemorySegment segment = MemorySegment.NULL;
    private long offset;

    /** Whether {@code available} bytes contain the message. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the message that starts at {@code offset}. */
    public DatagramMessage wrap(MemorySegment at, long start) {
        segment = at;
        offset = start;
        return this;
    }

    /** Destination LID; 0xFFFF for a directed route. */
    public int dlid() {
        return lid(0);
    }

    /** Writes dlid. */
    public DatagramMessage dlid(int value) {
        return lid(0, value);
    }

    /** Source LID; 0 lets the simulator write that of the client's port. */
    public int slid() {
        return lid(4);
    }

    /** Writes slid. */
    public DatagramMessage slid(int value) {
        return lid(4, value);
    }

    /** Destination queue pair. */
    public int destinationQp() {
        return segment.get(BIG, offset + 8);
    }

    /** Writes destinationQp. */
    public DatagramMessage destinationQp(int value) {
        segment.set(BIG, offset + 8, value);
        return this;
    }

    /** Source queue pair. */
    public int sourceQp() {
        return segment.get(BIG, offset + 12);
    }

    /** Writes sourceQp. */
    public DatagramMessage sourceQp(int value) {
        segment.set(BIG, offset + 12, value);
        return this;
    }

    /** Status: 0, or 110 for a time-out. */
    public int status() {
        return segment.get(BIG, offset + 16);
    }

    /** Writes status. */
    public DatagramMessage status(int value) {
        segment.set(BIG, offset + 16, value);
        return this;
    }

    /** Length of the datagram. */
    public long length() {
        return segment.get(BIG_LONG, offset + 24);
    }

    /** Writes length. */
    public DatagramMessage length(long value) {
        segment.set(BIG_LONG, offset + 24, value);
        return this;
    }

    private int lid(long at) {
        int word = segment.get(INT, offset + at);
        return (LITTLE ? Short.reverseBytes((short) word) : (short) word) & 0xffff;
    }

    private DatagramMessage lid(long at, int value) {
        segment.set(INT, offset + at, (LITTLE ? Short.reverseBytes((short) value) : (short) value) & 0xffff);
        return this;
    }

    /** Appends one line. */
    public StringBuilder describe(StringBuilder out) {
        return out.append("ibsim datagram ")
                .append(slid())
                .append(" to ")
                .append(dlid())
                .append(" status=")
                .append(status());
    }
}
