package io.verbena.tcp;

import io.verbena.base.RandomSource;

/** The same numbers in every run. */
public final class FixedRandom implements RandomSource {

    private long state = 0x1234_5678_9abc_def0L;

    @Override
    public long nextLong() {
        state = state * 6364136223846793005L + 1442695040888963407L;
        return state ^ state >>> 29;
    }
}
