package io.verbena.bench.side;

/**
 * How long things are measured, and warmed up before: what runs once a system call runs some thousand times a second, and the
 * compiler wants to have seen it about fifteen thousand times. Streams of 64 KiB reach half of their rate in the first second,
 * all of it after some four.
 *
 * @param pairs how often each contestant runs
 * @param runNs length of a run
 * @param leastWarmNs shortest warm-up of a contestant
 * @param mostWarmNs longest: when its figures do not settle
 */
record Effort(int pairs, long runNs, long leastWarmNs, long mostWarmNs) {

    static final int PAIRS = 7;
    private static final long MS = 1_000_000;

    static Effort full(int pairs) {
        return new Effort(pairs, 200 * MS, 6000 * MS, 8000 * MS);
    }

    static Effort quick(int pairs) {
        return new Effort(pairs, 60 * MS, 1500 * MS, 2000 * MS);
    }
}
