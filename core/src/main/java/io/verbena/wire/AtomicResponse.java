package io.verbena.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The RDMAP header of an Atomic Response; it follows the untagged DDP header and is the whole payload.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                  Original Request Identifier                  |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                  Original Remote Data Value                   |
 *  +                                                               +
 *  |                                                               |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>Section 4 of the RFC mentions 32 bytes, but its figure has twelve, which is used here.
 * A flyweight: {@link #wrap} points it at memory, nothing is copied. Check {@link #fits} before use.
 * Source: RFC 7306 section 5.2.2.
 */
public final class AtomicResponse {
    /** Bytes. */
    public static final int LENGTH = 12;

    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final int ORIGINAL_REQUEST_IDENTIFIER = 0;
    private static final int ORIGINAL_REMOTE_DATA_VALUE = 4;

    private MemorySegment segment = MemorySegment.NULL;
    private long offset;

    /** Whether {@code available} bytes hold the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the header that starts at {@code offset}. */
    public AtomicResponse wrap(MemorySegment segment, long offset) {
        this.segment = segment;
        this.offset = offset;
        return this;
    }

    /** Original Request Identifier: the one of the request. */
    public int originalRequestIdentifier() {
        return segment.get(U32, offset + ORIGINAL_REQUEST_IDENTIFIER);
    }

    /** Writes Original Request Identifier. */
    public AtomicResponse originalRequestIdentifier(int value) {
        segment.set(U32, offset + ORIGINAL_REQUEST_IDENTIFIER, value);
        return this;
    }

    /** Original Remote Data Value: the value before the operation. */
    public long originalRemoteDataValue() {
        return segment.get(U64, offset + ORIGINAL_REMOTE_DATA_VALUE);
    }

    /** Writes Original Remote Data Value. */
    public AtomicResponse originalRemoteDataValue(long value) {
        segment.set(U64, offset + ORIGINAL_REMOTE_DATA_VALUE, value);
        return this;
    }

    /** Appends one line such as {@code id=1 value=0x0000000000000007}. */
    public StringBuilder describe(StringBuilder out) {
        Hex.unsigned(out.append("id="), originalRequestIdentifier());
        return Hex.to(out.append(" value="), originalRemoteDataValue());
    }
}
