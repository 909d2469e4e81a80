package io.verbena.proofs.spark.shuffle;

import java.lang.management.ManagementFactory;
import java.util.List;
import org.apache.spark.HashPartitioner;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.rdd.RDD;
import scala.Tuple2;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/** All map tasks in one executor and all reducers in the other one: prints the processor time of the executor that only serves. */
final class Serve {

    /** Begins a line of the output. */
    static final String SERVED = "served ";

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
        JavaPairRDD<Long, byte[]> maps = pinned(Jobs.pairs(spark, records, 3), serving);
        JavaPairRDD<Long, byte[]> reduced = pinned(maps.partitionBy(new HashPartitioner(8)), reading);
        for (int round = 0; round < ROUNDS; round++) {
            long cpuNs = cpuNs(server);
            long waitMs = reads.waitMs.get();
            long startNs = System.nanoTime();
            long count = reduced.count();
            long timeNs = System.nanoTime() - startNs;
            spark.sc().listenerBus().waitUntilEmpty();
            // The first round has the map tasks, too.
            System.out.printf(
                    "%sround %d records %d time %.0f ms server %.0f ms wait %d ms%n",
                    SERVED,
                    round,
                    count,
                    timeNs / NS_PER_MS,
                    (cpuNs(server) - cpuNs) / NS_PER_MS,
                    reads.waitMs.get() - waitMs);
        }
        System.out.println(SERVED + "by " + serving + ", driver "
                + ManagementFactory.getRuntimeMXBean().getPid());
    }

    private static long cpuNs(ProcessHandle process) {
        return process.info().totalCpuDuration().orElseThrow().toNanos();
    }

    private static JavaPairRDD<Long, byte[]> pinned(JavaPairRDD<Long, byte[]> pairs, String location) {
        ClassTag<Tuple2<Long, byte[]>> type = ClassTag$.MODULE$.apply(Tuple2.class);
        RDD<Tuple2<Long, byte[]>> pinned = new Pinned<>(pairs.rdd(), location, type);
        return new JavaPairRDD<>(pinned, ClassTag$.MODULE$.apply(Long.class), ClassTag$.MODULE$.apply(byte[].class));
    }
}
