package io.verbena.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.tools.base.Failure;
import io.verbena.tools.base.ServerProcess;
import io.verbena.tools.base.StopSignal;
import io.verbena.verbs.ConnectionException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DemoCommandTest {

    private static final byte[] TOKEN = {1, 2, 3};
    private static final Duration LONGEST = Duration.ofSeconds(60);

    @TempDir
    private Path folder = Path.of(".");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--engine-thread",
                "--inline --crc --markers --engines 1 --no-p2p",
                "--provider roce",
                "--provider roce --inline"
            })
    void demo_generatedBytes_movedAndVerified(String options) throws Exception {
        CliRun demo = run("--size 1MiB --seconds 0.05 --json --quiet " + options);
        assertEquals(0, demo.code(), demo.err());
        assertEquals("", demo.err());
        assertTrue(demo.out().startsWith("{\"ok\":true,"), demo.out());
        assertTrue(demo.out().contains("\"verified\":true"), demo.out());
        for (String stage : List.of("write", "read", "send", "fetchAndAdd", "compareAndSwap")) {
            assertTrue(demo.out().contains("{\"name\":\"" + stage + "\",\"operations\":"), demo.out());
        }
        assertEquals(1, demo.out().lines().count());
        assertNothingLeft();
    }

    @Test
    void demo_forPeople_isAShortReportAndACapture() throws Exception {
        Path file = Files.write(folder.resolve("file.bin"), new byte[1 << 20]);
        Path capture = folder.resolve("demo.pcapng");
        CliRun demo = run("--seconds 0.05 --capture " + capture + " " + file);
        assertEquals(0, demo.code(), demo.err());
        assertTrue(demo.out().contains("Verbena moved 1.0 MiB (" + file + ") to another process and back."));
        assertTrue(demo.out().endsWith("No increment was lost.\n"), demo.out());
        assertTrue(demo.out().lines().count() < 20);
        assertTrue(demo.err().contains("RDMA Write: "), demo.err());
        assertFalse(demo.err().contains("\r"));
        byte[] captured = Files.readAllBytes(capture);
        assertTrue(captured.length > 2 << 20, "only " + captured.length + " bytes");
        assertEquals("0a0d0d0a", HexFormat.of().formatHex(captured, 0, 4));
    }

    @ParameterizedTest
    @ValueSource(strings = {"--engine-thread", "--inline"})
    void demo_serverDies_saysSoAndEnds(String progress) throws Exception {
        CliRun demo = run("--size 1M --json --peer-fault DIE " + progress);
        assertEquals(1, demo.code());
        assertTrue(demo.err().contains("The server process ended early with exit code 3"), demo.err());
        assertTrue(demo.out().contains("\"ok\":false"), demo.out());
        assertNothingLeft();
    }

    @Test
    void demo_serverStalls_saysSoAndEnds() throws Exception {
        CliRun demo = run("--size 1M --timeout 2 --peer-fault STALL");
        assertEquals(1, demo.code());
        assertTrue(demo.err().contains("The peer did nothing for 2 s"), demo.err());
        assertNothingLeft();
    }

    @Test
    void demo_bytesDamaged_isFoundOut() throws Exception {
        CliRun demo = run("--size 100k --seconds 0.02 --peer-fault CORRUPT");
        assertEquals(1, demo.code());
        assertTrue(demo.err().contains("The bytes differ: SHA-256 is "), demo.err());
        assertFalse(demo.out().contains("No increment was lost"));
    }

    @Test
    void demo_stopped_endsAndLeavesNothing() throws Exception {
        try (CliRun demo =
                CliRun.onTerminal("demo", "--size", "1M", "--seconds", "1000", "--temp", folder.toString())) {
            demo.awaitErr("RDMA Write ");
            demo.interrupt();
            assertEquals(130, demo.code());
            assertTrue(demo.err().contains("verbena demo: Stopped before the end, after "), demo.err());
        }
        assertNothingLeft();
    }

    @Test
    void serverProcess_neverSaysItsPort_isGivenUp() throws Exception {
        try (ServerProcess server = start("--fault", "SILENT")) {
            Failure failure =
                    assertThrows(Failure.class, () -> server.awaitAddress(Duration.ofMillis(200), new StopSignal()));
            assertEquals("The server process did not print its address within 0.2 s", failure.getMessage());
        }
    }

    @Test
    void serverProcess_cannotStart_saysWhatItSaid() throws Exception {
        try (ServerProcess server = start("--frob")) {
            Failure failure = assertThrows(Failure.class, () -> server.awaitAddress(LONGEST, new StopSignal()));
            assertTrue(
                    failure.toString().contains("The server process ended early with exit code 2; its last message: "));
            assertTrue(failure.toString().contains("Unknown option: '--frob'"), failure.getMessage());
        }
    }

    @Test
    void serverProcess_clientWithoutToken_rejected() throws Exception {
        try (ServerProcess server = start()) {
            int port = server.awaitAddress(LONGEST, new StopSignal()).getPort();
            ConnectionException refused = assertThrows(
                    ConnectionException.class, () -> Peers.connect(port).close());
            assertEquals(ConnectionException.Kind.REJECTED, refused.kind());
        }
    }

    @Test
    void serverProcess_parentGone_ends() throws Exception {
        ServerProcess server = start();
        server.awaitAddress(LONGEST, new StopSignal());
        server.close();
        assertEquals(
                "The server process ended early with exit code 1; its last message: verbena demo-peer: The client process ended or stopped the demo.",
                server.death().orElseThrow());
    }

    private static ServerProcess start(String... more) throws Failure {
        List<String> arguments = new ArrayList<>(List.of("demo-peer", "--listen"));
        arguments.addAll(List.of(more));
        return ServerProcess.start(Verbena.class, arguments, TOKEN, false);
    }

    private CliRun run(String arguments) {
        List<String> all = new ArrayList<>(List.of("demo", "--temp", folder.toString()));
        all.addAll(List.of(arguments.split(" ")));
        return CliRun.of(all.toArray(String[]::new));
    }

    private void assertNothingLeft() throws IOException {
        try (var files = Files.list(folder)) {
            assertEquals(List.of(), files.toList());
        }
    }
}
