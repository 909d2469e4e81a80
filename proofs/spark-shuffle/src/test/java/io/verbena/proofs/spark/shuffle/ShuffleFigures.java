package io.verbena.proofs.spark.shuffle;

import io.verbena.proofs.Carrier;
import io.verbena.proofs.Figures;
import io.verbena.proofs.Running;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Times of the shuffle beside those of plain Spark, by proofs/run --figures spark-shuffle. */
class ShuffleFigures {

    private static final int RECORDS = 600_000;
    private static final int TINY_MAPS = 1_000;
    private static final Pattern SERVED =
            Pattern.compile(Serve.SERVED + "round [1-9].* time (\\d+) ms server (\\d+) ms wait (\\d+) ms");

    /** What the rounds of the executor that only serves have taken, in milliseconds. */
    private record Served(List<Long> time, List<Long> server, List<Long> waited) {}

    @TempDir
    private Path directory;

    @Test
    @Timeout(value = 60, unit = TimeUnit.MINUTES)
    void sortAndGroup() throws Exception {
        for (String job : List.of("sort", "skew")) {
            Figures figures = new Figures("Spark, " + job + " of " + RECORDS + " records");
            Figures.interleave(carrier -> {
                try (Running driver = driver(carrier, job)) {
                    driver.awaitSuccess();
                    figures.add(carrier, driver.awaitLine(Jobs.TIME));
                }
            });
            figures.print();
        }
    }

    /** Of one executor all map outputs are read by the other one. */
    @Test
    @Timeout(value = 60, unit = TimeUnit.MINUTES)
    void serve() throws Exception {
        Map<Carrier, Served> all = new EnumMap<>(Carrier.class);
        Figures.interleave(carrier -> {
            Served served = all.computeIfAbsent(
                    carrier, _ -> new Served(new ArrayList<>(), new ArrayList<>(), new ArrayList<>()));
            try (Running driver = driver(carrier, "serve")) {
                for (String line : driver.awaitSuccess()) {
                    Matcher round = SERVED.matcher(line);
                    if (round.find()) {
                        served.time().add(Long.valueOf(round.group(1)));
                        served.server().add(Long.valueOf(round.group(2)));
                        served.waited().add(Long.valueOf(round.group(3)));
                    }
                }
            }
        });
        Served plain = Objects.requireNonNull(all.get(Carrier.PLAIN));
        all.forEach((carrier, served) -> System.out.printf(
                "Spark, serving %d records %-6s medians, and as parts of plain: time %s, processor of the serving executor %s,"
                        + " fetch wait %s%n",
                RECORDS,
                carrier,
                part(served.time(), plain.time()),
                part(served.server(), plain.server()),
                part(served.waited(), plain.waited())));
    }

    private static String part(List<Long> values, List<Long> of) {
        return median(values) + " ms (" + String.format("%.2f", median(values) / (double) Math.max(1, median(of)))
                + ")";
    }

    /**
     * Counts, which do not depend on the load: Reads for tiny blocks, and memory that is registered before and
     * after the cleaning.
     */
    @Test
    @Timeout(value = 60, unit = TimeUnit.MINUTES)
    void tinyBlocks() throws Exception {
        try (Running driver = new Driver(directory).verbena(Carrier.AUTO, "tiny", TINY_MAPS)) {
            List<String> output = driver.awaitSuccess();
            System.out.printf(
                    "Spark, %d maps, %d reducers, 100 B each: %.2f Reads of a reducer, %d bytes registered and not in use;"
                            + " after the cleaning %d bytes of outputs registered%n",
                    TINY_MAPS,
                    Jobs.TINY_REDUCERS,
                    Jobs.sum(output, "before", "reads") / (double) Jobs.TINY_REDUCERS,
                    Jobs.sum(output, "before", "idleBytes"),
                    Jobs.sum(output, "after", "registeredBytes"));
        }
    }

    private Running driver(Carrier carrier, String job) throws Exception {
        Driver drivers = new Driver(directory);
        return carrier == Carrier.PLAIN ? drivers.plain(job, RECORDS) : drivers.verbena(carrier, job, RECORDS);
    }

    private static long median(List<Long> values) {
        List<Long> sorted = values.stream().sorted().toList();
        return sorted.get(sorted.size() / 2);
    }
}
