package io.verbena.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrainCommandTest {

    @TempDir
    private Path folder = Path.of(".");

    @Test
    void train_shortStages_runsEachCommandAndLeavesNothing() throws Exception {
        CliRun train = CliRun.of("train", "--millis", "10", "--temp", folder.toString());
        assertEquals(0, train.code(), train.err());
        assertEquals("", train.out());
        assertEquals("", train.err());
        try (var left = Files.list(folder)) {
            assertEquals(0, left.count());
        }
    }
}
