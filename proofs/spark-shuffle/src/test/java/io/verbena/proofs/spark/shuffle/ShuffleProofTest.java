package io.verbena.proofs.spark.shuffle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.proofs.Carrier;
import io.verbena.proofs.Running;
import io.verbena.proofs.Scale;
import io.verbena.verbs.TransportType;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Jobs whose reducers read by RDMA Reads return the records that plain Spark returns, and leave nothing registered. */
class ShuffleProofTest {

    private static final int RECORDS = 600_000;
    private static final int MAPS = 1_000;
    private static final int REDUCERS = 100;
    private static final String TWO_CLUSTERS = "two clusters more take half a minute";

    @TempDir
    private Path directory;

    /** The rows of plain Spark are those of the shuffle; returns the output of the latter. */
    private List<String> compare(Carrier carrier, String job, int number, String... settings) throws Exception {
        Driver drivers = new Driver(directory);
        List<String> expected;
        try (Running plain = drivers.plain(job.equals("lost") ? "sort" : job, number)) {
            expected = plain.awaitSuccess();
        }
        try (Running verbena = drivers.verbena(carrier, job, number, settings)) {
            List<String> output = verbena.awaitSuccess();
            assertFalse(rows(output).isEmpty());
            assertEquals(rows(expected), rows(output));
            for (TransportType transport : carrier.transports()) {
                assertTrue(sum(output, "before", "connections." + transport) > 0, () -> figures(output));
            }
            assertEquals(0, sum(output, "after", "registeredBytes"), () -> figures(output));
            assertEquals(0, sum(output, "after", "registeredRegions"), () -> figures(output));
            return output;
        }
    }

    private static List<String> rows(List<String> output) {
        return output.stream().filter(line -> line.startsWith(Jobs.ROWS)).toList();
    }

    private static String figures(List<String> output) {
        return String.join(
                "\n",
                output.stream().filter(line -> line.startsWith(Jobs.FIGURE)).toList());
    }

    /** The sum of a figure over the executors. */
    private static long sum(List<String> output, String when, String name) {
        Pattern value = Pattern.compile("[{ ]" + Pattern.quote(name) + "=(\\d+)");
        long sum = 0;
        for (String line : output) {
            Matcher found = value.matcher(line);
            if (line.startsWith(Jobs.FIGURE + when) && found.find()) {
                sum += Long.parseLong(found.group(1));
            }
        }
        return sum;
    }

    @ParameterizedTest
    @MethodSource("io.verbena.proofs.Carrier#chosen")
    void sort_hasTheRowsOfPlainSpark(Carrier carrier) throws Exception {
        List<String> output = compare(carrier, "sort", Scale.of(RECORDS));
        assertTrue(sum(output, "before", "readBytes") > (long) Scale.of(RECORDS) * 100 / 4, () -> figures(output));
    }

    @Test
    @DisabledIfSystemProperty(named = "verbena.proofs.short", matches = "true", disabledReason = TWO_CLUSTERS)
    void groupByWithSkew_hasTheRowsOfPlainSpark() throws Exception {
        compare(Carrier.AUTO, "skew", Scale.of(RECORDS));
    }

    @Test
    void tinyBlocks_areReadByFewReads() throws Exception {
        int maps = Scale.of(MAPS);
        List<String> output = compare(Carrier.AUTO, "tiny", maps);
        // One Read for up to 255 maps of the other executor, and never more than one for 64.
        assertTrue(sum(output, "before", "reads") <= (long) REDUCERS * Math.max(1, maps / 64), () -> figures(output));
    }

    @Test
    void executorKilledWhileItIsRead_costsAStageAndNoRow() throws Exception {
        compare(Carrier.AUTO, "lost", Scale.of(RECORDS));
    }

    @Test
    @DisabledIfSystemProperty(named = "verbena.proofs.short", matches = "true", disabledReason = TWO_CLUSTERS)
    void encryptedFilesOfAuthenticatedExecutors_areReadIntoFiles() throws Exception {
        compare(
                Carrier.AUTO,
                "sort",
                Scale.of(RECORDS),
                "spark.io.encryption.enabled=true",
                "spark.authenticate=true",
                "spark.authenticate.secret=of the test",
                "spark.network.maxRemoteBlockSizeFetchToMem=100k",
                "spark.reducer.maxSizeInFlight=1m");
    }

    @Test
    void encryptedNetwork_isRefusedAtTheStart() throws Exception {
        try (Running driver = new Driver(directory)
                .verbena(
                        Carrier.AUTO,
                        "sort",
                        1_000,
                        "spark.network.crypto.enabled=true",
                        "spark.authenticate=true",
                        "spark.authenticate.secret=of the test")) {
            driver.awaitLine("VerbenaShuffleManager cannot be used with spark.network.crypto.enabled=true");
        }
    }
}
