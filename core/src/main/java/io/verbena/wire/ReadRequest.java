package io.verbena.wire;

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
 * <p>Source: RFC 5040 section 4.4.
 */
public final class ReadRequest extends Header<ReadRequest> {
    /** Bytes. */
    public static final int LENGTH = 28;

    private static final int SINK_STAG = 0;
    private static final int SINK_TO = 4;
    private static final int RDMARDSZ = 12;
    private static final int SRC_STAG = 16;
    private static final int SRC_TO = 20;

    /** Whether {@code available} bytes hold the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** SinkSTag: key of the destination buffer, repeated by the response. */
    public int sinkStag() {
        return u32(SINK_STAG);
    }

    public ReadRequest sinkStag(int value) {
        return u32(SINK_STAG, value);
    }

    /** SinkTO: offset in the sink buffer, bytes, unsigned 64 bits. */
    public long sinkTo() {
        return u64(SINK_TO);
    }

    public ReadRequest sinkTo(long value) {
        return u64(SINK_TO, value);
    }

    /** RDMARDSZ: how many bytes to read, 0 to 2^32-1. */
    public long rdmardsz() {
        return Integer.toUnsignedLong(u32(RDMARDSZ));
    }

    public ReadRequest rdmardsz(long value) {
        return u32(RDMARDSZ, (int) value);
    }

    /** SrcSTag: key of the buffer to read. */
    public int srcStag() {
        return u32(SRC_STAG);
    }

    public ReadRequest srcStag(int value) {
        return u32(SRC_STAG, value);
    }

    /** SrcTO: offset in the source buffer, bytes, unsigned 64 bits. */
    public long srcTo() {
        return u64(SRC_TO);
    }

    public ReadRequest srcTo(long value) {
        return u64(SRC_TO, value);
    }

    /** Appends one line: {@code sink=STAG+TO size=64 src=STAG+TO}, keys and offsets in hexadecimal. */
    public StringBuilder describe(StringBuilder out) {
        Hex.stag(out.append("sink="), sinkStag());
        Hex.to(out.append('+'), sinkTo()).append(" size=").append(rdmardsz());
        Hex.stag(out.append(" src="), srcStag());
        return Hex.to(out.append('+'), srcTo());
    }
}
