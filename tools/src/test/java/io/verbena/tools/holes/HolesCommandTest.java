package io.verbena.tools.holes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.tools.CliRun;
import io.verbena.tools.command.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HolesCommandTest {

    @TempDir
    Path directory;

    @Test
    void seed_isTheSameTableAgain_andAChart() throws IOException {
        Path picture = directory.resolve("holes.svg");
        try (CliRun run = CliRun.of("holes", "--seed", "7", "-S", "2M", "--svg", picture.toString());
                CliRun again = CliRun.of("holes", "--seed", "7", "-S", "2M")) {
            assertEquals(ExitCode.OK, run.code(), run.err());
            assertTrue(run.out().startsWith("Seed 7: "), run.out());
            assertTrue(run.out().contains("one that waits"), run.out());
            assertTrue(run.out().startsWith(again.out().stripTrailing()), again.out());
        }
        assertTrue(Files.readString(picture).contains("Waiting for order"));
    }

    @Test
    void json_isOneObject() {
        try (CliRun run = CliRun.of("holes", "--seed", "1", "-S", "1M", "--json")) {
            assertEquals(ExitCode.OK, run.code(), run.err());
            assertTrue(run.out().startsWith("{\"ok\":true,\"seed\":1,\"streamBytes\":"), run.out());
            assertTrue(run.out().contains("\"waiting\":{\"bufferedBytes\":"), run.out());
            assertEquals(1, run.out().lines().count());
        }
    }

    @Test
    void life_showsTheSteps() {
        try (CliRun run = CliRun.of("holes", "--life")) {
            assertEquals(ExitCode.OK, run.code(), run.err());
            assertTrue(
                    run.out().contains("  =.++..+   nothing delivered; holes: Sends 1, Reads 1; Sends 1, Reads 0"),
                    run.out());
            assertTrue(run.out().contains("  =======   3 CQEs, Read served"), run.out());
        }
    }

    @Test
    void documentation_showsTheLifeOfAHole() throws IOException {
        Path picture = Path.of("../docs/generated/hole-life.svg");
        assertEquals(
                Files.readString(picture),
                HoleLifePicture.draw(),
                "write it again: verbena holes --life --svg docs/generated/hole-life.svg");
        assertTrue(Files.readString(Path.of("../docs/tcp.md")).contains("(generated/hole-life.svg)"));
    }

    @ParameterizedTest
    @CsvSource({"--late, 101", "--lost, 51", "--delay, 0", "--window, 1", "--rows, -1", "-S, 1G"})
    void valueOutOfRange_isAWrongArgument_andNamesTheOption(String option, String value) {
        try (CliRun run = CliRun.of("holes", option, value)) {
            assertEquals(ExitCode.USAGE, run.code());
            assertTrue(run.err().contains(option.equals("-S") ? "--size" : option), run.err());
        }
    }
}
