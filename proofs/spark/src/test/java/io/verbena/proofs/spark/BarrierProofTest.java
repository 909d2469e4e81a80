package io.verbena.proofs.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.proofs.Carrier;
import io.verbena.proofs.Running;
import io.verbena.proofs.SparkDriver;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tasks of a barrier stage of Spark are ranks that add up vectors, as docs/launchers.md describes it. */
class BarrierProofTest {

    @Test
    void gradientsOfABarrierStage_areThoseOfTreeAggregate(@TempDir Path directory) throws Exception {
        try (Running driver =
                SparkDriver.start(Carrier.PLAIN, directory, Gradients.class, "--enable-native-access=ALL-UNNAMED")) {
            List<String> times = driver.awaitSuccess().stream()
                    .filter(line -> line.contains(Gradients.TIMES))
                    .toList();
            assertEquals(3, times.size(), times::toString);
            times.forEach(System.out::println);
        }
    }
}
