package io.verbena.fabric.ibsim;

import io.verbena.wire.Header;
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
 * <p>Source: include/ibsim.h of ibsim 0.10.
 */
public final class DatagramMessage extends Header<DatagramMessage> {
    /** Length in bytes. */
    public static final int LENGTH = 288;
    /** Offset of the datagram. */
    public static final int MAD = 32;
    /** Length of the datagram. */
    public static final int MAD_LENGTH = 256;
    /** Status: no response within the time. */
    public static final int TIMED_OUT = 110;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final boolean LITTLE = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

    /** Whether {@code available} bytes contain the message. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Destination LID; 0xFFFF for a directed route. */
    public int dlid() {
        return lid(0);
    }

    public DatagramMessage dlid(int value) {
        return lid(0, value);
    }

    /** Source LID; 0 lets the simulator write that of the client's port. */
    public int slid() {
        return lid(4);
    }

    public DatagramMessage slid(int value) {
        return lid(4, value);
    }

    /** Destination queue pair. */
    public int destinationQp() {
        return u32(8);
    }

    public DatagramMessage destinationQp(int value) {
        return u32(8, value);
    }

    /** Source queue pair. */
    public int sourceQp() {
        return u32(12);
    }

    public DatagramMessage sourceQp(int value) {
        return u32(12, value);
    }

    /** Status: 0, or 110 for a time-out. */
    public int status() {
        return u32(16);
    }

    public DatagramMessage status(int value) {
        return u32(16, value);
    }

    /** Length of the datagram. */
    public long length() {
        return u64(24);
    }

    public DatagramMessage length(long value) {
        return u64(24, value);
    }

    private int lid(long at) {
        int word = segment().get(INT, offset(at));
        return (LITTLE ? Short.reverseBytes((short) word) : (short) word) & 0xffff;
    }

    private DatagramMessage lid(long at, int value) {
        segment().set(INT, offset(at), (LITTLE ? Short.reverseBytes((short) value) : (short) value) & 0xffff);
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
