package io.verbena.wire.ib;

import io.verbena.wire.Header;

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
 * <p>Source: InfiniBand architecture specification, volume 1, section 9.3.5.
 */
public final class Aeth extends Header<Aeth> {
    /** Length in bytes. */
    public static final int LENGTH = 4;

    private static final int SYNDROME = 0;
    private static final int MSN = 1;

    /** Whether {@code available} bytes contain the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Syndrome, 0 to 255; see {@link Syndrome}. */
    public int syndrome() {
        return u8(SYNDROME);
    }

    public Aeth syndrome(int value) {
        return u8(SYNDROME, value);
    }

    /** MSN: messages that the responder has completed, 24 bits that wrap. */
    public int msn() {
        return u24(MSN);
    }

    public Aeth msn(int value) {
        return u24(MSN, value);
    }

    /** Writes the whole header. */
    public Aeth set(int syndrome, int msn) {
        return u32(0, syndrome << 24 | msn & 0xffffff);
    }

    /** Appends one line such as {@code ACK credits=31 msn=5}. */
    public StringBuilder describe(StringBuilder out) {
        return Syndrome.describe(out, syndrome()).append(" msn=").append(msn());
    }
}
