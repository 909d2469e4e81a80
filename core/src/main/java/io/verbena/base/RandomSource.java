package io.verbena.base;

/** Source of randomness for engines: a cryptographic generator in production, a seeded generator in a simulation. */
public interface RandomSource {

    /** 64 random bits. */
    long nextLong();

    /** 32 random bits. */
    default int nextInt() {
        return (int) (nextLong() >>> 32);
    }

    /** Uniform in 0 (inclusive) to {@code bound} (exclusive); bound is 1 or more. */
    default int nextInt(int bound) {
        return (int) ((nextInt() & 0xffff_ffffL) * bound >>> 32);
    }
}
