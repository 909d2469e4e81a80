package io.verbena.tools.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.tools.base.Failure;
import io.verbena.tools.text.Latencies;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class WarmUpTest {

    private static final long WINDOW_NS = 250_000_000L;

    /** Lengths of the windows so far. */
    private final List<Long> windows = new ArrayList<>();

    /** How long the compiler works in each window. */
    private long compilerNs;

    /** Windows of these rates; the last one is repeated. */
    private WarmUp.Window rates(double... perSecond) {
        return durationNs -> {
            double rate = perSecond[Math.min(windows.size(), perSecond.length - 1)];
            windows.add(durationNs);
            return new PerfResult(
                    PerfOp.WRITE_BW,
                    64,
                    new PerfResult.Moved(Math.round(rate * durationNs / 1e9), durationNs),
                    Optional.empty(),
                    new PerfResult.Cpu(0, 0, compilerNs),
                    true);
        };
    }

    @Test
    void twoWindowsLikeTheBest_endIt() throws Failure {
        WarmUp warmUp = WarmUp.untilSteady(false);
        warmUp.run(rates(1e6, 2e6, 3e6, 3.1e6, 2.9e6, 9e9));
        assertEquals(5, windows.size());
        assertTrue(warmUp.firstSecond().isEmpty());
    }

    @Test
    void firstSecond_isAFigureOfItsOwn() throws Failure {
        WarmUp warmUp = WarmUp.untilSteady(true);
        warmUp.run(rates(1e6, 2e6));
        assertEquals(List.of(4 * WINDOW_NS, WINDOW_NS, WINDOW_NS, WINDOW_NS), windows);
        assertEquals(1e6, warmUp.firstSecond().orElseThrow().messagesPerSecond());
        assertTrue(warmUp.summary().orElseThrow().contains("First second: 64.00 MB/s"), warmUp.summary()::toString);
    }

    @Test
    void firstSecondThatWasFaster_isReachedAgain() throws Failure {
        WarmUp.untilSteady(true).run(rates(4e6, 1e6, 1e6, 1e6, 1e6, 4e6));
        assertEquals(7, windows.size());
    }

    @Test
    void windowsLikeEachOtherAfterAFasterOne_endIt() throws Failure {
        WarmUp warmUp = WarmUp.untilSteady(true);
        warmUp.run(rates(4e6, 1e6));
        assertEquals(7, windows.size());
        assertTrue(warmUp.summary().orElseThrow().contains("Steady after"), warmUp.summary()::toString);
    }

    @Test
    void windowsThatGetSlowerBitByBit_areNotLikeEachOther() throws Failure {
        WarmUp.untilSteady(true).run(rates(4e6, 1.3e6, 1.2e6, 1.1e6, 1.0e6, 0.9e6, 0.8e6, 1.6e6, 4e6));
        assertEquals(10, windows.size());
    }

    @Test
    void latencies_areComparedByTheirMedians() throws Failure {
        WarmUp warmUp = WarmUp.untilSteady(false);
        warmUp.run(durationNs -> {
            windows.add(durationNs);
            Latencies spans = new Latencies();
            for (int i = 0; i < 100; i++) {
                spans.record(i < 60 ? 1000 : 1000L * (windows.size() % 2 == 0 ? 1 : 5000));
            }
            return new PerfResult(
                    PerfOp.WRITE_LAT,
                    8,
                    new PerfResult.Moved(windows.size() % 2 == 0 ? 100 : 10_000, durationNs),
                    Optional.of(spans),
                    new PerfResult.Cpu(0, 0, 0),
                    true);
        });
        assertEquals(3, windows.size());
    }

    @Test
    void busyCompiler_isWaitedFor() throws Failure {
        WarmUp.Window equal = rates(1e6);
        WarmUp.untilSteady(false).run(durationNs -> {
            compilerNs = windows.size() < 7 ? 100_000_000 : 1_000_000;
            return equal.run(durationNs);
        });
        assertEquals(9, windows.size());
    }

    @Test
    void figuresThatNeverAgree_endIt() throws Failure {
        WarmUp.untilSteady(false)
                .run(durationNs -> rates(windows.size() % 2 == 0 ? 1e6 : 2e6).run(durationNs));
        assertEquals(WarmUp.MOST_WINDOWS, windows.size());
    }

    @Test
    void fixedTime_isOneWindow_andNoneIsNone() throws Failure {
        WarmUp half = WarmUp.lasting(Duration.ofMillis(500));
        half.run(rates(1e6));
        assertEquals(List.of(2 * WINDOW_NS), windows);
        WarmUp.lasting(Duration.ZERO).run(rates(1e6));
        assertEquals(1, windows.size());
        assertFalse(half.summary().isPresent());
    }
}
