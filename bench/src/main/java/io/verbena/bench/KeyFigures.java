package io.verbena.bench;

import static io.verbena.bench.MemoryFigure.median;

import com.sun.management.ThreadMXBean;
import io.verbena.bench.side.Goal;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Locale;

/** What a check, a cache miss, and a posted bind cost: the benchmarks' own methods, in turns in one JVM. */
final class KeyFigures {

    private static final int MILLION = 1_000_000;

    /** In one round. */
    private static final int CHECKS = 2 * MILLION;

    private static final int PAIRS = 320_000;
    private static final int WARM_UPS = 8;

    private final int rounds;

    @SuppressWarnings("UnusedVariable") // the compiler must not leave out what is measured
    private long sink;

    KeyFigures(int rounds) {
        this.rounds = rounds;
    }

    // A loop each: one that is given what to do would not be compiled for it.

    private double checks(KeyCheckBenchmark benchmark) {
        long begin = System.nanoTime();
        long sum = 0;
        for (int i = 0; i < CHECKS; i++) {
            sum += benchmark.check().ordinal();
        }
        sink += sum;
        return (System.nanoTime() - begin) / (double) CHECKS;
    }

    private double misses(KeyCheckBenchmark benchmark) {
        long begin = System.nanoTime();
        long sum = 0;
        for (int i = 0; i < CHECKS; i++) {
            sum += benchmark.miss();
        }
        sink += sum;
        return (System.nanoTime() - begin) / (double) CHECKS;
    }

    /** Nanoseconds a pair. */
    private double binds(PostedBindBenchmark benchmark) {
        int calls = PAIRS / PostedBindBenchmark.PAIRS;
        long begin = System.nanoTime();
        for (int i = 0; i < calls; i++) {
            sink += benchmark.bindAndUnbind();
        }
        return (System.nanoTime() - begin) / (double) PAIRS;
    }

    List<MemoryFigure> measure() throws IOException {
        KeyCheckBenchmark one = new KeyCheckBenchmark();
        one.keys = 1;
        one.bind();
        KeyCheckBenchmark many = new KeyCheckBenchmark();
        many.keys = MILLION;
        many.bind();
        double[] hot = new double[rounds];
        double[] cold = new double[rounds];
        double[] miss = new double[rounds];
        double[] misses = new double[rounds];
        for (int i = -WARM_UPS; i < rounds; i++) {
            int at = Math.max(i, 0);
            hot[at] = checks(one);
            cold[at] = checks(many);
            miss[at] = misses(many);
            misses[at] = (cold[at] - hot[at]) / miss[at];
        }
        String ns = String.format(Locale.ROOT, "%.1f ns", median(hot));
        return List.of(
                new MemoryFigure("check and translation, hot, in ns", ns, "", "", hot, Goal.atMost(20)),
                new MemoryFigure(
                        "the same, a million keys at random, beyond that, in misses",
                        String.format(Locale.ROOT, "%.0f ns", median(cold)),
                        "one cache miss",
                        String.format(Locale.ROOT, "%.0f ns", median(miss)),
                        misses,
                        Goal.atMost(1.5)),
                bind(true),
                bind(false));
    }

    private MemoryFigure bind(boolean fresh) throws IOException {
        PostedBindBenchmark binds = new PostedBindBenchmark();
        binds.fresh = fresh;
        binds.batch = true;
        binds.connect();
        double[] rate = new double[rounds];
        long allocated = 0;
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        for (int i = -WARM_UPS; i < rounds; i++) {
            if (i == 0) {
                allocated = threads.getCurrentThreadAllocatedBytes();
            }
            rate[Math.max(i, 0)] = 1e3 / binds(binds);
        }
        double bytes = (threads.getCurrentThreadAllocatedBytes() - allocated) / (double) rounds / PAIRS;
        binds.close();
        return new MemoryFigure(
                "bind and unbind posted, " + (fresh ? "fresh value" : "value kept") + ", in million pairs/s",
                String.format(Locale.ROOT, "%.0f ns, %.1f B", 1e3 / median(rate), bytes),
                "",
                "",
                rate,
                Goal.atLeast(2));
    }
}
