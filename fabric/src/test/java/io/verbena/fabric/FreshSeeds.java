package io.verbena.fabric;

import java.util.Random;
import java.util.stream.LongStream;

/** The seeds of a test: fixed ones, and as many that no run has had before. */
public final class FreshSeeds {

    /** A test of one seed. */
    @FunctionalInterface
    public interface Body {
        void run(long seed) throws Exception;
    }

    private FreshSeeds() {}

    /**
     * Runs a test with the seeds from 1 on, and with fresh ones. The failure of one names its seed, which {@code -Dverbena.freshFrom}
     * repeats; {@code -Dverbena.seeds} sets the number.
     */
    public static void each(int unstated, Body body) {
        int count = Integer.getInteger("verbena.seeds", unstated);
        long fresh = Long.getLong("verbena.freshFrom", new Random().nextInt(1 << 30));
        LongStream.concat(LongStream.rangeClosed(1, count), LongStream.range(fresh, fresh + count))
                .forEach(seed -> {
                    try {
                        body.run(seed);
                    } catch (Exception | AssertionError e) {
                        throw new AssertionError("seed " + seed + "; -Dverbena.freshFrom=" + seed + " repeats it", e);
                    }
                });
    }
}
