package io.verbena.proofs.spark.shuffle;

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

/** What users switch on in Spark works with the shuffle by RDMA Reads, or is refused when the application starts. */
@Timeout(value = 3, unit = TimeUnit.HOURS)
class SettingsProofTest {

    private static final int RECORDS = 600_000;
    private static final String SECRET = "spark.authenticate.secret=of the test";
    private static final String TWO_CLUSTERS = "two clusters more take half a minute";

    @TempDir
    private Path directory;

    @Test
    @DisabledIfSystemProperty(named = "verbena.proofs.short", matches = "true", disabledReason = TWO_CLUSTERS)
    void encryptedFilesOfAuthenticatedExecutors_areReadIntoFiles() throws Exception {
        compare(
                "sort",
                "spark.io.encryption.enabled=true",
                "spark.authenticate=true",
                SECRET,
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
                        SECRET)) {
            driver.awaitLine("VerbenaShuffleManager cannot be used with spark.network.crypto.enabled=true");
        }
    }

    @Test
    @DisabledIfSystemProperty(named = "verbena.proofs.short", matches = "true", disabledReason = TWO_CLUSTERS)
    void decommissionedExecutor_hasItsOutputsReadWhereTheyWereMoved() throws Exception {
        List<String> output = compare(
                "moved",
                "spark.master=local-cluster[" + Moved.EXECUTORS + ",1,1024]",
                "spark.decommission.enabled=true",
                "spark.storage.decommission.enabled=true",
                "spark.storage.decommission.shuffleBlocks.enabled=true");
        assertTrue(
                output.stream().anyMatch(line -> line.matches(Moved.MOVED + "[1-9]\\d*")),
                () -> "nothing was moved: " + output);
        assertTrue(Comparison.figures(output).contains("failedTasks=0"), () -> Comparison.figures(output));
    }

    @Test
    @DisabledIfSystemProperty(named = "verbena.proofs.short", matches = "true", disabledReason = TWO_CLUSTERS)
    void speculativeTask_replacesOneThatDoesNotEnd() throws Exception {
        List<String> output = compare("speculated", "spark.speculation=true", "spark.speculation.quantile=0.5");
        assertTrue(
                Comparison.figures(output).matches("(?s).*speculativeTasks=[1-9].*"), () -> Comparison.figures(output));
    }

    @Test
    @DisabledIfSystemProperty(named = "verbena.proofs.short", matches = "true", disabledReason = TWO_CLUSTERS)
    void executorsAllocatedWhenNeeded_areTrackedByTheirShuffles() throws Exception {
        compare(
                "sort",
                "spark.dynamicAllocation.enabled=true",
                "spark.dynamicAllocation.shuffleTracking.enabled=true",
                "spark.dynamicAllocation.minExecutors=2");
    }

    private List<String> compare(String job, String... settings) throws Exception {
        return new Comparison(directory).same(Carrier.AUTO, job, Scale.of(RECORDS), settings);
    }
}
