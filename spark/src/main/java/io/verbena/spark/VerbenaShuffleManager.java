package io.verbena.spark;

import java.util.Optional;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.package$;
import org.apache.spark.shuffle.BaseShuffleHandle;
import org.apache.spark.shuffle.ShuffleHandle;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.shuffle.ShuffleReader;
import org.apache.spark.shuffle.sort.SortShuffleManager;

/**
 * Spark's sort shuffle whose reducers read map outputs of other executors by RDMA Reads. Set {@code spark.shuffle.manager} to the name of this
 * class; the settings {@code spark.verbena.*} are described in docs/spark.md. Spark creates one in the driver and one in each executor. In
 * local mode there is one executor, which reads its own files, so that nothing is different.
 */
public final class VerbenaShuffleManager extends SortShuffleManager {

    private final Optional<ExecutorSide> executor;

    /**
     * Opens the RNIC of an executor, or the directory of the driver.
     *
     * @throws IllegalArgumentException with a sentence, if this is a minor version of Spark that this jar is not
     *     made for, or a setting of Spark would not have its effect, such as encryption of the network
     * @throws java.io.UncheckedIOException if an executor cannot listen
     * @throws io.verbena.verbs.VerbsException if no RNIC can be opened on the machine of an executor
     */
    public VerbenaShuffleManager(SparkConf conf, boolean isDriver) {
        super(supported(conf));
        SparkEnv env = SparkEnv.get();
        if (isDriver) {
            executor = Optional.empty();
            ExecutorDirectory.open(env.rpcEnv());
        } else {
            executor = Optional.of(ExecutorSide.open(conf, env, shuffleBlockResolver()));
        }
    }

    /** Before anything of Spark is used that another version may not have. */
    private static SparkConf supported(SparkConf conf) {
        ShuffleSettings.requireVersion(package$.MODULE$.SPARK_VERSION());
        ShuffleSettings.requireSupported(conf);
        return conf;
    }

    @Override
    public <K, C> ShuffleReader<K, C> getReader(
            ShuffleHandle handle,
            int startMap,
            int endMap,
            int startPartition,
            int endPartition,
            TaskContext context,
            ShuffleReadMetricsReporter metrics) {
        if (executor.isEmpty()) {
            return super.getReader(handle, startMap, endMap, startPartition, endPartition, context, metrics);
        }
        @SuppressWarnings("unchecked") // registerShuffle made it
        ShuffleDependency<K, ?, C> dependency = ((BaseShuffleHandle<K, ?, C>) handle).dependency();
        ReduceReader.Source source = new ReduceReader.Source(
                SparkEnv.get()
                        .mapOutputTracker()
                        .getMapSizesByExecutorId(handle.shuffleId(), startMap, endMap, startPartition, endPartition),
                canUseBatchFetch(startPartition, endPartition, context));
        return new ReduceReader<>(
                dependency, source, context, metrics, executor.get().reader());
    }

    @Override
    public boolean unregisterShuffle(int shuffle) {
        executor.ifPresent(each -> each.remove(shuffle));
        return super.unregisterShuffle(shuffle);
    }

    @Override
    public void stop() {
        executor.ifPresent(ExecutorSide::close);
        super.stop();
    }

    /** Figures of this executor by name, as Spark's metrics system has them; empty in the driver. */
    public java.util.Map<String, Long> figures() {
        java.util.Map<String, Long> values = new java.util.TreeMap<>();
        executor.ifPresent(each -> each.figures()
                .metricRegistry()
                .getGauges()
                .forEach((name, gauge) -> values.put(name, (Long) gauge.getValue())));
        return values;
    }
}
