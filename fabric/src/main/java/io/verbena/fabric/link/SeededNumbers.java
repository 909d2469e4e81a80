package io.verbena.fabric.link;

import io.verbena.base.RandomSource;

/** The random numbers of a seed (SplitMix64): always the same. */
public final class SeededNumbers implements RandomSource {
    private static final long STEP = 0x9E37_79B9_7F4A_7C15L;

    private long state;

    /** The numbers of a seed. */
    public SeededNumbers(long seed) {
        state = seed;
    }

    @Override
    public long nextLong() {
        state += STEP;
        return mix(state);
    }

    /** The next state after one that an array holds. */
    static long next(long state) {
        return state + STEP;
    }

    /** The number of a state. */
    static long mix(long state) {
        long x = (state ^ state >>> 30) * 0xBF58_476D_1CE4_E5B9L;
        x = (x ^ x >>> 27) * 0x94D0_49BB_1331_11EBL;
        return x ^ x >>> 31;
    }

    /** The number of trials up to and including the first success, where {@code logOfFailure} is ln(1 - probability). */
    static long trials(long bits, double logOfFailure) {
        double uniform = ((bits >>> 11) + 1) * 0x1p-53;
        return 1 + (long) Math.min(1e15, Math.log(uniform) / logOfFailure);
    }

    /** The number of trials up to and including the first success. */
    public long trials(double probability) {
        return probability >= 1 ? 1 : trials(nextLong(), Math.log1p(-probability));
    }
}
