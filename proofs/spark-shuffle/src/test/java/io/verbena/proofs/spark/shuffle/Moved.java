package io.verbena.proofs.spark.shuffle;

import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.ExecutorDecommissionInfo;
import org.apache.spark.scheduler.cluster.CoarseGrainedSchedulerBackend;
import org.apache.spark.storage.BlockManagerId;
import scala.Option;
import scala.Tuple2;
import scala.Tuple3;
import scala.collection.Iterator;

/** One of three executors is decommissioned: its map outputs are moved to the others, and are read there. */
final class Moved {

    /** Begins a line of the output: how many executors had map outputs before, and how many then. */
    static final String MOVED = "moved from ";

    static final int EXECUTORS = 3;
    private static final String LEAVING = "0";

    private Moved() {}

    static void run(JavaSparkContext spark, int records) throws InterruptedException {
        Jobs.awaitExecutors(spark, EXECUTORS);
        JavaPairRDD<Long, byte[]> partitioned = Jobs.partitioned(Jobs.pairs(spark, records, Jobs.SEED));
        int shuffle =
                ((ShuffleDependency<?, ?, ?>) partitioned.rdd().dependencies().head()).shuffleId();
        partitioned.count(); // the map tasks
        int before = blocks(shuffle, LEAVING);
        CoarseGrainedSchedulerBackend backend =
                (CoarseGrainedSchedulerBackend) spark.sc().schedulerBackend();
        backend.decommissionExecutor(
                LEAVING, new ExecutorDecommissionInfo("of the proof", Option.empty()), false, false);
        Jobs.await(() -> blocks(shuffle, LEAVING) == 0);
        System.out.println(MOVED + before);
        Jobs.timed(spark, partitioned);
    }

    /** Blocks of the first partition that an executor has. */
    private static int blocks(int shuffle, String executor) {
        Iterator<Tuple2<BlockManagerId, scala.collection.Seq<Tuple3<org.apache.spark.storage.BlockId, Object, Object>>>>
                all = SparkEnv.get().mapOutputTracker().getMapSizesByExecutorId(shuffle, 0);
        int count = 0;
        while (all.hasNext()) {
            var each = all.next();
            count += each._1().executorId().equals(executor) ? each._2().size() : 0;
        }
        return count;
    }
}
