package io.verbena.wire.ib;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The ACK Extended Transport Header: an acknowledgement, or the reason of a refusal.
 *
 * <pre>
 *    0                   1                   2                   3
 * 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |    Syndrome   |                      MSN                      |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>A flyweight: {@link #wrap} points it at memory without a copy. Check {@link #fits} before use. Source:
 * InfiniBand architecture specification, volume 1, section 9.3.5.
 */
public final class Aeth {
    /** Length in bytes. */
    public static final int LENGTH = 4;

    private static final ValueLayout.OfByte U8 = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final int SYNDROME = 0;
    private static final int MSN = 0;

    private MemorySegment segment = MemorySegment.NULL;
    private long offset;

    /** Whether {@code available} bytes contain the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the header that starts at {@code offset}. */
    public Aeth wrap(MemorySegment segment, long offset) {
        this.segment = segment;
        this.offset = offset;
        return this;
    }

    /** Syndrome, 0 to 255; see {@link Syndrome}. */
    public int syndrome() {
        return segment.get(U8, offset + SYNDROME) & 0xff;
    }

    /** Writes syndrome. */
    public Aeth syndrome(int value) {
        segment.set(U8, offset + SYNDROME, (byte) value);
        return this;
    }

    /** MSN: messages that the responder has completed, 24 bits that wrap. */
    public int msn() {
        return segment.get(U32, offset + MSN) & 0xffffff;
    }

    /** Writes msn; keeps the byte before it. */
    public Aeth msn(int value) {
        int others = segment.get(U32, offset + MSN) & 0xff000000;
        segment.set(U32, offset + MSN, others | value & 0xffffff);
        return this;
    }

    /** Writes the whole header. */
    public Aeth set(int syndrome, int msn) {
        segment.set(U32, offset, syndrome << 24 | msn & 0xffffff);
        return this;
    }

    /** Appends one line such as {@code ACK credits=31 msn=5}. */
    public StringBuilder describe(StringBuilder out) {
        return Syndrome.describe(out, syndrome()).append(" msn=").append(msn());
    }
}
