package io.verbena.survival;

import io.verbena.wire.Header;

/**
 * The result of one atomic operation in a message of the resume exchange.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                       Number (8 bytes)                        |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                      Original (8 bytes)                       |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 */
public final class ResumeResult extends Header<ResumeResult> {
    /** Bytes. */
    public static final int LENGTH = 16;

    /** Whether {@code available} bytes hold the entry. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    public long number() {
        return u64(0);
    }

    public ResumeResult number(long value) {
        return u64(0, value);
    }

    public long original() {
        return u64(8);
    }

    public ResumeResult original(long value) {
        return u64(8, value);
    }

    /** Appends {@code number=original}. */
    public StringBuilder describe(StringBuilder out) {
        return out.append(number()).append('=').append(original());
    }
}
