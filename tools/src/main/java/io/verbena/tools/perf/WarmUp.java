package io.verbena.tools.perf;

import io.verbena.base.Times;
import io.verbena.tools.base.Failure;
import io.verbena.tools.text.Figures;
import java.time.Duration;
import java.util.Optional;

/**
 * What runs before a measurement and does not count: either for a fixed time, or in windows until the code runs as
 * fast as it will. That is the case when the compilers of both sides are quiet and two windows in a row are about as
 * fast as the best so far, or six are about as fast as each other: on a machine on which where the threads run
 * decides, the best may not come again. A latency is as fast as its median, because single messages that wait for a
 * processor say nothing about the code. What the first second achieved is a figure of its own: a program that runs for
 * a second only has that.
 *
 * <pre>
 *   | first second              | window | window | window | measurement
 *   | compiler busy ..........................|  quiet, both windows like the best
 * </pre>
 */
public final class WarmUp {

    /** Measures once, for a number of nanoseconds. */
    interface Window {
        PerfResult run(long durationNs) throws Failure;
    }

    /** Instead of a fixed time. */
    private static final long UNTIL_STEADY = -1;

    private static final long FIRST_NS = 1_000_000_000L;
    private static final long WINDOW_NS = 250_000_000L;

    /** Windows after which it ends in any case: 5 s. */
    static final int MOST_WINDOWS = 20;

    /** The compiler is quiet if it has worked for less than this part of a window: a twentieth. */
    private static final int QUIET_PART = 20;

    /** A window is as fast as another one if it differs by at most this factor. */
    private static final double AGREED = 1.1;

    /** Windows in a row that end it if they are as fast as the best one, and if they are as fast as each other. */
    private static final int LIKE_BEST = 2;

    private static final int LIKE_EACH_OTHER = 6;

    private final long fixedNs;
    private final boolean first;
    private Optional<PerfResult> firstSecond = Optional.empty();
    private boolean steady;
    private long tookNs;

    private WarmUp(long fixedNs, boolean first) {
        this.fixedNs = fixedNs;
        this.first = first;
    }

    /** Nothing runs before. */
    public static WarmUp none() {
        return lasting(Duration.ZERO);
    }

    /** For a fixed time, which may be zero. */
    public static WarmUp lasting(Duration time) {
        return new WarmUp(Times.nanos(time), false);
    }

    /**
     * Until the figures are steady, for six seconds at most.
     *
     * @param first whether the operation runs for the first time, so that its first second is a figure
     */
    public static WarmUp untilSteady(boolean first) {
        return new WarmUp(UNTIL_STEADY, first);
    }

    /** What was achieved in the first second, if that was asked. */
    public Optional<PerfResult> firstSecond() {
        return firstSecond;
    }

    /** How long it took. */
    public long tookNs() {
        return tookNs;
    }

    /** Both in a sentence, if the first second was measured. */
    public Optional<String> summary() {
        String end = (steady ? "Steady after " : "Not steady after ")
                + Figures.seconds(Duration.ofMillis(tookNs / 100_000_000 * 100));
        return firstSecond.map(it -> "  First second: " + it.summary() + ". " + end + ".");
    }

    void run(Window window) throws Failure {
        long beginNs = System.nanoTime();
        if (fixedNs > 0) {
            window.run(fixedNs);
        } else if (fixedNs == UNTIL_STEADY) {
            if (first) {
                firstSecond = Optional.of(window.run(FIRST_NS));
            }
            untilSteady(window);
        }
        tookNs = System.nanoTime() - beginNs;
    }

    private void untilSteady(Window window) throws Failure {
        double best = firstSecond.map(WarmUp::speed).orElse(0.0);
        double slowest = 0;
        double fastest = 0;
        int likeBest = 0;
        int likeEachOther = 0;
        for (int i = 0; i < MOST_WINDOWS && !steady; i++) {
            PerfResult result = window.run(WINDOW_NS);
            boolean quiet = result.cpu().compilerNs() * QUIET_PART < WINDOW_NS;
            double speed = speed(result);
            likeBest = quiet && agree(best, speed) ? likeBest + 1 : 0;
            boolean goesOn = quiet && likeEachOther > 0 && agree(slowest, speed) && agree(fastest, speed);
            likeEachOther = goesOn ? likeEachOther + 1 : quiet ? 1 : 0;
            slowest = goesOn ? Math.min(slowest, speed) : speed;
            fastest = goesOn ? Math.max(fastest, speed) : speed;
            best = Math.max(best, speed);
            steady = likeBest == LIKE_BEST || likeEachOther == LIKE_EACH_OTHER;
        }
    }

    private static boolean agree(double one, double other) {
        return one * AGREED >= other && one <= other * AGREED;
    }

    /** Messages per second, or the inverse of the median latency. */
    private static double speed(PerfResult result) {
        return result.latencies().map(it -> 1e9 / Math.max(1, it.medianNs())).orElseGet(result::messagesPerSecond);
    }
}
