package io.verbena.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code verbena disk discover, connect, read, write, bench} against {@code verbena disk serve}. */
@Timeout(120)
class DiskHostCommandsTest {
    private static final String NQN = "nqn.2026-01.org.example:disk";
    private static final String HOST = "nqn.2026-01.org.example:host";

    @TempDir
    private Path folder = Path.of(".");

    private static CliRun serve(String... arguments) {
        List<String> all =
                new ArrayList<>(List.of("disk", "serve", "--address", "127.0.0.92", "--port", "0", "--nqn", NQN));
        all.addAll(List.of(arguments));
        return CliRun.start(all.toArray(String[]::new));
    }

    private static CliRun disk(CliRun server, String command, String... arguments) throws Exception {
        List<String> all = new ArrayList<>(List.of("disk", command, "127.0.0.92:" + server.port()));
        all.addAll(List.of(arguments));
        return CliRun.of(all.toArray(String[]::new));
    }

    @Test
    void bytesWritten_areReadBack_andTheServerCountsThem() throws Exception {
        byte[] bytes = new byte[700_001];
        new Random(1).nextBytes(bytes);
        Path source = Files.write(folder.resolve("source"), bytes);
        Path target = folder.resolve("target");
        try (CliRun server = serve("memory:1M", "--provider", "iwarp")) {
            CliRun write = disk(server, "write", source.toString(), "--offset", "100", "--provider", "iwarp");
            assertEquals(0, write.code(), write.err());
            assertTrue(write.err().contains("Writing: 683.6 KiB"), write.err());
            CliRun read = disk(
                    server,
                    "read",
                    target.toString(),
                    "--offset",
                    "100",
                    "--length",
                    "700001",
                    "--json",
                    "--provider",
                    "iwarp");
            assertEquals(0, read.code(), read.err());
            assertEquals(-1, Files.mismatch(source, target));
            CliRun piece = disk(server, "read", "-", "--offset", "100", "--length", "3", "--provider", "iwarp");
            assertEquals(0, piece.code(), piece.err());
            server.interrupt();
            assertEquals(0, server.code(), server.err());
            assertTrue(server.err().matches("(?s).*Stopped after [1-9]\\d* command\\(s\\)\\..*"), server.err());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"iwarp", "roce"})
    void discoverAndConnect_showWhatIsThere(String provider) throws Exception {
        try (CliRun server = serve("memory:1M", "memory:2M", "--provider", provider, "--block", "4096")) {
            String[] options = provider.equals("roce")
                    ? new String[] {"--provider", provider, "--device", "127.0.0.93"}
                    : new String[] {"--provider", provider};
            CliRun discover = disk(server, "discover", options);
            assertEquals(0, discover.code(), discover.err());
            assertTrue(discover.out().startsWith(NQN + "  127.0.0.92, port " + server.port()), discover.out());
            CliRun connect = disk(server, "connect", options);
            assertEquals(0, connect.code(), connect.err());
            assertTrue(connect.out().contains("disk 1  1.0 MiB in blocks of 4096 B  UUID "), connect.out());
            assertTrue(connect.out().contains("disk 2  2.0 MiB"), connect.out());
        }
    }

    @Test
    void allowList_admitsTheHostOnIt_only() throws Exception {
        try (CliRun server = serve("memory:1M", "--allow", HOST, "--provider", "iwarp")) {
            assertEquals(
                    0,
                    disk(server, "connect", "--nqn", NQN, "--hostnqn", HOST, "--provider", "iwarp")
                            .code());
            CliRun stranger = disk(server, "connect", "--nqn", NQN, "--provider", "iwarp");
            assertEquals(1, stranger.code(), stranger.out());
            assertEquals(1, stranger.err().lines().count(), stranger.err());
            CliRun nothing = disk(server, "connect", "--provider", "iwarp");
            assertTrue(nothing.err().contains("offers no subsystem to this host"), nothing.err());
        }
    }

    @Test
    void bench_ofEveryPattern_measuresAndVerifies() throws Exception {
        try (CliRun server = serve("memory:1M", "--provider", "iwarp")) {
            for (String pattern : List.of("randread", "randwrite", "randrw", "read", "write", "verify")) {
                CliRun bench = disk(
                        server,
                        "bench",
                        "--pattern",
                        pattern,
                        "--overwrite",
                        "--seconds",
                        "0.2",
                        "--json",
                        "--provider",
                        "iwarp");
                assertEquals(0, bench.code(), bench.err());
                assertTrue(bench.out().matches("(?s).*\"ok\":true.*\"commands\":[1-9].*"), bench.out());
            }
        }
    }

    @Test
    void faultOfTheServer_failsTheCommandOfTheHost() throws Exception {
        try (CliRun server = serve("memory:1M", "--provider", "iwarp", "--fault", "read-error@8")) {
            CliRun read = disk(server, "read", folder.resolve("x").toString(), "--provider", "iwarp");
            assertEquals(1, read.code(), read.out());
            assertTrue(read.err().contains("The target failed the operation"), read.err());
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        connect --queues 0                      | --queues must be 1 to 64
        connect --depth 1024                    | --depth must be 1 to 1023
        connect --nqn x                         | --nqn must be a name
        connect --hostnqn x                     | --hostnqn must be a name
        bench --pattern write                   | add --overwrite
        bench --pattern dance                   | --pattern
        bench --seconds 0                       | --seconds must be
        bench --block 100                       | --block must be a multiple
        bench --disk 0                          | --disk must be
        read - --json                           | name a file
        read x --offset 1M                      | --offset must be within the disk
        """)
    void badInput_isOneSentence(String arguments, String sentence) throws Exception {
        try (CliRun server = serve("memory:1M", "--provider", "iwarp")) {
            List<String> words = new ArrayList<>(Arrays.asList(arguments.split(" +")));
            String command = words.removeFirst();
            words.addAll(List.of("--provider", "iwarp"));
            CliRun run = disk(server, command, words.toArray(String[]::new));
            assertEquals(2, run.code(), run.err());
            assertTrue(run.err().contains(sentence), run.err());
        }
    }
}
