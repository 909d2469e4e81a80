package io.verbena.spark;

import java.io.InputStream;
import org.apache.spark.Aggregator;
import org.apache.spark.InterruptibleIterator;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.internal.config.ConfigEntry;
import org.apache.spark.internal.config.package$;
import org.apache.spark.io.CompressionCodec;
import org.apache.spark.io.CompressionCodec$;
import org.apache.spark.network.shuffle.BlockStoreClient;
import org.apache.spark.serializer.SerializerInstance;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.shuffle.ShuffleReader;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockFetcherIterator;
import org.apache.spark.util.CompletionIterator;
import org.apache.spark.util.SystemClock;
import scala.Option;
import scala.Product2;
import scala.Tuple2;
import scala.Tuple3;
import scala.collection.Iterator;
import scala.runtime.BoxedUnit;

/**
 * Reads partitions of a shuffle as Spark's own reader does: its iterator decides what is local, limits the bytes in flight, decompresses and
 * decrypts, checks, and reports lost map outputs; then records are combined and sorted. Only the client that fetches remote blocks differs.
 *
 * @param <K> keys
 * @param <C> combined values
 */
final class ReduceReader<K, C> implements ShuffleReader<K, C> {

    private static final long MIB = 1 << 20;

    private final ShuffleDependency<K, ?, C> dependency;
    private final Iterator<Tuple2<BlockManagerId, scala.collection.Seq<Tuple3<BlockId, Object, Object>>>> blocks;
    private final TaskContext context;
    private final ShuffleReadMetricsReporter metrics;
    private final BlockStoreClient client;
    private final boolean neighbors;

    /**
     * The parts of a shuffle that a task reads.
     *
     * @param blocks by executor
     * @param neighbors whether neighboring partitions of a map task may be fetched as one block
     */
    record Source(
            Iterator<Tuple2<BlockManagerId, scala.collection.Seq<Tuple3<BlockId, Object, Object>>>> blocks,
            boolean neighbors) {}

    ReduceReader(
            ShuffleDependency<K, ?, C> dependency,
            Source source,
            TaskContext context,
            ShuffleReadMetricsReporter metrics,
            BlockStoreClient client) {
        this.dependency = dependency;
        this.blocks = source.blocks();
        this.neighbors = source.neighbors();
        this.context = context;
        this.metrics = metrics;
        this.client = client;
    }

    @Override
    public Iterator<Product2<K, C>> read() {
        SerializerInstance serializer = dependency.serializer().newInstance();
        Iterator<Tuple2<Object, Object>> records = streams()
                .flatMap(block -> serializer.deserializeStream(block._2()).asKeyValueIterator())
                .map(each -> {
                    metrics.incRecordsRead(1);
                    return each;
                });
        Iterator<Tuple2<Object, Object>> counted = CompletionIterator.apply(records, () -> {
            context.taskMetrics().mergeShuffleReadMetrics();
            return BoxedUnit.UNIT;
        });
        Iterator<Product2<K, C>> result = result(new InterruptibleIterator<>(context, counted));
        // Combining and sorting may have read everything; a task can be cancelled afterwards, too.
        return result instanceof InterruptibleIterator ? result : new InterruptibleIterator<>(context, result);
    }

    private Iterator<Tuple2<BlockId, InputStream>> streams() {
        SparkEnv env = SparkEnv.get();
        SparkConf conf = env.conf();
        package$ keys = package$.MODULE$;
        return new ShuffleBlockFetcherIterator(
                        context,
                        client,
                        env.blockManager(),
                        env.mapOutputTracker(),
                        blocks,
                        (block, stream) -> env.serializerManager().wrapStream(block, stream),
                        number(conf, keys.REDUCER_MAX_SIZE_IN_FLIGHT()) * MIB,
                        (int) number(conf, keys.REDUCER_MAX_REQS_IN_FLIGHT()),
                        (int) number(conf, keys.REDUCER_MAX_BLOCKS_IN_FLIGHT_PER_ADDRESS()),
                        number(conf, keys.MAX_REMOTE_BLOCK_SIZE_FETCH_TO_MEM()),
                        (int) number(conf, keys.SHUFFLE_MAX_ATTEMPTS_ON_NETTY_OOM()),
                        flag(conf, keys.SHUFFLE_DETECT_CORRUPT()),
                        flag(conf, keys.SHUFFLE_DETECT_CORRUPT_MEMORY()),
                        flag(conf, keys.SHUFFLE_CHECKSUM_ENABLED()),
                        conf.get(keys.SHUFFLE_CHECKSUM_ALGORITHM()),
                        metrics,
                        neighbors && joinable(conf),
                        new SystemClock())
                .toCompletionIterator();
    }

    private static long number(SparkConf conf, ConfigEntry<Object> entry) {
        return ((Number) conf.get(entry)).longValue();
    }

    private static boolean flag(SparkConf conf, ConfigEntry<Object> entry) {
        return (Boolean) conf.get(entry);
    }

    /** Whether blocks that follow each other in a file can be read as one stream. */
    private boolean joinable(SparkConf conf) {
        package$ keys = package$.MODULE$;
        CompressionCodec$ codecs = CompressionCodec$.MODULE$;
        boolean streams = !flag(conf, keys.SHUFFLE_COMPRESS())
                || codecs.supportsConcatenationOfSerializedStreams((CompressionCodec) codecs.createCodec(conf));
        return streams
                && dependency.serializer().supportsRelocationOfSerializedObjects()
                && !flag(conf, keys.IO_ENCRYPTION_ENABLED());
    }

    @SuppressWarnings("unchecked") // as in Spark's reader: the dependency made sure that the types fit
    private Iterator<Product2<K, C>> result(Iterator<Tuple2<Object, Object>> records) {
        Option<Aggregator<K, Object, C>> aggregator =
                (Option<Aggregator<K, Object, C>>) (Option<?>) dependency.aggregator();
        if (dependency.keyOrdering().isDefined()) {
            return sorted((Iterator<Product2<K, Object>>) (Iterator<?>) records, aggregator);
        }
        if (aggregator.isEmpty()) {
            return (Iterator<Product2<K, C>>) (Iterator<?>) records;
        }
        if (dependency.mapSideCombine()) {
            return (Iterator<Product2<K, C>>) (Iterator<?>)
                    aggregator.get().combineCombinersByKey((Iterator<Product2<K, C>>) (Iterator<?>) records, context);
        }
        return (Iterator<Product2<K, C>>) (Iterator<?>)
                aggregator.get().combineValuesByKey((Iterator<Product2<K, Object>>) (Iterator<?>) records, context);
    }

    @SuppressWarnings("unchecked")
    private Iterator<Product2<K, C>> sorted(
            Iterator<Product2<K, Object>> records, Option<Aggregator<K, Object, C>> aggregator) {
        Option<Aggregator<K, Object, C>> used = aggregator;
        if (aggregator.isDefined() && dependency.mapSideCombine()) {
            // What arrives is combined already.
            Aggregator<K, Object, C> each = aggregator.get();
            used = Option.apply((Aggregator<K, Object, C>) (Aggregator<?, ?, ?>)
                    new Aggregator<K, C, C>(combined -> combined, each.mergeCombiners(), each.mergeCombiners()));
        }
        return Sorters.<K, Object, C>create(context, used, dependency.keyOrdering(), dependency.serializer())
                .insertAllAndUpdateMetrics(records);
    }
}
