package io.verbena.base;

/** Mixes values into a 64-bit digest of an engine's state, for trace hashes and for exploration. Not cryptographic. */
public final class Digest {

    private static final long PRIME = 0x9E37_79B9_7F4A_7C15L;

    private Digest() {}

    /**
     * The digest of a sequence of values followed by {@code value}, where {@code digest} is the digest of the sequence, or its
     * first value: a small one is spread over all bits first, so that 2 followed by 8 differs from 8 followed by 2.
     */
    public static long mix(long digest, long value) {
        long x = (digest * PRIME ^ value) * PRIME;
        x ^= x >>> 29;
        x *= 0xBF58_476D_1CE4_E5B9L;
        return x ^ x >>> 32;
    }

    /** Up to 64 flags as one value for {@link #mix}. */
    public static long flags(boolean... flags) {
        long bits = 0;
        for (boolean flag : flags) {
            bits = bits << 1 | (flag ? 1 : 0);
        }
        return bits;
    }
}
