package io.verbena.bench;

import io.verbena.messaging.channel.ChannelOptions;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.messaging.ManyChannels;
import io.verbena.tools.text.ProgressBar;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Round trips of 8 bytes over one of many open channels, against one open channel; interleaved rounds of one run.
 *
 * <pre>java -cp bench/target/quick/verbena-bench.jar io.verbena.bench.MessagingIdleChannels [CHANNELS]</pre>
 */
public final class MessagingIdleChannels {

    private static final int ROUNDS = 9;
    private static final int TRIPS = 5000;

    private MessagingIdleChannels() {}

    /** A thread with its own RNICs: those of one thread are driven together. */
    private static final class Contestant implements AutoCloseable {
        private final ExecutorService thread = Executors.newSingleThreadExecutor();
        private final ManyChannels channels;

        Contestant(int count) throws Exception {
            channels = in(() -> {
                ManyChannels many = new ManyChannels(ChannelOptions.defaults(), 16, new StopSignal());
                many.connect(count, ProgressBar.hidden());
                return many;
            });
        }

        double tripNs() throws Exception {
            return in(() -> {
                long startNs = System.nanoTime();
                for (int i = 0; i < TRIPS; i++) {
                    channels.roundTrip(channels.connections() - 1, 8);
                }
                return (System.nanoTime() - startNs) / (double) TRIPS;
            });
        }

        private <T> T in(Callable<T> work) throws Exception {
            return thread.submit(work).get();
        }

        @Override
        public void close() throws Exception {
            in(() -> {
                channels.close();
                return true;
            });
            thread.shutdown();
        }
    }

    public static void main(String[] args) throws Exception {
        int many = args.length > 0 ? Integer.parseInt(args[0]) : 1000;
        try (Contestant one = new Contestant(1);
                Contestant all = new Contestant(many)) {
            double[] ratios = new double[ROUNDS];
            double[] alone = new double[ROUNDS];
            one.tripNs();
            all.tripNs();
            for (int i = 0; i < ROUNDS; i++) {
                alone[i] = one.tripNs();
                ratios[i] = all.tripNs() / alone[i];
            }
            Arrays.sort(ratios);
            Arrays.sort(alone);
            System.out.printf(
                    Locale.ROOT,
                    "8 B there and back: %.2f µs with 1 channel; %.2f times that with %d open (%.2f to %.2f)%n",
                    alone[ROUNDS / 2] / 1000,
                    ratios[ROUNDS / 2],
                    many,
                    ratios[0],
                    ratios[ROUNDS - 1]);
        }
    }
}
