package io.verbena.proofs.spark.shuffle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.proofs.Carrier;
import io.verbena.proofs.Running;
import io.verbena.proofs.Scale;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Jobs whose reducers read by RDMA Reads return the records that plain Spark returns, and leave nothing registered. */
@Timeout(value = 3, unit = TimeUnit.HOURS)
class ShuffleProofTest {

    private static final int RECORDS = 600_000;
    private static final int MAPS = 1_000;
    private static final int WIDE_MAPS = Integer.getInteger("verbena.proofs.maps", 10_000);
    private static final int SALES = 300_000;
    private static final int KILLS = Integer.getInteger("verbena.proofs.kills", 100);
    private static final String TWO_CLUSTERS = "two clusters more take half a minute";

    @TempDir
    private Path directory;

    @ParameterizedTest
    @MethodSource("io.verbena.proofs.Carrier#chosen")
    void sort_hasTheRowsOfPlainSpark(Carrier carrier) throws Exception {
        List<String> output = compare(carrier, "sort", Scale.of(RECORDS));
        assertTrue(
                Jobs.sum(output, "before", "readBytes") > (long) Scale.of(RECORDS) * 100 / 4,
                () -> Comparison.figures(output));
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
        assertTrue(
                Jobs.sum(output, "before", "reads") <= (long) Jobs.TINY_REDUCERS * Math.max(1, maps / 64),
                () -> Comparison.figures(output));
    }

    @Test
    void executorKilledWhileItIsRead_costsAStageAndNoRow() throws Exception {
        compare(Carrier.AUTO, "lost", Scale.of(RECORDS));
    }

    /** A fetch is in one of several states when the executor dies: the blocks are requested one after the other. */
    @Test
    @DisabledIfSystemProperty(named = "verbena.proofs.short", matches = "true", disabledReason = TWO_CLUSTERS)
    void executorsKilledAmidFetches_costStagesAndNoRow() throws Exception {
        int rounds = KILLS;
        List<String> output = compare(
                Carrier.AUTO,
                "killed",
                rounds,
                "spark.reducer.maxSizeInFlight=16k",
                "spark.reducer.maxReqsInFlight=1",
                "spark.deploy.maxExecutorRetries=-1");
        assertTrue(
                output.contains(Killed.ROUND + (rounds - 1) + " killed " + rounds),
                () -> "not every round has killed an executor: " + output);
    }

    @Test
    @DisabledIfSystemProperty(named = "verbena.proofs.short", matches = "true", disabledReason = "ten million records")
    void tenThousandMaps_areReadByFewReads() throws Exception {
        List<String> output = compare(Carrier.AUTO, "wide", WIDE_MAPS);
        assertTrue(
                Jobs.sum(output, "before", "reads") <= (long) Jobs.WIDE_REDUCERS * (WIDE_MAPS / 64),
                () -> Comparison.figures(output));
    }

    @Test
    @DisabledIfSystemProperty(named = "verbena.proofs.short", matches = "true", disabledReason = TWO_CLUSTERS)
    void queries_haveTheRowsOfPlainSpark() throws Exception {
        Driver drivers = new Driver(directory);
        List<String> expected;
        try (Running plain = drivers.queries(Carrier.PLAIN, Scale.of(SALES))) {
            expected = Comparison.rows(plain.awaitSuccess(Comparison.PATIENCE));
        }
        try (Running verbena = drivers.queries(Carrier.AUTO, Scale.of(SALES))) {
            List<String> output = verbena.awaitSuccess(Comparison.PATIENCE);
            assertEquals(expected, Comparison.rows(output));
            assertTrue(Jobs.sum(output, "before", "reads") > 0, () -> Comparison.figures(output));
        }
        for (int i = 1; i <= Queries.QUERIES.size(); i++) {
            String query = Jobs.ROWS + "query " + i + ": ";
            assertTrue(expected.stream().anyMatch(row -> row.startsWith(query)), () -> "no rows of " + query);
        }
    }

    private List<String> compare(Carrier carrier, String job, int number, String... settings) throws Exception {
        return new Comparison(directory).same(carrier, job, number, settings);
    }
}
