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

/**
 * The rows of the table in docs/spark.md beside plain Spark, by proofs/run --figures spark-shuffle. A round starts a
 * cluster for each carrier, which sorts, groups, and has one executor that only serves.
 */
@Timeout(value = 2, unit = TimeUnit.HOURS)
class ShuffleFigures {

    private static final int RECORDS = 600_000;
    private static final int MANY_MAPS = 2_000;

    /** Outputs are copied to shared regions, which the reducers read without the engine of the executor that serves. */
    private static final String DIRECT = "DIRECT";

    private static final String[] DIRECT_SETTINGS = {
        "spark.verbena.direct=true", "spark.verbena.pool.outputBytes=64m", "spark.verbena.pool.bytes=256m"
    };

    /** The reducers read the files of an executor on their host, as Spark does unless local-cluster is the master. */
    private static final String FILES = "FILES";

    private static final String FILES_SETTING = "spark.shuffle.readHostLocalDisk=true";

    private static final String TIME = "time";
    private static final String PROCESSOR = "processor of the server";
    private static final String THREADS = "threads that serve";
    private static final String WAIT = "wait";
    private static final double LEAST_MS = 0.1;

    private static final Duration PATIENCE = Duration.ofMinutes(30);
    private static final Pattern REPETITION = Pattern.compile(Jobs.REPETITION + "(\\w+) (\\d+) (\\d+)");
    private static final Pattern SERVED =
            Pattern.compile(Serve.SERVED + "(\\w+) round .* time (\\d+) ms server (\\d+) ms wait (\\d+) ms");

    /** Medians of what the rounds over a carrier have taken, in milliseconds. */
    private static final class Rounds {
        private final Map<String, List<Double>> values = new TreeMap<>();

        private void add(String what, double value) {
            values.computeIfAbsent(what, _ -> new ArrayList<>()).add(value);
        }

        private double median(String what) {
            List<Double> sorted =
                    values.getOrDefault(what, List.of(0.0)).stream().sorted().toList();
            return sorted.get(sorted.size() / 2);
        }

        private boolean has(String what) {
            return values.containsKey(what);
        }
    }

    @TempDir
    private Path directory;

    private final Map<String, Figures> speeds = new TreeMap<>();
    private final Map<String, Rounds> all = new TreeMap<>();

    /**
     * Repetitions of two jobs in one cluster, without the first ones; then one executor has all map outputs, and the
     * other one reads them.
     */
    @Test
    void jobsAndServing() throws Exception {
        for (String job : List.of(Jobs.SORTS, Jobs.SKEWS)) {
            speeds.put(job, new Figures("Spark, " + job + ", " + RECORDS + " records"));
        }
        Figures.interleave(carrier -> {
            measure(carrier.name(), carrier, "measured");
            if (carrier == Carrier.AUTO) {
                measure(FILES, carrier, "serve", FILES_SETTING);
                measure(DIRECT, carrier, "serve", DIRECT_SETTINGS);
            }
        });
        speeds.values().forEach(Figures::print);
        for (String job : List.of(Jobs.SORTS, Jobs.SKEWS)) {
            print("Spark", job + ", " + WAIT);
        }
        for (String which : List.of(Serve.FIRST, Serve.AGAIN)) {
            for (String what : List.of(TIME, PROCESSOR, THREADS, WAIT)) {
                print("Spark, serving " + RECORDS + " records", which + " read, " + what);
            }
        }
    }

    private void measure(String name, Carrier carrier, String job, String... settings) throws Exception {
        Rounds rounds = all.computeIfAbsent(name, _ -> new Rounds());
        for (String line : output(carrier, job, settings)) {
            Matcher repetition = REPETITION.matcher(line);
            Matcher round = SERVED.matcher(line);
            if (repetition.find()) {
                Objects.requireNonNull(speeds.get(repetition.group(1))).add(carrier, " " + repetition.group(2));
                rounds.add(repetition.group(1) + ", " + WAIT, Double.parseDouble(repetition.group(3)));
            } else if (round.find()) {
                String which = round.group(1) + " read, ";
                rounds.add(which + TIME, Double.parseDouble(round.group(2)));
                rounds.add(which + PROCESSOR, Double.parseDouble(round.group(3)));
                rounds.add(which + WAIT, Double.parseDouble(round.group(4)));
            } else if (line.startsWith(Serve.STATIONS)) {
                System.out.println("Spark, serving, " + name + ", ms of a round by thread: " + line);
                String which = line.split(" ")[1] + " read, ";
                rounds.add(which + THREADS, Serve.serving(line));
            }
        }
    }

    private void print(String job, String what) {
        double plain = Objects.requireNonNull(all.get(Carrier.PLAIN.name())).median(what);
        all.forEach((name, rounds) -> {
            if (rounds.has(what)) {
                System.out.printf(
                        "%s, %s: %-6s median %.1f ms, %.2f of plain%n",
                        job, what, name, rounds.median(what), rounds.median(what) / Math.max(LEAST_MS, plain));
            }
        });
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
                ? drivers.plain(job, RECORDS, settings)
                : drivers.verbena(carrier, job, RECORDS, settings)) {
            return driver.awaitSuccess(PATIENCE);
        }
    }
}
