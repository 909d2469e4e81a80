package io.verbena.bench;

import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.EventAddress;
import io.verbena.verbs.EventSource;
import io.verbena.verbs.HandlerOptions;
import io.verbena.verbs.HandlerProcessor;
import io.verbena.verbs.ProcessorOptions;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * What it costs to signal a handler processor that sleeps, beside a bare unpark of a thread that is parked: the time that
 * the caller spends, interleaved, medians. Run: {@code java -cp … io.verbena.bench.WakeFigures}
 */
public final class WakeFigures {

    private static final int ROUNDS = 7;
    private static final int EACH = 400;

    private WakeFigures() {}

    public static void main(String[] arguments) throws InterruptedException {
        Thread parked = Thread.ofPlatform().daemon().start(() -> {
            while (true) {
                LockSupport.park();
            }
        });
        Thread[] served = new Thread[1];
        CountDownLatch known = new CountDownLatch(1);
        try (HandlerProcessor processor = HandlerProcessor.open(ProcessorOptions.thread("sleeper"))) {
            processor.signal(CqHandlerId.NONE, () -> {
                served[0] = Thread.currentThread();
                known.countDown();
            });
            known.await();
            EventAddress address = processor
                    .attach(new CqHandlerId(1), HandlerOptions.defaults(), new Nothing())
                    .orElseThrow();
            double[] ratios = new double[ROUNDS];
            for (int round = -2; round < ROUNDS; round++) {
                double bare = medianNs(parked, () -> LockSupport.unpark(parked));
                double signal = medianNs(served[0], address::signal);
                System.out.printf("unpark %.0f ns, signal %.0f ns, ratio %.2f%n", bare, signal, signal / bare);
                ratios[Math.max(0, round)] = signal / bare;
            }
            Arrays.sort(ratios);
            System.out.printf(
                    "median ratio %.2f (%.2f to %.2f); must be at most 1.2%n",
                    ratios[ROUNDS / 2], ratios[0], ratios[ROUNDS - 1]);
        }
    }

    private static double medianNs(Thread sleeper, Runnable wake) {
        long[] times = new long[EACH];
        for (int i = 0; i < EACH; i++) {
            while (sleeper.getState() != Thread.State.WAITING) {
                LockSupport.parkNanos(50_000);
            }
            LockSupport.parkNanos(50_000); // it is on its way into the system
            long startNs = System.nanoTime();
            wake.run();
            times[i] = System.nanoTime() - startNs;
        }
        Arrays.sort(times);
        return times[EACH / 2];
    }

    private static final class Nothing implements EventSource {
        @Override
        public boolean serve() {
            return false;
        }

        @Override
        public void abandon() {}
    }
}
