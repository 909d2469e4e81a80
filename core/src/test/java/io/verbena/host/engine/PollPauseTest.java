package io.verbena.host.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The rows of the table of {@link PollPause}. */
class PollPauseTest {

    private static final long MOMENT_NS = 1_000;
    private static final long SLICE_NS = 4_000_000;

    private final PollPause pause = new PollPause();
    private boolean crowded;
    private long nowNs = 1_000_000_000;

    @BeforeEach
    void decide() {
        pause.rule(_ -> !crowded);
    }

    private PollPause.Kind after(long emptyNs) {
        return pause.after(emptyNs, nowNs);
    }

    /** The thread polls for this time and finds nothing, then waits. */
    private void spinsInVain() {
        nowNs += SLICE_NS;
        assertEquals(PollPause.Kind.NONE, after(PollPause.CROWDED_NS - 1));
        assertEquals(PollPause.Kind.WAIT, after(PollPause.CROWDED_NS));
        pause.waits(nowNs);
        pause.worked();
    }

    @Test
    void nothingElseRuns_yieldAfterALongSpin() {
        assertEquals(PollPause.Kind.NONE, after(PollPause.POLITE_AFTER_NS - 1));
        assertEquals(PollPause.Kind.YIELD, after(PollPause.POLITE_AFTER_NS));
        pause.yielded(MOMENT_NS);
        assertEquals(PollPause.Kind.NONE, after(PollPause.POLITE_AFTER_NS - 1));
    }

    @Test
    void peerOnThisProcessor_yieldAlmostAtOnce_untilItHasLeft() {
        pause.yielded(5 * MOMENT_NS);
        assertEquals(PollPause.Kind.NONE, after(PollPause.PEER_HERE_NS - 1));
        assertEquals(PollPause.Kind.YIELD, after(PollPause.PEER_HERE_NS));
        for (int i = 0; i < 6; i++) {
            pause.yielded(MOMENT_NS);
        }
        assertEquals(PollPause.Kind.NONE, after(PollPause.POLITE_AFTER_NS - 1));
    }

    @Test
    void yieldThatLostATimeSlice_isNotThePeer() {
        pause.yielded(5 * MOMENT_NS);
        pause.yielded(SLICE_NS);
        assertEquals(PollPause.Kind.NONE, after(PollPause.POLITE_AFTER_NS - 1));
    }

    @Test
    void threadComputes_aSpinThenAWait() {
        crowded = true;
        for (int i = 0; i < PollPause.MOST_MISSES; i++) {
            spinsInVain();
        }
    }

    @Test
    void spinsInVain_areLeftOut_untilTheRetry() {
        crowded = true;
        for (int i = 0; i < PollPause.MOST_MISSES; i++) {
            spinsInVain();
        }
        assertEquals(PollPause.Kind.WAIT, after(0));
        pause.waits(nowNs);
        pause.worked();
        nowNs += PollPause.RETRY_NS - 1;
        assertEquals(PollPause.Kind.WAIT, after(0));
        nowNs++;
        spinsInVain();
        assertEquals(PollPause.Kind.WAIT, after(0), "one miss is enough now");
    }

    /** Polls once in vain, and finds work this time later. */
    private void spins(long laterNs) {
        assertEquals(PollPause.Kind.NONE, after(1));
        nowNs += laterNs;
        pause.caught(nowNs);
        pause.worked();
    }

    @Test
    void workFoundBySpinning_forgetsTheMisses() {
        crowded = true;
        for (int round = 0; round < 3; round++) {
            for (int i = 1; i < PollPause.MOST_MISSES; i++) {
                spinsInVain();
            }
            spins(PollPause.CAUGHT_NS - 1);
        }
        assertEquals(PollPause.Kind.NONE, after(0));
    }

    @Test
    void workThatCameWhileTheThreadHadNoProcessor_isAMiss() {
        crowded = true;
        for (int i = 0; i < PollPause.MOST_MISSES; i++) {
            spins(SLICE_NS);
        }
        assertEquals(PollPause.Kind.WAIT, after(0));
    }
}
