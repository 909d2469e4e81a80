package io.verbena.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The RDMAP header of an RDMA Read Request; it follows the untagged DDP header and is the whole payload.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                           SinkSTag                            |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                            SinkTO                             |
 *  +                                                               +
 *  |                                                               |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                           RDMARDSZ                            |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                            SrcSTag                            |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                             SrcTO                             |
 *  +                                                               +
 *  |                                                               |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>A flyweight: {@link #wrap} points it at memory, nothing is copied. Check {@link #fits} before use.
 * Source: RFC 5040 section 4.4.
 */
public final class ReadRequest {
    /** Bytes. */
    public static final int LENGTH = 28;

    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final int SINK_STAG = 0;
    private static final int SINK_TO = 4;
    private static final int RDMARDSZ = 12;
    private static final int SRC_STAG = 16;
    private static final int SRC_TO = 20;

    private MemorySegment segment = MemorySegment.NULL;
    private long offset;

    /** Whether {@code available} bytes hold the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the header that starts at {@code offset}. */
    public ReadRequest wrap(MemorySegment segment, long offset) {
        this.segment = segment;
        this.offset = offset;
        return this;
    }

    /** SinkSTag: key of the destination buffer, repeated by the response. */
    public int sinkStag() {
        return segment.get(U32, offset + SINK_STAG);
    }

    /** Writes SinkSTag. */
    public ReadRequest sinkStag(int value) {
        segment.set(U32, offset + SINK_STAG, value);
        return this;
    }

    /** SinkTO: offset in the sink buffer, bytes, unsigned 64 bits. */
    public long sinkTo() {
        return segment.get(U64, offset + SINK_TO);
    }

    /** Writes SinkTO. */
    public ReadRequest sinkTo(long value) {
        segment.set(U64, offset + SINK_TO, value);
        return this;
    }

    /** RDMARDSZ: how many bytes to read, 0 to 2^32-1. */
    public long rdmardsz() {
        return Integer.toUnsignedLong(segment.get(U32, offset + RDMARDSZ));
    }

    /** Writes RDMARDSZ. */
    public ReadRequest rdmardsz(long value) {
        segment.set(U32, offset + RDMARDSZ, (int) value);
        return this;
    }

    /** SrcSTag: key of the buffer to read. */
    public int srcStag() {
        return segment.get(U32, offset + SRC_STAG);
    }

    /** Writes SrcSTag. */
    public ReadRequest srcStag(int value) {
        segment.set(U32, offset + SRC_STAG, value);
        return this;
    }

    /** SrcTO: offset in the source buffer, bytes, unsigned 64 bits. */
    public long srcTo() {
        return segment.get(U64, offset + SRC_TO);
    }

    /** Writes SrcTO. */
    public ReadRequest srcTo(long value) {
        segment.set(U64, offset + SRC_TO, value);
        return this;
    }

    /** Appends one line: {@code sink=STAG+TO size=64 src=STAG+TO}, keys and offsets in hexadecimal. */
    public StringBuilder describe(StringBuilder out) {
        Hex.stag(out.append("sink="), sinkStag());
        Hex.to(out.append('+'), sinkTo()).append(" size=").append(rdmardsz());
        Hex.stag(out.append(" src="), srcStag());
        return Hex.to(out.append('+'), srcTo());
    }
}
