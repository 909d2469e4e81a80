package io.verbena.proofs.spark.shuffle;

import io.verbena.spark.VerbenaShuffleManager;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.spark.HashPartitioner;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/**
 * Shuffles in which a reducer kills the executor that it reads from, as kill -9 does: no hook of that runs. Each prints
 * a digest of its records. A reducer gets the blocks of its own executor first, about half of all, and then the others,
 * which it requests one after the other. The kill comes within these, after another number of records in each round:
 * some blocks have been read, one is being read, and some were not requested.
 */
final class Killed {

    /** Begins the line of a round: its number, and how many executors were killed until then. */
    static final String ROUND = "round ";

    private static final int RECORDS = 8_000;
    private static final int REDUCERS = 8;
    private static final int STEP = 97;

    private Killed() {}

    static void run(JavaSparkContext spark, int rounds, boolean kills) throws Exception {
        int killed = 0;
        for (int round = 0; round < rounds; round++) {
            Map<String, Long> processes = processes(spark);
            while (processes.size() < 2) { // the one that replaces the last victim is not there yet
                Jobs.awaitExecutors(spark, 2);
                processes = processes(spark);
            }
            Map<String, Long> both = Map.copyOf(processes);
            Path flag = Files.createTempDirectory("killed").resolve("flag");
            String name = flag.toString(); // a task cannot have a path
            long after = RECORDS / REDUCERS / 2 + (long) round * STEP % (RECORDS / REDUCERS / 2);
            List<Tuple2<Long, byte[]>> all = new ArrayList<>(Jobs.pairs(spark, RECORDS, round)
                    .partitionBy(new HashPartitioner(REDUCERS))
                    .mapPartitionsToPair(records -> kills ? killing(records, after, both, name) : records)
                    .collect());
            all.sort(Comparator.comparing(Tuple2::_1));
            System.out.println(Jobs.ROWS + round + " " + RecordDigest.of(all.iterator()));
            killed += Files.deleteIfExists(flag) ? 1 : 0;
            Files.delete(flag.getParent());
            System.out.println(ROUND + round + " killed " + killed);
        }
    }

    /** The processes of the executors, by identification. */
    private static Map<String, Long> processes(JavaSparkContext spark) {
        return spark
                .parallelize(Jobs.ordered(32), 32)
                .map(_ -> new Tuple2<>(
                        SparkEnv.get().executorId(), ProcessHandle.current().pid()))
                .collect()
                .stream()
                .distinct()
                .collect(Collectors.toMap(Tuple2::_1, Tuple2::_2));
    }

    /** The records; after some of them one of all reducers kills the other executor, once in a round. */
    private static Iterator<Tuple2<Long, byte[]>> killing(
            Iterator<Tuple2<Long, byte[]>> records, long after, Map<String, Long> processes, String flag)
            throws IOException, InterruptedException {
        List<Tuple2<Long, byte[]>> read = new ArrayList<>();
        boolean firstAttempt = TaskContext.get().stageAttemptNumber() == 0;
        long readsBefore = reads();
        while (records.hasNext()) {
            // On a busy machine the blocks of this executor may be read before it has a connection.
            if (firstAttempt && read.size() >= after && reads() > readsBefore && first(Path.of(flag))) {
                kill(processes);
            }
            read.add(records.next());
        }
        return read.iterator();
    }

    /** Reads that this executor has posted. */
    private static long reads() {
        return SparkEnv.get().shuffleManager() instanceof VerbenaShuffleManager manager
                ? manager.figures().getOrDefault("reads", 0L)
                : 0;
    }

    private static boolean first(Path flag) throws IOException {
        try {
            Files.createFile(flag);
            return true;
        } catch (FileAlreadyExistsException _) {
            return false;
        }
    }

    private static void kill(Map<String, Long> processes) throws IOException, InterruptedException {
        String own = SparkEnv.get().executorId();
        for (Map.Entry<String, Long> each : processes.entrySet()) {
            if (!each.getKey().equals(own)) {
                new ProcessBuilder("kill", "-9", String.valueOf(each.getValue()))
                        .start()
                        .waitFor();
            }
        }
    }
}
