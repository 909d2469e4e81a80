package io.verbena.tools.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.tools.CliRun;
import io.verbena.tools.base.Failure;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChartFileTest {

    @TempDir
    private Path folder;

    @Test
    void existingFolder_write_createsOrReplacesFile() throws Exception {
        ChartFile chart = new ChartFile(folder.resolve("chart.svg"));
        chart.write("<svg/>");
        chart.write("<svg></svg>");
        assertEquals("<svg></svg>", Files.readString(chart.path()));
    }

    @Test
    void missingFolder_checkAndWrite_nameFileAndRemedy() {
        ChartFile chart = new ChartFile(folder.resolve("missing/chart.svg"));
        for (Failure failure : List.of(
                assertThrows(Failure.class, chart::checkWritable),
                assertThrows(Failure.class, () -> chart.write("<svg/>")))) {
            assertEquals(
                    "Cannot write the chart to '" + chart + "': name a file in an existing folder",
                    failure.getMessage());
        }
        assertFalse(Files.exists(chart.path()));
    }

    @Test
    void folderAsFile_check_fails() {
        assertThrows(Failure.class, new ChartFile(folder)::checkWritable);
    }

    @Test
    void everyCommandWithChart_missingFolder_failsWithSameSentence() {
        String svg = folder.resolve("missing/chart.svg").toString();
        for (List<String> command : List.of(
                List.of("holes", "--size", "64k"),
                List.of("handlers", "--seconds", "0.05"),
                List.of("channels", "--connections", "1", "--messages", "0"),
                List.of("connections", "explain", "a:bad-key"),
                List.of("perf", "write_lat"))) {
            String[] arguments = new String[command.size() + 2];
            command.toArray(arguments);
            arguments[command.size()] = "--svg";
            arguments[command.size() + 1] = svg;
            CliRun run = CliRun.of(arguments);
            assertEquals(ExitCode.FAILED, run.code(), command + ": " + run.err());
            assertTrue(run.err().contains("Cannot write the chart to '" + svg + "': name a file"), run.err());
        }
    }
}
