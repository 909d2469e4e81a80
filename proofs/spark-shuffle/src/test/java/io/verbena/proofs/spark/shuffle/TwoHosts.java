package io.verbena.proofs.spark.shuffle;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.deploy.master.Master;
import org.apache.spark.deploy.worker.Worker;
import org.apache.spark.rpc.RpcEnv;
import scala.Option;

/**
 * A master and two workers that have different addresses, so that they are two hosts for Spark: it does not run a task
 * again on the host where the first attempt runs.
 */
final class TwoHosts {

    private static final List<String> HOSTS = List.of("127.0.0.1", "127.0.0.2");
    private static final int MEMORY_MIB = 1024;

    /** As long as the driver runs. */
    private static final List<RpcEnv> RUNNING = new ArrayList<>();

    private TwoHosts() {}

    /** Starts them within this JVM; returns the URL of the master. */
    static String start(SparkConf settings) {
        SparkConf own = settings.clone().set("spark.master.rest.enabled", "false");
        RpcEnv master =
                Master.startRpcEnvAndEndpoint(HOSTS.getFirst(), 0, 0, own)._1();
        String url = master.address().toSparkURL();
        RUNNING.add(master);
        for (int i = 0; i < HOSTS.size(); i++) {
            RUNNING.add(Worker.startRpcEnvAndEndpoint(
                    HOSTS.get(i), 0, 0, 1, MEMORY_MIB, new String[] {url}, null, Option.apply(i), own, Option.empty()));
        }
        return url;
    }

    /** The same records; the first attempt of one task waits until it is interrupted. */
    static JavaPairRDD<Long, byte[]> slow(JavaPairRDD<Long, byte[]> pairs) {
        return pairs.mapPartitionsToPair(records -> {
            if (TaskContext.getPartitionId() == 0 && TaskContext.get().attemptNumber() == 0) {
                new CountDownLatch(1).await(1, TimeUnit.HOURS);
            }
            return records;
        });
    }
}
