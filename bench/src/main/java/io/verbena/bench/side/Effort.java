package io.verbena.bench.side;

/**
 * How long things are measured.
 *
 * @param pairs how often each contestant runs
 * @param runNs length of a run
 * @param leastWarmNs shortest warm-up of a contestant
 * @param mostWarmNs longest: when its figures do not settle
 */
record Effort(int pairs, long runNs, long leastWarmNs, long mostWarmNs) {

    static final int PAIRS = 7;
    private static final long MS = 1_000_000;
    private static final int TINY_BYTES = 64;
    private static final int TINY_FACTOR = 4;

    static Effort full(int pairs) {
        return new Effort(pairs, 200 * MS, 1500 * MS, 3000 * MS);
    }

    static Effort quick(int pairs) {
        return new Effort(pairs, 60 * MS, 350 * MS, 600 * MS);
    }

    /** For messages of so many bytes: where one takes less than a microsecond, it is the compiler that needs time. */
    Effort forMessages(int bytes) {
        return bytes > TINY_BYTES
                ? this
                : new Effort(pairs, runNs, TINY_FACTOR * leastWarmNs, TINY_FACTOR * mostWarmNs);
    }
}
