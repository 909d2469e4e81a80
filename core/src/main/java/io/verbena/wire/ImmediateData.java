package io.verbena.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The RDMAP header of an Immediate Data message; it follows the untagged DDP header and is the whole payload.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                        Immediate Data                         |
 *  +                                                               +
 *  |                                                               |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>A flyweight: {@link #wrap} points it at memory, nothing is copied. Check {@link #fits} before use.
 * Source: RFC 7306 section 6.2.
 */
public final class ImmediateData {
    /** Bytes. */
    public static final int LENGTH = 8;

    private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final int IMMEDIATE_DATA = 0;

    private MemorySegment segment = MemorySegment.NULL;
    private long offset;

    /** Whether {@code available} bytes hold the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the header that starts at {@code offset}. */
    public ImmediateData wrap(MemorySegment segment, long offset) {
        this.segment = segment;
        this.offset = offset;
        return this;
    }

    /** Immediate Data: eight bytes of the application, first byte most significant. */
    public long immediateData() {
        return segment.get(U64, offset + IMMEDIATE_DATA);
    }

    /** Writes Immediate Data. */
    public ImmediateData immediateData(long value) {
        segment.set(U64, offset + IMMEDIATE_DATA, value);
        return this;
    }

    /** Appends one line such as {@code data=0x0000000000000007}. */
    public StringBuilder describe(StringBuilder out) {
        return Hex.to(out.append("data="), immediateData());
    }
}
