package io.verbena.proofs.spark;

import io.verbena.proofs.Witness;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/** Sorts records and compares the result. Arguments: the number of records, the options of the JVMs of the executors. */
final class Sort implements Serializable {

    /** Size of a value. */
    static final int BYTES = 100;

    /** Begins a line of the output that says what has carried the connections of an executor. */
    static final String TOTALS = "carried by ";

    private static final int PARTITIONS = 8;

    private Sort() {}

    public static void main(String[] arguments) {
        int records = Integer.parseInt(arguments[0]);
        SparkConf settings = new SparkConf()
                .setMaster("local-cluster[2,1,1024]")
                .setAppName("proof")
                .set("spark.executor.extraClassPath", System.getProperty("java.class.path"))
                .set("spark.executor.extraJavaOptions", arguments[1])
                .set("spark.driver.host", "127.0.0.1")
                .set("spark.driver.bindAddress", "127.0.0.1")
                .set("spark.ui.enabled", "false")
                .set("spark.io.mode.default", "NIO")
                .set("spark.rpc.io.mode", "NIO")
                .set("spark.shuffle.io.mode", "NIO");
        try (JavaSparkContext spark = new JavaSparkContext(settings)) {
            awaitExecutors(spark);
            long startNs = System.nanoTime();
            sort(spark, records);
            System.out.println("sorted, ns: " + (System.nanoTime() - startNs));
            // Each executor answers several times; its last answer has the largest numbers.
            Map<String, String> totals = new TreeMap<>();
            spark.parallelize(ordered(PARTITIONS * 4), PARTITIONS * 4)
                    .mapPartitionsToPair(_ -> totals())
                    .groupByKey(1)
                    .collect()
                    .forEach(each -> each._2().forEach(line -> totals.merge(each._1(), line, Sort::later)));
            totals.values().forEach(line -> System.out.println(TOTALS + line));
        }
    }

    /** The first tasks would run in the first executor only. */
    private static void awaitExecutors(JavaSparkContext spark) {
        while (spark.statusTracker().getExecutorInfos().length < 3) {
            Thread.onSpinWait();
        }
    }

    private static List<Integer> ordered(int count) {
        return IntStream.range(0, count).boxed().toList();
    }

    private static void sort(JavaSparkContext spark, int records) {
        int each = records / PARTITIONS;
        JavaPairRDD<Long, byte[]> pairs = spark.parallelize(ordered(PARTITIONS), PARTITIONS)
                .mapPartitionsToPair(parts -> records(parts.next(), each))
                .sortByKey();
        List<Tuple2<Long, Long>> ranges = pairs.mapPartitions(Sort::range).collect();
        long found = 0;
        for (Tuple2<Long, Long> range : ranges) {
            if (range._1() != found) {
                throw new AssertionError("a range begins with " + range._1() + " and not with " + found);
            }
            found = range._2();
        }
        if (found != (long) each * PARTITIONS) {
            throw new AssertionError("records: " + found);
        }
    }

    /** The records of one part in a random order; the keys of all parts are 0 to N - 1, spread evenly. */
    private static Iterator<Tuple2<Long, byte[]>> records(int part, int count) {
        List<Long> keys = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            keys.add((long) i * PARTITIONS + part);
        }
        Collections.shuffle(keys, new Random(part));
        return keys.stream().map(key -> new Tuple2<>(key, value(key))).iterator();
    }

    private static byte[] value(long key) {
        byte[] value = new byte[BYTES];
        new Random(key).nextBytes(value);
        return value;
    }

    /** The first key of a sorted partition and the one after its last. */
    private static Iterator<Tuple2<Long, Long>> range(Iterator<Tuple2<Long, byte[]>> sorted) {
        long first = -1;
        long next = -1;
        while (sorted.hasNext()) {
            Tuple2<Long, byte[]> record = sorted.next();
            first = first < 0 ? record._1() : first;
            next = next < 0 ? first : next;
            if (record._1() != next || !Arrays.equals(record._2(), value(next))) {
                throw new AssertionError("record " + next + " is " + record._1());
            }
            next++;
        }
        return first < 0
                ? Collections.emptyIterator()
                : List.of(new Tuple2<>(first, next)).iterator();
    }

    /** What has carried the connections of this executor. */
    private static Iterator<Tuple2<String, String>> totals() {
        String executor = SparkEnv.get().executorId();
        return Witness.totals().stream()
                .map(each -> new Tuple2<>(executor + " " + each.transport(), Witness.line(each)))
                .iterator();
    }

    private static String later(String one, String other) {
        return bytes(one) > bytes(other) ? one : other;
    }

    private static long bytes(String line) {
        String[] word = line.split(" ");
        return Long.parseLong(word[2]) + Long.parseLong(word[3]);
    }
}
