package io.verbena.wire;

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
 * <p>Source: RFC 7306 section 6.2.
 */
public final class ImmediateData extends Header<ImmediateData> {
    /** Bytes. */
    public static final int LENGTH = 8;

    private static final int IMMEDIATE_DATA = 0;

    /** Whether {@code available} bytes hold the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Immediate Data: eight bytes of the application, first byte most significant. */
    public long immediateData() {
        return u64(IMMEDIATE_DATA);
    }

    public ImmediateData immediateData(long value) {
        return u64(IMMEDIATE_DATA, value);
    }

    /** Appends one line such as {@code data=0x0000000000000007}. */
    public StringBuilder describe(StringBuilder out) {
        return Hex.to(out.append("data="), immediateData());
    }
}
