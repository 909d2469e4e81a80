package io.verbena.bench;

import io.verbena.bench.endpoint.Endpoint;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Progress;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * What several paths cost where they bring nothing: Writes over the loopback interface on an ordinary connection and on
 * one with paths, in turn. A thread drives both INLINE ends of a connection and measures its own processor time, so
 * that other programs on the machine disturb little. Run:
 * {@code bench/launch io.verbena.bench.PathCost [PATHS [ROUNDS]]}
 */
public final class PathCost {

    private static final int LONG_BYTES = 64 * 1024;
    private static final int SHORT_BYTES = 8;

    /** Writes of a batch: long ones follow each other, a short one is waited for. */
    private static final int LONG_BATCH = 8;

    private static final int WARM_UP_ROUNDS = 6;
    private static final long ROUND_NS = 250_000_000;
    private static final int BATCHES = 16;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final Endpoint a;
    private final Endpoint b;

    private PathCost(int paths) throws Exception {
        RnicOptions options = RnicOptions.defaults().withProvider("roce").withProgress(Progress.INLINE);
        a = new Endpoint(options, LONG_BATCH * LONG_BYTES, LONG_BATCH);
        b = new Endpoint(options, LONG_BATCH * LONG_BYTES, LONG_BATCH);
        Endpoint.connect(a, b, ConnectionOptions.defaults().withPaths(paths));
    }

    public static void main(String[] arguments) throws Exception {
        int paths = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 2;
        int rounds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 15;
        try (Side plain = new Side(1);
                Side sprayed = new Side(paths)) {
            double[][] longs = pairs(plain, sprayed, LONG_BYTES, LONG_BATCH, rounds);
            double[][] shorts = pairs(plain, sprayed, SHORT_BYTES, 1, rounds);
            System.out.printf(
                    "Write of 64 KiB: %.0f ns, with %d paths %.0f ns, ratio %.3f (%.3f to %.3f)%n",
                    middle(longs[0]), paths, middle(longs[1]), middle(longs[2]), longs[2][0], longs[2][rounds - 1]);
            System.out.printf(
                    "Write of 8 bytes: %.0f ns, with %d paths %.0f ns, difference %.0f ns%n",
                    middle(shorts[0]), paths, middle(shorts[1]), middle(shorts[1]) - middle(shorts[0]));
        }
    }

    /** Nanoseconds per Write of both sides, and their ratios, each in order. */
    private static double[][] pairs(Side plain, Side sprayed, int bytes, int batch, int rounds) throws Exception {
        double[][] figures = new double[3][rounds];
        for (int round = -WARM_UP_ROUNDS; round < rounds; round++) {
            int at = Math.max(0, round);
            figures[0][at] = plain.costNs(bytes, batch);
            figures[1][at] = sprayed.costNs(bytes, batch);
            figures[2][at] = figures[1][at] / figures[0][at];
        }
        for (double[] each : figures) {
            Arrays.sort(each);
        }
        return figures;
    }

    private static double middle(double[] ordered) {
        return ordered[ordered.length / 2];
    }

    /** A connection in a thread of its own. */
    private static final class Side implements AutoCloseable {
        private final ExecutorService thread = Executors.newSingleThreadExecutor();
        private final PathCost cost;

        Side(int paths) throws Exception {
            cost = thread.submit(() -> new PathCost(paths)).get();
        }

        double costNs(int bytes, int batch) throws Exception {
            return thread.submit(() -> cost.costNs(bytes, batch)).get();
        }

        @Override
        public void close() throws Exception {
            thread.submit(() -> {
                        cost.a.close();
                        cost.b.close();
                    })
                    .get();
            thread.close();
        }
    }

    /** Processor time per Write. */
    private double costNs(int bytes, int batch) {
        long startNs = THREADS.getCurrentThreadCpuTime();
        long usedNs = 0;
        long writes = 0;
        while (usedNs < ROUND_NS) {
            for (int i = 0; i < BATCHES; i++) {
                exchange(bytes, batch);
            }
            writes += (long) BATCHES * batch;
            usedNs = THREADS.getCurrentThreadCpuTime() - startNs;
        }
        return (double) usedNs / writes;
    }

    /** A batch of Writes, until all are complete. */
    private void exchange(int bytes, int batch) {
        a.queuePair.startBatch();
        for (int i = 0; i < batch; i++) {
            long at = (long) i * bytes;
            a.queuePair.postWrite(
                    i,
                    a.region,
                    at,
                    bytes,
                    b.region.remote(),
                    at,
                    i == batch - 1 ? WrFlags.SIGNALLED : WrFlags.UNSIGNALLED);
        }
        a.queuePair.ringDoorbell();
        while (a.poll() == 0) {
            b.rnic.progress();
        }
    }
}
