package io.verbena.proofs.spark;

import io.verbena.proofs.Figures;
import io.verbena.proofs.Running;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The time of a sort with a shuffle, by proofs/run --figures. */
class SparkFigures {

    private static final int RECORDS = 1_000_000;

    @Test
    @Timeout(value = 60, unit = TimeUnit.MINUTES)
    void sort(@TempDir Path directory) throws Exception {
        Figures sort = new Figures("Spark, sort 100 MB");
        Figures.interleave(carrier -> {
            try (Running driver = SparkProofTest.driver(carrier, directory, RECORDS)) {
                driver.awaitSuccess();
                sort.add(carrier, driver.awaitLine("sorted, ns:"));
            }
        });
        sort.print();
    }
}
