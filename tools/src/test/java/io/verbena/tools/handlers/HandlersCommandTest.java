package io.verbena.tools.handlers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.tools.CliRun;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HandlersCommandTest {

    @TempDir
    private Path folder = Path.of(".");

    @Test
    void u1_handlers_blocksWrittenAndVerified_tablesForPeople() throws Exception {
        Path disk = folder.resolve("disk");
        Path picture = folder.resolve("handlers.svg");
        CliRun run = CliRun.of(
                "handlers",
                "--seconds",
                "0.2",
                "--rounds",
                "1",
                "--disks",
                "2",
                "--depth",
                "4",
                "--file",
                disk.toString(),
                "--svg",
                picture.toString(),
                "--pin",
                "0");
        assertEquals(0, run.code(), run.err());
        assertTrue(run.out().contains("With one handler for both consumers:"), run.out());
        assertTrue(run.out().contains("With one handler and one processor per consumer:"), run.out());
        assertTrue(run.out().contains("disk writes/s"), run.out());
        assertEquals(2 * 4 * 65536, Files.size(disk));
        assertTrue(Files.readString(picture).contains("<svg"));
    }

    @Test
    void handlers_roce_hasTheArrangementWithTwoEngines_providersWithOneEngineOmitIt() throws Exception {
        CliRun run = CliRun.of("handlers", "--seconds", "0.1", "--rounds", "1", "--provider", "roce", "-q");
        assertEquals(0, run.code(), run.err());
        assertTrue(run.out().contains("With one handler and one processor per consumer:"), run.out());
        assertTrue(run.out().contains("one engine per consumer"), run.out());
        assertFalse(Arrangement.with(1).contains(Arrangement.OWN_ENGINES));
    }

    @Test
    void handlers_json_isOneObject() throws Exception {
        CliRun run = CliRun.of("handlers", "--seconds", "0.1", "--rounds", "1", "--json", "--every", "500");
        assertEquals(0, run.code(), run.err());
        assertEquals(1, run.out().lines().count());
        assertTrue(run.out().startsWith("{\"ok\":true,"), run.out());
        assertTrue(run.out().contains("\"arrangement\":\"URGENT_PROCESSOR\""), run.out());
        assertTrue(run.out().contains("\"p99Factor\":"), run.out());
    }

    @Test
    void handlers_scaling_measuredAndModelledSideBySide() throws Exception {
        Path picture = folder.resolve("scaling.svg");
        CliRun run =
                CliRun.of("handlers", "--scaling", "--seconds", "0.05", "--rounds", "1", "--svg", picture.toString());
        assertEquals(0, run.code(), run.err());
        assertTrue(run.out().contains("model/measured"), run.out());
        assertTrue(run.out().contains("\n  64 "), run.out());
        assertTrue(Files.readString(picture).contains("<svg"));
        CliRun json = CliRun.of("handlers", "--scaling", "--seconds", "0.05", "--rounds", "1", "--json");
        assertTrue(json.out().contains("\"modelPerSecond\":"), json.out());
    }

    @Test
    void handlers_outOfRange_isRefused() throws Exception {
        CliRun run = CliRun.of("handlers", "--disks", "0");
        assertEquals(2, run.code());
        assertTrue(run.err().contains("--disks must be 1 to 64, not 0."), run.err());
    }

    @Test
    void handlers_pictureCannotBeWritten_saysSo() throws Exception {
        CliRun run = CliRun.of("handlers", "--seconds", "0.05", "--rounds", "1", "-q", "--svg", folder + "/none/x.svg");
        assertEquals(1, run.code());
        assertTrue(run.err().contains("Cannot write the chart to"), run.err());
    }
}
