package io.verbena.spark;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processor time of the threads that serve map outputs, and the time of a fetch, over each transport beside Netty as
 * Spark uses it: 8 outputs of 8 MiB with 8 partitions, each partition of all of them fetched at once. Without a
 * cluster, so that nothing else runs in these threads:
 *
 * <pre>
 * ./mvnw -Pquick,proofs -pl spark -am test -Dtest=ServingFigures -Dsurefire.failIfNoSpecifiedTests=false -Dverbena.jit=
 * </pre>
 */
class ServingFigures {

    private static final int OUTPUTS = 8;
    private static final int PARTITIONS = 8;
    private static final int BLOCK_BYTES = 1 << 20;
    private static final int WARM_ROUNDS = Integer.getInteger("verbena.figures.warm", 10);
    private static final int ROUNDS = Integer.getInteger("verbena.figures.rounds", 15);
    private static final double NS_PER_MS = 1e6;
    private static final String NETTY = "Netty";

    @TempDir
    private Path directory;

    /** What is measured over a transport: by name, in each round. */
    private final Map<String, Map<String, List<Double>>> values = new LinkedHashMap<>();

    /** Fetches a partition. */
    private interface Fetching {
        void partition(int shuffle, int partition) throws Exception;
    }

    private record Measured(String name, Fetching fetching, Supplier<Iterable<Long>> threads) {}

    @Test
    @Timeout(3_600)
    void processorTimeOfAServer() throws Exception {
        Map<String, Map<String, String>> settings = new LinkedHashMap<>();
        settings.put("shared memory", Map.of("spark.verbena.provider", "auto"));
        settings.put(
                "direct",
                Map.of(
                        "spark.verbena.direct", "true",
                        "spark.verbena.pool.outputBytes", "64m",
                        "spark.verbena.pool.bytes", "256m"));
        settings.put("iWARP", Map.of("spark.verbena.provider", "iwarp"));
        settings.put("RoCE", Map.of("spark.verbena.provider", "roce"));
        List<Measured> all = new ArrayList<>();
        List<TwoExecutors> executors = new ArrayList<>();
        try (NettyExecutors netty = new NettyExecutors(directory, OUTPUTS, BLOCK_BYTES)) {
            all.add(new Measured(NETTY, (_, partition) -> netty.open(partition).fetchAll(), netty::serverThreads));
            for (Map.Entry<String, Map<String, String>> each : settings.entrySet()) {
                Path own = Files.createDirectory(directory.resolve(each.getKey()));
                TwoExecutors both = new TwoExecutors(own, each.getValue());
                executors.add(both);
                for (int map = 0; map < OUTPUTS; map++) {
                    both.output(
                            map,
                            IntStream.range(0, PARTITIONS).map(_ -> BLOCK_BYTES).toArray());
                }
                all.add(new Measured(
                        each.getKey(), (shuffle, partition) -> fetch(both, shuffle, partition), both::serverThreads));
            }
            for (int round = -WARM_ROUNDS; round < ROUNDS; round++) {
                int shuffle = TwoExecutors.SHUFFLE + 1 + WARM_ROUNDS + round;
                for (TwoExecutors both : executors) {
                    for (int map = 0; map < OUTPUTS; map++) {
                        both.link(shuffle, map, map);
                    }
                }
                for (Measured each : all) {
                    measure(each, shuffle, "first", round >= 0);
                    measure(each, shuffle, "again", round >= 0);
                }
                executors.forEach(both -> {
                    both.server().remove(shuffle);
                    both.peers().remove(shuffle);
                });
            }
        } finally {
            executors.forEach(TwoExecutors::close);
        }
        print();
    }

    private static void fetch(TwoExecutors both, int shuffle, int partition) throws Exception {
        String[] names = IntStream.range(0, OUTPUTS)
                .mapToObj(map -> "shuffle_" + shuffle + "_" + map + "_" + partition)
                .toArray(String[]::new);
        TwoExecutors.Delivered delivered = both.fetch(names);
        if (!delivered.failures.isEmpty()) {
            throw new AssertionError(delivered.failures.toString());
        }
        delivered.release();
    }

    private void measure(Measured what, int shuffle, String which, boolean counts) throws Exception {
        Map<String, Long> before = threads(what);
        long startNs = System.nanoTime();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            what.fetching().partition(shuffle, partition);
        }
        long timeNs = System.nanoTime() - startNs;
        if (!counts) {
            return;
        }
        Map<String, List<Double>> own = values.computeIfAbsent(what.name(), _ -> new LinkedHashMap<>());
        double[] sum = {0};
        threads(what).forEach((station, ns) -> {
            double ms = (ns - before.getOrDefault(station, 0L)) / NS_PER_MS;
            sum[0] += ms;
            own.computeIfAbsent(which + " read, " + station, _ -> new ArrayList<>())
                    .add(ms);
        });
        own.computeIfAbsent(which + " read, processor of the server", _ -> new ArrayList<>())
                .add(sum[0]);
        own.computeIfAbsent(which + " read, time", _ -> new ArrayList<>()).add(timeNs / NS_PER_MS);
    }

    /** Processor time so far, by what a thread does. */
    private static Map<String, Long> threads(Measured what) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        Map<String, Long> all = new LinkedHashMap<>();
        for (long id : what.threads().get()) {
            ThreadInfo info = threads.getThreadInfo(id);
            if (info != null) {
                String station = info.getThreadName().contains("-engine-") ? "engine" : "requests";
                all.merge(station, Math.max(0, threads.getThreadCpuTime(id)), Long::sum);
            }
        }
        return all;
    }

    private void print() {
        Map<String, List<Double>> netty = values.getOrDefault(NETTY, Map.of());
        values.forEach((name, own) -> own.forEach((what, each) -> {
            List<Double> plain = netty.getOrDefault(what, List.of());
            String ratio = plain.isEmpty()
                    ? ""
                    : String.format(Locale.ROOT, ", %.2f of Netty's", median(each) / Math.max(1e-3, median(plain)));
            System.out.printf(Locale.ROOT, "64 MiB over %s, %s: median %.2f ms%s%n", name, what, median(each), ratio);
        }));
    }

    private static double median(List<Double> all) {
        List<Double> sorted = all.stream().sorted().toList();
        return sorted.get(sorted.size() / 2);
    }
}
