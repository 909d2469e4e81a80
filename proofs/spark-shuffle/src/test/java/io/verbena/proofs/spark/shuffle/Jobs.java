package io.verbena.proofs.spark.shuffle;

import io.verbena.spark.VerbenaShuffleManager;
import java.io.Serializable;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.executor.ShuffleReadMetrics;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import scala.Tuple2;

/**
 * A driver that runs one job and prints a digest of each partition of the result, in the order of its records. Arguments: the job, a number,
 * the options of the JVMs of the executors, settings of Spark as NAME=VALUE.
 */
final class Jobs implements Serializable {

    /** Begin lines of the output. */
    static final String ROWS = "rows ";

    static final String FIGURE = "figure ";
    static final String READ = "read ";
    static final String TIME = "time, ns: ";

    /** A job follows, its time in nanoseconds, and the time in milliseconds for which its reducers waited. */
    static final String REPETITION = "repetition of ";

    static final String SORTS = "sorts";
    static final String SKEWS = "skews";

    /** Otherwise most of the time would go into a stream of its own for each block of 100 bytes. */
    private static final Map<String, String> SMALL_BLOCKS =
            Map.of("spark.serializer", "org.apache.spark.serializer.KryoSerializer", "spark.shuffle.compress", "false");

    private static final int REPETITIONS = 4;
    private static final int EXECUTORS = 2;

    private static final int PARTITIONS = 8;
    private static final int VALUE_BYTES = 100;
    private static final int TINY_BYTES = 90;
    static final int SEED = 5;
    static final int TINY_REDUCERS = 100;
    static final int WIDE_REDUCERS = 1_000;
    static final int FEW_REDUCERS = 10;

    private Jobs() {}

    public static void main(String[] arguments) throws Exception {
        SparkConf settings = settings(arguments[2]);
        for (String each : Arrays.asList(arguments).subList(3, arguments.length)) {
            int at = each.indexOf('=');
            settings.set(each.substring(0, at), each.substring(at + 1));
        }
        switch (arguments[0]) {
            case "speculated" -> settings.setMaster(TwoHosts.start(settings));
            case "wide", "few" -> SMALL_BLOCKS.forEach(settings::set);
            default -> {}
        }
        try (JavaSparkContext spark = new JavaSparkContext(settings)) {
            awaitExecutors(spark, EXECUTORS);
            Reads reads = new Reads();
            spark.sc().addSparkListener(reads);
            int number = Integer.parseInt(arguments[1]);
            switch (arguments[0]) {
                case "sort" -> timed(spark, sorted(spark, number));
                case "skew" -> timed(spark, grouped(spark, number));
                case "tiny" -> timed(spark, tiny(spark, number, TINY_REDUCERS));
                case "wide" -> timed(spark, tiny(spark, number, WIDE_REDUCERS));
                case "few" -> timed(spark, tiny(spark, number, FEW_REDUCERS));
                case "measured" -> {
                    repeated(spark, reads, SORTS, () -> sorted(spark, number));
                    repeated(spark, reads, SKEWS, () -> grouped(spark, number));
                    Serve.run(spark, number, reads);
                }
                case "partitioned" -> timed(spark, partitioned(pairs(spark, number, SEED)));
                case "speculated" -> timed(spark, partitioned(TwoHosts.slow(pairs(spark, number, SEED))));
                case "moved" -> Moved.run(spark, number);
                case "killed" -> Killed.run(spark, number, true);
                case "spared" -> Killed.run(spark, number, false);
                case "lost" -> Lost.run(spark, number);
                case "serve" -> Serve.run(spark, number, reads);
                default -> throw new IllegalArgumentException(arguments[0]);
            }
            figures(spark, "before");
            spark.sc().listenerBus().waitUntilEmpty();
            System.out.println(READ + reads);
            clean(spark);
            figures(spark, "after");
        }
    }

    /** Those of two executors with one core each. */
    static SparkConf settings(String executorOptions) {
        return new SparkConf()
                .setMaster("local-cluster[2,1,1024]")
                .setAppName("proof")
                .set("spark.executor.extraClassPath", System.getProperty("java.class.path"))
                .set("spark.executor.extraJavaOptions", executorOptions)
                .set("spark.driver.host", "127.0.0.1")
                .set("spark.driver.bindAddress", "127.0.0.1")
                .set("spark.ui.enabled", "false");
    }

    /** The first tasks would run in the first executor only. */
    static void awaitExecutors(JavaSparkContext spark, int count) throws InterruptedException {
        // One of the entries is the driver.
        await(() -> spark.statusTracker().getExecutorInfos().length > count);
    }

    /** The test that starts the driver limits the time. */
    static void await(BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean()) {
            Thread.sleep(10);
        }
    }

    /** Removes all shuffles, as Spark does when the driver has no reference to them any more. */
    private static void clean(JavaSparkContext spark) {
        int next = spark.sc().newShuffleId();
        for (int shuffle = 0; shuffle < next; shuffle++) {
            SparkEnv.get().blockManager().master().removeShuffle(shuffle, true);
        }
    }

    static void timed(JavaSparkContext spark, JavaPairRDD<Long, byte[]> result) {
        long startNs = System.nanoTime();
        List<String> digests = result.mapPartitionsWithIndex(Jobs::digest, true).collect();
        System.out.println(TIME + (System.nanoTime() - startNs));
        digests.forEach(digest -> System.out.println(ROWS + digest));
    }

    /** The same again and again: the first time the JVMs compile. */
    private static void repeated(
            JavaSparkContext spark, Reads reads, String name, Supplier<JavaPairRDD<Long, byte[]>> job)
            throws TimeoutException {
        for (int i = 0; i < REPETITIONS; i++) {
            long waitedMs = reads.waitMs.get();
            long startNs = System.nanoTime();
            job.get().mapPartitionsWithIndex(Jobs::digest, true).collect();
            long timeNs = System.nanoTime() - startNs;
            spark.sc().listenerBus().waitUntilEmpty();
            if (i > 0) {
                System.out.println(REPETITION + name + " " + timeNs + " " + (reads.waitMs.get() - waitedMs));
            }
        }
    }

    private static Iterator<String> digest(int part, Iterator<Tuple2<Long, byte[]>> records) {
        return List.of(part + " " + RecordDigest.of(records)).iterator();
    }

    static JavaPairRDD<Long, byte[]> sorted(JavaSparkContext spark, int records) {
        return pairs(spark, records, 1).sortByKey();
    }

    /** The records of each key are in the partition that its hash says, in the order of the keys. */
    static JavaPairRDD<Long, byte[]> partitioned(JavaPairRDD<Long, byte[]> pairs) {
        return pairs.repartitionAndSortWithinPartitions(new HashPartitioner(PARTITIONS));
    }

    /** Half of the records have one of eight keys; the values of a key are joined in their order. */
    private static JavaPairRDD<Long, byte[]> grouped(JavaSparkContext spark, int records) {
        return pairs(spark, records, 2)
                .mapToPair(each -> new Tuple2<>(each._1() % 2 == 0 ? each._1() % 16 : each._1() / 100, each._2()))
                .groupByKey(PARTITIONS)
                .mapValues(Jobs::joined)
                .repartitionAndSortWithinPartitions(new HashPartitioner(PARTITIONS));
    }

    private static byte[] joined(Iterable<byte[]> values) {
        List<byte[]> all = new ArrayList<>();
        values.forEach(all::add);
        all.sort(Arrays::compare);
        MessageDigest digest = RecordDigest.sha256();
        all.forEach(digest::update);
        return digest.digest();
    }

    /** This many map tasks, each with a record of about 100 bytes for each reducer. */
    private static JavaPairRDD<Long, byte[]> tiny(JavaSparkContext spark, int maps, int reducers) {
        return spark.parallelize(ordered(maps), maps)
                .mapPartitionsToPair(parts -> {
                    int part = parts.next();
                    return IntStream.range(0, reducers)
                            .mapToLong(i -> (long) part * reducers + i)
                            .mapToObj(key -> new Tuple2<>(key, value(key, TINY_BYTES)))
                            .iterator();
                })
                .repartitionAndSortWithinPartitions(new HashPartitioner(reducers));
    }

    /** The lines of {@link #tiny}, computed here: ten million records would take plain Spark many minutes. */
    static List<String> tinyRows(int maps, int reducers) {
        HashPartitioner partitioner = new HashPartitioner(reducers);
        List<RecordDigest> parts =
                Stream.generate(RecordDigest::new).limit(reducers).toList();
        for (long key = 0; key < (long) maps * reducers; key++) {
            parts.get(partitioner.getPartition(key)).add(key, value(key, TINY_BYTES));
        }
        return IntStream.range(0, reducers)
                .mapToObj(part -> ROWS + part + " " + parts.get(part))
                .toList();
    }

    static List<Integer> ordered(int count) {
        return IntStream.range(0, count).boxed().toList();
    }

    static JavaPairRDD<Long, byte[]> pairs(JavaSparkContext spark, int records, int seed) {
        int each = records / PARTITIONS;
        return spark.parallelize(ordered(PARTITIONS), PARTITIONS).mapPartitionsToPair(parts -> {
            Random random = new Random(parts.next() + 100L * seed);
            return IntStream.range(0, each)
                    .mapToObj(_ -> {
                        long key = random.nextLong() >>> 1;
                        return new Tuple2<>(key, value(key, VALUE_BYTES));
                    })
                    .iterator();
        });
    }

    private static byte[] value(long key, int bytes) {
        byte[] value = new byte[bytes];
        new Random(key).nextBytes(value);
        return value;
    }

    /** Prints the figures of each executor. */
    static void figures(JavaSparkContext spark, String when) {
        Map<String, String> lines = new TreeMap<>();
        spark.parallelize(ordered(PARTITIONS * 4), PARTITIONS * 4)
                .map(_ -> SparkEnv.get().executorId() + " " + figuresHere())
                .collect()
                .forEach(line -> lines.put(line.substring(0, line.indexOf(' ')), line));
        lines.values().forEach(line -> System.out.println(FIGURE + when + " " + line));
    }

    /** Plain Spark has no figures, and not the class either. */
    private static String figuresHere() {
        Object manager = SparkEnv.get().shuffleManager();
        return manager instanceof VerbenaShuffleManager verbena
                ? verbena.figures().toString()
                : "{}";
    }

    /** The sum of a figure over the executors. */
    static long sum(List<String> output, String when, String name) {
        Pattern value = Pattern.compile("[{ ]" + Pattern.quote(name) + "=(\\d+)");
        long sum = 0;
        for (String line : output) {
            Matcher found = value.matcher(line);
            if (line.startsWith(FIGURE + when) && found.find()) {
                sum += Long.parseLong(found.group(1));
            }
        }
        return sum;
    }

    /** Sums of what tasks have read. */
    static final class Reads extends SparkListener {
        final AtomicLong waitMs = new AtomicLong();
        final AtomicLong remoteBytes = new AtomicLong();
        final AtomicLong remoteBlocks = new AtomicLong();
        final AtomicLong failed = new AtomicLong();
        final AtomicLong speculative = new AtomicLong();

        @Override
        public void onTaskEnd(SparkListenerTaskEnd end) {
            if (!end.taskInfo().successful()) {
                failed.incrementAndGet();
            }
            if (end.taskInfo().speculative()) {
                speculative.incrementAndGet();
            }
            if (end.taskMetrics() != null) {
                ShuffleReadMetrics read = end.taskMetrics().shuffleReadMetrics();
                waitMs.addAndGet(read.fetchWaitTime());
                remoteBytes.addAndGet(read.remoteBytesRead());
                remoteBlocks.addAndGet(read.remoteBlocksFetched());
            }
        }

        @Override
        public String toString() {
            return "waitMs=" + waitMs + " remoteBytes=" + remoteBytes + " remoteBlocks=" + remoteBlocks
                    + " failedTasks=" + failed + " speculativeTasks=" + speculative;
        }
    }
}
