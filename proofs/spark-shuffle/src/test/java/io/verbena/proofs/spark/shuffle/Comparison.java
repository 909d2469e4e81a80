package io.verbena.proofs.spark.shuffle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.proofs.Carrier;
import io.verbena.proofs.Running;
import io.verbena.verbs.TransportType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A job with plain Spark and with the shuffle by RDMA Reads, which return the same rows; nothing stays registered. */
final class Comparison {

    static final Duration PATIENCE = Duration.ofHours(1);

    /** What executors keep registered between fetches: two as reducers, and two that collect blocks. */
    private static final long MOST_IDLE_BYTES = 2L * (48 << 20) + 2L * (4 << 20);

    private final Driver drivers;

    Comparison(Path directory) {
        drivers = new Driver(directory);
    }

    /** Returns the output with the shuffle. */
    List<String> same(Carrier carrier, String job, int number, String... settings) throws Exception {
        List<String> expected = job.equals("wide") ? Jobs.tinyRows(number, Jobs.WIDE_REDUCERS) : plain(job, number);
        try (Running verbena = drivers.verbena(carrier, job, number, settings)) {
            List<String> output = verbena.awaitSuccess(PATIENCE);
            assertFalse(rows(output).isEmpty());
            assertEquals(expected, rows(output));
            for (TransportType transport : carrier.transports()) {
                assertTrue(Jobs.sum(output, "before", "connections." + transport) > 0, () -> figures(output));
            }
            assertTrue(Jobs.sum(output, "before", "idleBytes") <= MOST_IDLE_BYTES, () -> figures(output));
            assertEquals(0, Jobs.sum(output, "after", "idleBytes"), () -> figures(output));
            assertEquals(0, Jobs.sum(output, "after", "registeredBytes"), () -> figures(output));
            assertEquals(0, Jobs.sum(output, "after", "registeredRegions"), () -> figures(output));
            return output;
        }
    }

    /** The rows of the job without its mishap. */
    private List<String> plain(String job, int number) throws Exception {
        String without = switch (job) {
            case "lost" -> "sort";
            case "killed" -> "spared";
            case "moved", "speculated" -> "partitioned";
            default -> job;
        };
        try (Running plain = drivers.plain(without, number)) {
            return rows(plain.awaitSuccess(PATIENCE));
        }
    }

    static List<String> rows(List<String> output) {
        return output.stream().filter(line -> line.startsWith(Jobs.ROWS)).toList();
    }

    static String figures(List<String> output) {
        return String.join(
                "\n",
                output.stream()
                        .filter(line -> line.startsWith(Jobs.FIGURE) || line.startsWith(Jobs.READ))
                        .toList());
    }
}
