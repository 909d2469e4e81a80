package io.verbena.tools.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.tools.AllCommands;
import io.verbena.tools.CliRun;
import io.verbena.tools.Verbena;
import io.verbena.tools.base.ResultStream;
import io.verbena.tools.base.StopSignal;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A command whose results or files could not be written fails, whatever else it achieved. */
class OutputFailureTest {

    private static final Path FULL = Path.of("/dev/full");

    @TempDir
    private Path folder = Path.of(".");

    /** A device without space. */
    private static final class Full extends OutputStream {
        @Override
        public void write(int b) throws IOException {
            throw new IOException("No space left on device");
        }
    }

    private static final List<String> TABLE = List.of(
            "--help",
            "--version",
            "info",
            "info --json",
            "info --help",
            "demo -S 64K -q --json",
            "ping --help",
            "perf write_lat --iterations 10",
            "holes --size 64K",
            "holes --size 64K --json",
            "sim --count 1",
            "upgrade",
            "connections explain a:send",
            "connections count -n 2 --programs 1 --rounds 0",
            "fabric routes ring:4",
            "fabric routes ring:4 --json",
            "fabric run ring:4 --time 20",
            "fabric show ring:4",
            "fabric explain",
            "fabric verbs ring:4 --messages 1",
            "fabric program barrier ring:4 --rounds 1",
            "memory demo",
            "memory demo --json",
            "disk list --json",
            "top --json",
            "sockets top --json",
            "fabric bench --json --help",
            "handlers --help",
            "net impair tap:a tap:b --rule=clear --check",
            "net up --help");

    /** Commands that need a server, root or long, and those that serve: their results go the same way, by FiguresCommand. */
    private static final Set<String> WITHOUT = Set.of(
            "channels",
            "cp",
            "disk add",
            "disk bench",
            "disk connect",
            "disk discover",
            "disk read",
            "disk remove",
            "disk resize",
            "disk serve",
            "disk write",
            "fabric serve",
            "net down",
            "perftest",
            "pingpong",
            "run",
            "serve",
            "sockets proxy",
            "sockets run",
            "web");

    static List<String> table() {
        return TABLE;
    }

    /** A new command enters the table. */
    @Test
    void everyCommand_isInTheTable() {
        AllCommands.assertIn(TABLE, WITHOUT);
    }

    @ParameterizedTest
    @MethodSource("table")
    void standardOutput_full_failsWithTheReason(String command) {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Terminal terminal = new Terminal(
                ResultStream.to(new Full(), StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                false,
                false);
        int code = Verbena.run(terminal, new StopSignal(), command.split(" "));
        String said = err.toString(StandardCharsets.UTF_8);
        assertEquals(ExitCode.FAILED, code, said);
        assertTrue(said.contains("standard output could not be written: No space left on device."), said);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "holes --size 64K --svg",
                "connections explain a:send --svg",
                "fabric show ring:4 --svg",
                "fabric explain --svg",
                "memory demo --svg",
                "perf write_lat --iterations 100 --inline --capture",
                "demo -S 64K -q --capture",
                "upgrade --capture"
            })
    void file_onADeviceWithoutSpace_fails(String command) {
        assumeTrue(Files.exists(FULL), "Linux has this device");
        CliRun run = CliRun.of((command + " " + FULL).split(" "));
        assertEquals(ExitCode.FAILED, run.code(), run.err());
        assertTrue(run.err().contains("'/dev/full'"), run.err());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--capture-limit=4K"})
    void capture_written_isComplete(String more) {
        Path file = folder.resolve("a.pcapng");
        String command = "upgrade --capture " + file + " " + more;
        CliRun run = CliRun.of(command.strip().split(" "));
        assertEquals(ExitCode.OK, run.code(), run.err());
    }
}
