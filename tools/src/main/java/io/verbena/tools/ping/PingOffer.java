package io.verbena.tools.ping;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * What the client offers: a piece of its memory. 16 bytes on the wire, big endian.
 *
 * <pre>
 *  0               8       12      16
 *  +---------------+-------+-------+
 *  |    address    |  key  | length|
 *  +---------------+-------+-------+
 * </pre>
 *
 * @param address where it starts, in the client's own terms
 * @param rkey key that opens it
 * @param length bytes, unsigned on the wire
 */
public record PingOffer(long address, int rkey, long length) {

    /** Bytes on the wire. */
    public static final int BYTES = 16;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    /** Stores it. */
    public void write(MemorySegment segment, long offset) {
        segment.set(LONG, offset, address);
        segment.set(INT, offset + 8, rkey);
        segment.set(INT, offset + 12, (int) length);
    }

    /** Loads one. */
    public static PingOffer read(MemorySegment segment, long offset) {
        return new PingOffer(
                segment.get(LONG, offset),
                segment.get(INT, offset + 8),
                Integer.toUnsignedLong(segment.get(INT, offset + 12)));
    }
}
