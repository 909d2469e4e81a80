package io.verbena.memory;

import io.verbena.base.RandomSource;

/** SplitMix64 from a seed. */
final class SeededRandom implements RandomSource {

    private long state;

    SeededRandom(long seed) {
        state = seed;
    }

    @Override
    public long nextLong() {
        state += 0x9E37_79B9_7F4A_7C15L;
        long z = state;
        z = (z ^ z >>> 30) * 0xBF58_476D_1CE4_E5B9L;
        z = (z ^ z >>> 27) * 0x94D0_49BB_1331_11EBL;
        return z ^ z >>> 31;
    }
}
