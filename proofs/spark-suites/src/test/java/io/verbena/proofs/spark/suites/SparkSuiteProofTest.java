package io.verbena.proofs.spark.suites;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.proofs.Carrier;
import io.verbena.proofs.Program;
import io.verbena.proofs.Running;
import io.verbena.proofs.SparkDriver;
import io.verbena.spark.VerbenaShuffleManager;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of Spark that pass with Spark's own shuffle manager pass with the shuffle by RDMA Reads. */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class SparkSuiteProofTest {

    private static final Duration PATIENCE = Duration.ofMinutes(15);
    private static final String SETTING = "-Dspark.shuffle.manager=" + VerbenaShuffleManager.class.getName();

    @TempDir
    private Path directory;

    /** The names of the tests of a suite that pass. */
    private List<String> passed(String suite, String... options) throws Exception {
        List<String> all = new ArrayList<>(List.of(options));
        all.add("-Dspark.testing=true");
        all.add("-Dspark.test.home=" + SparkDriver.home(VerbenaShuffleSuite.class));
        all.add("-Dspark.ui.enabled=false");
        all.add("-Dspark.executor.extraClassPath=" + Program.classPath());
        all.add("-Dspark.executor.extraJavaOptions=-XX:+UseSerialGC --enable-native-access=ALL-UNNAMED");
        try (Running runner = SparkDriver.start(
                Carrier.PLAIN,
                directory,
                SparkSuiteProofTest.class,
                all,
                "org.scalatest.tools.Runner",
                "-R",
                SparkDriver.classesOf(VerbenaShuffleSuite.class).toString(),
                "-s",
                suite,
                "-oW")) {
            List<String> output = runner.awaitEnd(PATIENCE);
            TreeSet<String> passed = new TreeSet<>();
            for (String line : output) {
                if (line.startsWith("- ") && !line.contains("*** FAILED ***") && !line.contains("!!! ")) {
                    passed.add(line.substring(2));
                }
            }
            assertTrue(!passed.isEmpty(), runner::toString);
            return List.copyOf(passed);
        }
    }

    @Test
    void shuffleSuite_passesAsWithSparksOwnManager() throws Exception {
        List<String> own = passed("org.apache.spark.SortShuffleSuite");
        assertEquals(own, passed(VerbenaShuffleSuite.class.getName()));
    }

    /** Suites that start clusters or depend on the shuffle, or those of the property verbena.proofs.suites. */
    static Stream<String> suites() {
        return Stream.of(System.getProperty(
                        "verbena.proofs.suites",
                        "org.apache.spark.DistributedSuite,"
                                + "org.apache.spark.FailureSuite,"
                                + "org.apache.spark.rdd.SortingSuite,"
                                + "org.apache.spark.rdd.PairRDDFunctionsSuite,"
                                + "org.apache.spark.ContextCleanerSuite,"
                                + "org.apache.spark.storage.BlockManagerDecommissionIntegrationSuite")
                .split(","));
    }

    @ParameterizedTest
    @MethodSource("suites")
    @DisabledIfSystemProperty(named = "verbena.proofs.short", matches = "true", disabledReason = "some minutes each")
    void suite_passesAsWithSparksOwnManager(String suite) throws Exception {
        List<String> own = passed(suite);
        assertEquals(own, passed(suite, SETTING));
    }
}
