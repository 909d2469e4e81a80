package io.verbena.proofs.spark;

import io.verbena.proofs.Carrier;
import io.verbena.proofs.Running;
import io.verbena.proofs.Scale;
import io.verbena.proofs.SparkDriver;
import io.verbena.proofs.Testimony;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A driver, a master, two workers and two executors, and a sort whose shuffle moves most records to another executor. */
class SparkProofTest {

    private static final int RECORDS = 600_000;

    @ParameterizedTest
    @MethodSource("io.verbena.proofs.Carrier#chosen")
    void sortWithAShuffle_hasEveryRecordInOrder(Carrier carrier, @TempDir Path directory) throws Exception {
        try (Running driver = driver(carrier, directory, Scale.of(RECORDS))) {
            List<String> output = driver.awaitSuccess();
            // Half of the records are read from the other executor, and the random half of a value cannot be
            // compressed.
            Testimony.of(output.stream()
                            .filter(line -> line.startsWith(Sort.TOTALS))
                            .map(line -> line.substring(Sort.TOTALS.length()))
                            .toList())
                    .requireCarriedBy(carrier, 2, (long) Scale.of(RECORDS) * Sort.BYTES / 2);
            driver.testimony().requireCarriedBy(carrier, 2, 10_000);
        }
    }

    /** Starts the driver, which starts everything else. */
    static Running driver(Carrier carrier, Path directory, int records) throws Exception {
        String executors = String.join(" ", carrier.jvmOptions()) + " --enable-native-access=ALL-UNNAMED";
        return SparkDriver.start(carrier, directory, Sort.class, String.valueOf(records), executors);
    }
}
