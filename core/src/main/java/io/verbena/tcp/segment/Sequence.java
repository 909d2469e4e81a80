package io.verbena.tcp.segment;

/**
 * Sequence numbers without wrap-around. Inside the engine a sequence number has 64 bits, of which the lower 32 are those of the
 * wire; so numbers are compared with {@code <}, and only the conversion from the wire knows that they wrap.
 */
public final class Sequence {

    /** The first numbers are above 2^32, so that numbers before them stay positive. */
    private static final long FIRST = 1L << 32;

    private Sequence() {}

    /** An initial sequence number. */
    public static long first(int wire) {
        return FIRST + Integer.toUnsignedLong(wire);
    }

    /** The number with these lower 32 bits that is nearest to another one (RFC 9293 section 3.4 [note]). */
    public static long unwrap(long near, int wire) {
        return near + (wire - (int) near);
    }
}
