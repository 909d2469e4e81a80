package io.verbena.bench.web;

import io.verbena.bench.endpoint.Endpoint;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/**
 * Latency and bandwidth of an RNIC with many queue pairs, in rounds with and without a page that watches it, one after the other; the processor
 * time of the samples, and what engines allocate. Both ends are in this process.
 */
public final class WatchedProcess {

    private static final int SMALL = 8;
    private static final int LARGE = 64 * 1024;
    private static final int DEPTH = 16;
    private static final long ROUND_NS = TimeUnit.SECONDS.toNanos(1);
    private static final double PERCENT = 100;

    /** One round. */
    private record Round(double latencyUs, double bytesPerSecond, long engineBytes) {}

    private final Endpoint client;
    private final Endpoint server;
    private final long[] roundTripsNs = new long[1_000_000];

    private WatchedProcess(int queuePairs) throws IOException {
        client = new Endpoint(RnicOptions.defaults(), LARGE, DEPTH, queuePairs);
        server = new Endpoint(RnicOptions.defaults(), LARGE, DEPTH, queuePairs);
        Endpoint.connect(client, server);
    }

    /** Measures. Arguments: queue pairs, pairs of rounds, samples per second. */
    public static void main(String[] arguments) throws IOException {
        int queuePairs = argument(arguments, 0, 1000);
        int rounds = argument(arguments, 1, 12);
        int perSecond = argument(arguments, 2, 5);
        WatchedProcess process = new WatchedProcess(queuePairs);
        try (Sampling sampling = new Sampling(process.client.rnic, perSecond)) {
            sampling.on(true);
            process.round();
            process.round(); // warms up
            process.measure(sampling, rounds);
        } finally {
            process.client.close();
            process.server.close();
        }
    }

    private static int argument(String[] arguments, int index, int usual) {
        return arguments.length > index ? Integer.parseInt(arguments[index]) : usual;
    }

    private void measure(Sampling sampling, int rounds) {
        List<Round> without = new ArrayList<>();
        List<Round> with = new ArrayList<>();
        long cpuNs = 0;
        long watchedNs = 0;
        long samples = sampling.samples();
        for (int i = 0; i < 2 * rounds; i++) {
            boolean watched = (i & 1) == (i >> 1 & 1); // with, without, without, with
            sampling.on(watched);
            long cpuBeforeNs = sampling.cpuNs();
            long beganNs = System.nanoTime();
            Round round = round();
            if (watched) {
                cpuNs += sampling.cpuNs() - cpuBeforeNs;
                watchedNs += System.nanoTime() - beganNs;
            }
            (watched ? with : without).add(round);
        }
        sampling.on(false);
        print(without, with);
        System.out.printf(
                "%d samples of %,d bytes: %.2f ms and %.2f %% of one core%n",
                sampling.samples() - samples,
                sampling.bytes(),
                cpuNs / 1e6 / Math.max(1, sampling.samples() - samples),
                PERCENT * cpuNs / watchedNs);
    }

    private static void print(List<Round> without, List<Round> with) {
        double[] latencies = medians(without, with, Round::latencyUs);
        double[] rates = medians(without, with, Round::bytesPerSecond);
        double[] allocated = medians(without, with, round -> (double) round.engineBytes());
        System.out.printf("%-34s %12s %12s %9s%n", "", "unwatched", "watched", "change");
        System.out.printf(
                "%-34s %12.2f %12.2f %8.2f%%%n",
                "p50 of a round trip of 8 B, us", latencies[0], latencies[1], latencies[2]);
        System.out.printf(
                "%-34s %12.1f %12.1f %8.2f%%%n", "Writes of 64 KiB, MB/s", rates[0] / 1e6, rates[1] / 1e6, rates[2]);
        System.out.printf("%-34s %12.0f %12.0f%n", "allocated by engines per round, B", allocated[0], allocated[1]);
    }

    /** The median of each kind, and the median change of neighbours in percent. */
    private static double[] medians(List<Round> without, List<Round> with, ToDoubleFunction<Round> value) {
        double[] changes = new double[Math.min(without.size(), with.size())];
        for (int i = 0; i < changes.length; i++) {
            changes[i] = PERCENT * (value.applyAsDouble(with.get(i)) / value.applyAsDouble(without.get(i)) - 1);
        }
        return new double[] {
            median(without.stream().mapToDouble(value).toArray()),
            median(with.stream().mapToDouble(value).toArray()),
            median(changes)
        };
    }

    private static double median(double[] values) {
        Arrays.sort(values);
        return values[values.length / 2];
    }

    private Round round() {
        long allocated = Sampling.allocatedByEngines();
        double latencyUs = latencyUs();
        double bytesPerSecond = bytesPerSecond();
        return new Round(latencyUs, bytesPerSecond, Sampling.allocatedByEngines() - allocated);
    }

    private double latencyUs() {
        int count = 0;
        long endNs = System.nanoTime() + ROUND_NS;
        while (System.nanoTime() - endNs < 0 && count < roundTripsNs.length) {
            server.queuePair.postReceive(1, server.region, 0, SMALL);
            client.queuePair.postReceive(1, client.region, 0, SMALL);
            long beganNs = System.nanoTime();
            client.queuePair.postSend(2, client.region, 0, SMALL, WrFlags.UNSIGNALLED);
            server.awaitOne();
            server.queuePair.postSend(2, server.region, 0, SMALL, WrFlags.UNSIGNALLED);
            client.awaitOne();
            roundTripsNs[count] = System.nanoTime() - beganNs;
            count++;
        }
        long[] sorted = Arrays.copyOf(roundTripsNs, count);
        Arrays.sort(sorted);
        return sorted[count / 2] / 1e3;
    }

    private double bytesPerSecond() {
        long done = 0;
        int outstanding = 0;
        long beganNs = System.nanoTime();
        long endNs = beganNs + ROUND_NS;
        while (System.nanoTime() - endNs < 0) {
            while (outstanding < DEPTH / 2) {
                client.queuePair.postWrite(3, client.region, 0, LARGE, server.region.remote(), 0, WrFlags.SIGNALLED);
                outstanding++;
            }
            int completed = client.awaitOne();
            outstanding -= completed;
            done += completed;
        }
        double seconds = (System.nanoTime() - beganNs) / 1e9;
        while (outstanding > 0) {
            outstanding -= client.awaitOne();
        }
        return done * (double) LARGE / seconds;
    }
}
