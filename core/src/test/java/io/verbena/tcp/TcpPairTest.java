package io.verbena.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Seeds;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Two hosts on a path that loses, reorders, duplicates and corrupts packets: every byte arrives once and equal, and every connection
 * ends.
 */
class TcpPairTest {

    private static final int SEEDS = 40;

    @Tag(Seeds.TAG)
    @Test
    void badPath_bytesAreEqualAndEveryWaitEnds() {
        Seeds.each(SEEDS, seed -> PairRun.run(seed, PairPlan.of(seed)));
    }

    @Test
    void calmPath_bulk_nothingIsSentTwice() {
        PairRun run = PairRun.run(1, PairPlan.calm());
        assertEquals(0, run.dropped());
        assertTrue(run.packets() < 2_200, () -> run.packets() + " packets");
    }
}
