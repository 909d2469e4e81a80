package io.verbena.proofs.spark.shuffle;

import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;

/** A sort one of whose executors is killed while the other one reads from it. */
final class Lost {

    private static final int TASK_TO_KILL = 3;

    private Lost() {}

    static void run(JavaSparkContext spark, int records) {
        JavaPairRDD<Long, byte[]> sorted = Jobs.sorted(spark, records);
        // The executor with this identification dies within its reduce tasks.
        JavaPairRDD<Long, byte[]> dying = sorted.mapPartitionsToPair(part -> {
            if (SparkEnv.get().executorId().equals("0")
                    && org.apache.spark.TaskContext.get().stageAttemptNumber() == 0
                    && org.apache.spark.TaskContext.getPartitionId() >= TASK_TO_KILL) {
                // As kill -9: no hook runs, and nothing is closed.
                ProcessBuilder kill = new ProcessBuilder(
                        "kill", "-9", String.valueOf(ProcessHandle.current().pid()));
                kill.start().waitFor();
            }
            return part;
        });
        Jobs.timed(spark, dying);
    }
}
