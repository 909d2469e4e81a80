package io.verbena.proofs.spark.shuffle;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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
 * serves, while the reducers run. Each round has map outputs of its own, so that they are registered and read once. In
 * the first rounds the JVMs compile.
 */
final class Serve {

    /** Begins a line of the output. */
    static final String SERVED = "served ";

    /** Begins a line with the processor time of the threads of the executor in all measured rounds. */
    static final String STATIONS = "stations ";

    private static final int SEED = 100;
    private static final int WARM_ROUNDS = 4;
    private static final int ROUNDS = 4;
    private static final double NS_PER_MS = 1e6;

    private Serve() {}

    static void run(JavaSparkContext spark, int records, Jobs.Reads reads) throws Exception {
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
                .sorted(java.util.Comparator.comparing(Tuple2::_1))
                .toList();
        String serving = "executor_" + executors.getFirst()._1();
        String reading = "executor_" + executors.getLast()._1();
        ProcessHandle server = ProcessHandle.of(executors.getFirst()._2()).orElseThrow();
        Map<String, Long> threadsNs = new TreeMap<>();
        for (int round = -WARM_ROUNDS; round < ROUNDS; round++) {
            JavaPairRDD<Long, byte[]> maps = pinned(Jobs.pairs(spark, records, SEED + round), serving);
            JavaPairRDD<Long, byte[]> shuffled = maps.partitionBy(new HashPartitioner(8));
            JavaPairRDD<Long, byte[]> reduced = pinned(shuffled, reading);
            ShuffleDependency<?, ?, ?> dependency =
                    (ShuffleDependency<?, ?, ?>) shuffled.rdd().dependencies().head();
            spark.sc().submitMapStage(dependency).get(); // the map tasks only
            Map<String, Long> before = stations(spark, serving);
            long cpuNs = cpuNs(server);
            long waitMs = reads.waitMs.get();
            long startNs = System.nanoTime();
            long count = reduced.count();
            long timeNs = System.nanoTime() - startNs;
            long serverNs = cpuNs(server) - cpuNs;
            spark.sc().listenerBus().waitUntilEmpty();
            if (round >= 0) {
                System.out.printf(
                        "%sround %d records %d time %.0f ms server %.0f ms wait %d ms%n",
                        SERVED, round, count, timeNs / NS_PER_MS, serverNs / NS_PER_MS, reads.waitMs.get() - waitMs);
                stations(spark, serving)
                        .forEach((name, ns) -> threadsNs.merge(name, ns - before.getOrDefault(name, 0L), Long::sum));
            }
            SparkEnv.get().blockManager().master().removeShuffle(dependency.shuffleId(), true);
        }
        StringBuilder line = new StringBuilder(STATIONS);
        threadsNs.forEach((name, ns) -> line.append(String.format("%s=%.1f ", name, ns / NS_PER_MS / ROUNDS)));
        System.out.println(line.toString().strip());
        System.out.println(SERVED + "by " + serving + ", driver "
                + ManagementFactory.getRuntimeMXBean().getPid());
    }

    private static long cpuNs(ProcessHandle process) {
        return process.info().totalCpuDuration().orElseThrow().toNanos();
    }

    /** What the threads of an executor have taken so far. */
    private static Map<String, Long> stations(JavaSparkContext spark, String location) {
        JavaRDD<Integer> one = spark.parallelize(List.of(0), 1);
        ClassTag<Integer> type = ClassTag$.MODULE$.apply(Integer.class);
        Map<String, Long> all = new TreeMap<>();
        new JavaRDD<>(new Pinned<>(one.rdd(), location, type), type)
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
