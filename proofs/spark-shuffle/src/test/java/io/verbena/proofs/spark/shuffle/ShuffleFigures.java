package io.verbena.proofs.spark.shuffle;

import io.verbena.proofs.Carrier;
import io.verbena.proofs.Figures;
import io.verbena.proofs.Running;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The rows of the table in docs/spark.md beside plain Spark, by proofs/run --figures spark-shuffle. */
@Timeout(value = 2, unit = TimeUnit.HOURS)
class ShuffleFigures {

    private static final int RECORDS = 600_000;
    private static final int MANY_MAPS = 2_000;
    /** Outputs are copied to shared regions, which the reducers read without the engine of the executor that serves. */
    private static final String DIRECT = "DIRECT";

    private static final String[] DIRECT_SETTINGS = {
        "spark.verbena.direct=true", "spark.verbena.pool.outputBytes=64m", "spark.verbena.pool.bytes=256m"
    };

    private static final Duration PATIENCE = Duration.ofMinutes(30);
    private static final Pattern REPETITION = Pattern.compile(Jobs.REPETITION + "(\\d+) (\\d+)");
    private static final Pattern SERVED =
            Pattern.compile(Serve.SERVED + "round .* time (\\d+) ms server (\\d+) ms wait (\\d+) ms");

    /** Medians of what the rounds over a carrier have taken, in milliseconds. */
    private static final class Rounds {
        private final Map<String, List<Long>> values = new TreeMap<>();

        private void add(String what, long value) {
            values.computeIfAbsent(what, _ -> new ArrayList<>()).add(value);
        }

        private long median(String what) {
            List<Long> sorted =
                    values.getOrDefault(what, List.of(0L)).stream().sorted().toList();
            return sorted.get(sorted.size() / 2);
        }
    }

    @TempDir
    private Path directory;

    /** Repetitions of a job in one cluster, without the first one. */
    @Test
    void sortAndGroup() throws Exception {
        for (String job : List.of("sorts", "skews")) {
            Figures figures = new Figures("Spark, " + job + ", " + RECORDS + " records");
            Map<String, Rounds> waits = new TreeMap<>();
            Figures.interleave(carrier -> {
                Rounds rounds = waits.computeIfAbsent(carrier.name(), _ -> new Rounds());
                for (String line : output(carrier, job)) {
                    Matcher repetition = REPETITION.matcher(line);
                    if (repetition.find()) {
                        figures.add(carrier, " " + repetition.group(1));
                        rounds.add("wait", Long.parseLong(repetition.group(2)));
                    }
                }
            });
            figures.print();
            print("Spark, " + job, "wait", waits);
        }
    }

    /** Of one executor all map outputs are read by the other one. */
    @Test
    void serve() throws Exception {
        Map<String, Rounds> all = new TreeMap<>();
        Figures.interleave(carrier -> {
            serve(all, carrier.name(), carrier);
            if (carrier == Carrier.AUTO) {
                serve(all, DIRECT, carrier, DIRECT_SETTINGS);
            }
        });
        for (String what : List.of("time", "processor of the server", "wait")) {
            print("Spark, serving " + RECORDS + " records", what, all);
        }
    }

    private void serve(Map<String, Rounds> all, String name, Carrier carrier, String... settings) throws Exception {
        Rounds rounds = all.computeIfAbsent(name, _ -> new Rounds());
        for (String line : output(carrier, "serve", settings)) {
            Matcher round = SERVED.matcher(line);
            if (round.find()) {
                rounds.add("time", Long.parseLong(round.group(1)));
                rounds.add("processor of the server", Long.parseLong(round.group(2)));
                rounds.add("wait", Long.parseLong(round.group(3)));
            } else if (line.startsWith(Serve.STATIONS)) {
                System.out.println("Spark, serving, " + name + ", ms of a round by thread: " + line);
            }
        }
    }

    private static void print(String job, String what, Map<String, Rounds> all) {
        long plain = Objects.requireNonNull(all.get(Carrier.PLAIN.name())).median(what);
        all.forEach((name, rounds) -> System.out.printf(
                "%s, %s: %-6s median %d ms, %.2f of plain%n",
                job, what, name, rounds.median(what), rounds.median(what) / (double) Math.max(1, plain)));
    }

    /** Counts, which do not depend on the load: Reads for tiny blocks, registered memory before and after cleaning. */
    @Test
    void tinyBlocks() throws Exception {
        try (Running driver = new Driver(directory).verbena(Carrier.AUTO, "few", MANY_MAPS)) {
            List<String> output = driver.awaitSuccess(PATIENCE);
            System.out.printf(
                    "Spark, %d maps of 100 B, %d reducers: %.2f Reads of a reducer; registered and not in use %d bytes,"
                            + " after the cleaning %d; outputs registered after it %d bytes%n",
                    MANY_MAPS,
                    Jobs.FEW_REDUCERS,
                    Jobs.sum(output, "before", "reads") / (double) Jobs.FEW_REDUCERS,
                    Jobs.sum(output, "before", "idleBytes"),
                    Jobs.sum(output, "after", "idleBytes"),
                    Jobs.sum(output, "after", "registeredBytes"));
        }
    }

    private List<String> output(Carrier carrier, String job, String... settings) throws Exception {
        Driver drivers = new Driver(directory);
        try (Running driver = carrier == Carrier.PLAIN
                ? drivers.plain(job, RECORDS)
                : drivers.verbena(carrier, job, RECORDS, settings)) {
            return driver.awaitSuccess(PATIENCE);
        }
    }
}
