package io.verbena.proofs.spark.shuffle;

import java.lang.management.ManagementFactory;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.HashPartitioner;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.rdd.RDD;
import scala.Tuple2;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * All map tasks in one executor and all reducers in the other one: prints the processor time of the executor that only
 * serves, while the reducers run. Each round has map outputs of its own, which are read twice: the first time they are
 * registered. In the first rounds the JVMs compile.
 */
final class Serve {

    /** Begins a line of the output. */
    static final String SERVED = "served ";

    /** Begins a line with the processor time of the threads of the executor, a mean of the measured rounds. */
    static final String STATIONS = "stations ";

    static final String FIRST = "first";
    static final String AGAIN = "again";

    private static final int SEED = 100;
    private static final int WARM_ROUNDS = 2;
    private static final int ROUNDS = 4;
    private static final double NS_PER_MS = 1e6;

    private final JavaSparkContext spark;
    private final Jobs.Reads reads;
    private final String serving;
    private final String reading;
    private final ProcessHandle server;
    private final Map<String, Map<String, Long>> threadsNs = new TreeMap<>();

    private Serve(JavaSparkContext spark, Jobs.Reads reads) {
        this.spark = spark;
        this.reads = reads;
        // An executor tells its identification and its process.
        List<Tuple2<String, Long>> executors = spark
                .parallelize(Jobs.ordered(32), 32)
                .map(_ -> new Tuple2<>(
                        SparkEnv.get().blockManager().blockManagerId().host() + "_"
                                + SparkEnv.get().executorId(),
                        ProcessHandle.current().pid()))
                .collect()
                .stream()
                .distinct()
                .sorted(Comparator.comparing(Tuple2::_1))
                .toList();
        serving = "executor_" + executors.getFirst()._1();
        reading = "executor_" + executors.getLast()._1();
        server = ProcessHandle.of(executors.getFirst()._2()).orElseThrow();
    }

    static void run(JavaSparkContext spark, int records, Jobs.Reads reads) throws Exception {
        Serve serve = new Serve(spark, reads);
        for (int round = -WARM_ROUNDS; round < ROUNDS; round++) {
            serve.round(round, records);
        }
        serve.threadsNs.forEach((which, stations) -> {
            StringBuilder line = new StringBuilder(STATIONS).append(which);
            stations.forEach(
                    (name, ns) -> line.append(String.format(Locale.ROOT, " %s=%.2f", name, ns / NS_PER_MS / ROUNDS)));
            System.out.println(line);
        });
        System.out.println(SERVED + "by " + serve.serving + ", driver "
                + ManagementFactory.getRuntimeMXBean().getPid());
    }

    private void round(int round, int records) throws Exception {
        JavaPairRDD<Long, byte[]> maps = pinned(Jobs.pairs(spark, records, SEED + round), serving);
        JavaPairRDD<Long, byte[]> shuffled = maps.partitionBy(new HashPartitioner(8));
        ShuffleDependency<?, ?, ?> dependency =
                (ShuffleDependency<?, ?, ?>) shuffled.rdd().dependencies().head();
        spark.sc().submitMapStage(dependency).get(); // the map tasks only
        read(FIRST, round, pinned(shuffled, reading));
        read(AGAIN, round, pinned(shuffled, reading));
        SparkEnv.get().blockManager().master().removeShuffle(dependency.shuffleId(), true);
    }

    private void read(String which, int round, JavaPairRDD<Long, byte[]> reduced) throws Exception {
        Map<String, Long> before = stations();
        long cpuNs = cpuNs(server);
        long waitMs = reads.waitMs.get();
        long startNs = System.nanoTime();
        long count = reduced.count();
        long timeNs = System.nanoTime() - startNs;
        long serverNs = cpuNs(server) - cpuNs;
        spark.sc().listenerBus().waitUntilEmpty();
        if (round < 0) {
            return;
        }
        System.out.printf(
                "%s%s round %d records %d time %.0f ms server %.0f ms wait %d ms%n",
                SERVED, which, round, count, timeNs / NS_PER_MS, serverNs / NS_PER_MS, reads.waitMs.get() - waitMs);
        Map<String, Long> sums = threadsNs.computeIfAbsent(which, _ -> new TreeMap<>());
        stations().forEach((name, ns) -> sums.merge(name, ns - before.getOrDefault(name, 0L), Long::sum));
    }

    /**
     * Milliseconds of the threads that serve, of a line of {@link #STATIONS}. Unlike the time of the process it has no
     * compilers, and is not counted in ticks.
     */
    static double serving(String line) {
        double sum = 0;
        for (Stations each : EnumSet.of(Stations.ENGINE, Stations.HANDLERS, Stations.BLOCKS)) {
            Matcher value = Pattern.compile(" " + each + "=([0-9.]+)").matcher(line);
            sum += value.find() ? Double.parseDouble(value.group(1)) : 0;
        }
        return sum;
    }

    private static long cpuNs(ProcessHandle process) {
        return process.info().totalCpuDuration().orElseThrow().toNanos();
    }

    /** What the threads of the executor that serves have taken so far. */
    private Map<String, Long> stations() {
        JavaRDD<Integer> one = spark.parallelize(List.of(0), 1);
        ClassTag<Integer> type = ClassTag$.MODULE$.apply(Integer.class);
        Map<String, Long> all = new TreeMap<>();
        new JavaRDD<>(new Pinned<>(one.rdd(), serving, type), type)
                .map(_ -> Map.copyOf(Stations.here()))
                .collect()
                .getFirst()
                .forEach((station, ns) -> all.put(station.name(), ns));
        return all;
    }

    private static JavaPairRDD<Long, byte[]> pinned(JavaPairRDD<Long, byte[]> pairs, String location) {
        ClassTag<Tuple2<Long, byte[]>> type = ClassTag$.MODULE$.apply(Tuple2.class);
        RDD<Tuple2<Long, byte[]>> pinned = new Pinned<>(pairs.rdd(), location, type);
        return new JavaPairRDD<>(pinned, ClassTag$.MODULE$.apply(Long.class), ClassTag$.MODULE$.apply(byte[].class));
    }
}
