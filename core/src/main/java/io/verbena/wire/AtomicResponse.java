package io.verbena.wire;

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
 * <p>Section 4 of the RFC mentions 32 bytes, but its figure has twelve, which is used here. Source: RFC 7306 section 5.2.2.
 */
public final class AtomicResponse extends Header<AtomicResponse> {
    /** Bytes. */
    public static final int LENGTH = 12;

    private static final int ORIGINAL_REQUEST_IDENTIFIER = 0;
    private static final int ORIGINAL_REMOTE_DATA_VALUE = 4;

    /** Whether {@code available} bytes hold the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Original Request Identifier: the one of the request. */
    public int originalRequestIdentifier() {
        return u32(ORIGINAL_REQUEST_IDENTIFIER);
    }

    public AtomicResponse originalRequestIdentifier(int value) {
        return u32(ORIGINAL_REQUEST_IDENTIFIER, value);
    }

    /** Original Remote Data Value: the value before the operation. */
    public long originalRemoteDataValue() {
        return u64(ORIGINAL_REMOTE_DATA_VALUE);
    }

    public AtomicResponse originalRemoteDataValue(long value) {
        return u64(ORIGINAL_REMOTE_DATA_VALUE, value);
    }

    /** Appends one line such as {@code id=1 value=0x0000000000000007}. */
    public StringBuilder describe(StringBuilder out) {
        Hex.unsigned(out.append("id="), originalRequestIdentifier());
        return Hex.to(out.append(" value="), originalRemoteDataValue());
    }
}
