package io.verbena.tools.connections;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.tools.CliRun;
import io.verbena.tools.command.ExitCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConnectionsCountCommandTest {

    @Test
    void threeNodes_countsAndMeasures() {
        try (CliRun run = CliRun.of(
                "connections", "count", "-n", "3", "-m", "4", "-S", "8K", "--messages", "4", "--rounds", "1")) {
            assertEquals(ExitCode.OK, run.code(), run.err());
            assertTrue(run.out().contains("     4 queue pairs and 2 contexts"), run.out());
            assertTrue(run.out().contains("    32 queue pairs (4 * 4 * 2)"), run.out());
            assertTrue(run.out().contains("ratio"), run.out());
        }
    }

    @Test
    void json_withoutTraffic_hasTheCounts() {
        try (CliRun run = CliRun.of("connections", "count", "-n", "2", "-m", "3", "--rounds", "0", "--json")) {
            assertEquals(ExitCode.OK, run.code(), run.err());
            assertEquals(
                    "{\"ok\":true,\"nodes\":2,\"programs\":3,\"queuePairs\":3,\"contexts\":1,\"connectedQueuePairs\":9}",
                    run.out().strip());
        }
    }

    @ParameterizedTest
    @CsvSource({"--nodes, 1", "--programs, 0", "--rounds, -1", "--messages, 0", "--size, 2M"})
    void valueOutOfRange_isAWrongArgument_andNamesTheOption(String option, String value) {
        try (CliRun run = CliRun.of("connections", "count", option, value)) {
            assertEquals(ExitCode.USAGE, run.code());
            assertTrue(run.err().contains(option), run.err());
        }
    }
}
