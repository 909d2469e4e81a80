package io.verbena.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.security.SecureRandom;
import org.junit.jupiter.api.Test;

/**
 * Two hosts on a path that loses, reorders, duplicates and corrupts packets: every byte arrives once and equal, and every connection
 * ends. {@code -Dverbena.seeds=N} runs more seeds, {@code -Dverbena.freshFrom=N} repeats those that a run has printed.
 */
class TcpPairTest {

    private static final int SEEDS = 40;

    @Test
    void badPath_freshSeeds_bytesAreEqualAndEveryWaitEnds() {
        int seeds = Integer.getInteger("verbena.seeds", SEEDS);
        long first = Long.getLong("verbena.freshFrom", new SecureRandom().nextLong(1L << 48));
        System.out.printf("%d seeds of a bad path from %d; again with -Dverbena.freshFrom=%d%n", seeds, first, first);
        for (long seed = first; seed < first + seeds; seed++) {
            PairRun.run(seed, PairPlan.of(seed));
        }
    }

    @Test
    void calmPath_bulk_nothingIsSentTwice() {
        PairRun run = PairRun.run(1, PairPlan.calm());
        assertEquals(0, run.dropped());
        assertTrue(run.packets() < 2_200, () -> run.packets() + " packets");
    }
}
