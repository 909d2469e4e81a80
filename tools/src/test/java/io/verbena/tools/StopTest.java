package io.verbena.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.tools.base.StopSignal;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ctrl-C ends every command soon, with a sentence that says how far it got and one exit code. Each runs in a process of its own. */
class StopTest {

    /** The rule says 0.3 s; the rest is for machines with other work. */
    private static final long LONGEST_MS = 3_000;

    private static final long START_SECONDS = 60;

    @TempDir
    private Path folder = Path.of(".");

    /** Sees the arguments of a process that is about to run the command line, and starts it. */
    static final class Main {
        private Main() {}

        public static void main(String[] arguments) {
            System.err.println("started");
            Verbena.main(arguments);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ping --server -p 0",
                "ping --server -P -p 0",
                "pingpong rc -p 0",
                "perftest write_bw -p 0",
                "perftest write_bw -R -p 0",
                "perf all",
                "perf --server --listen 127.0.0.1:0",
                "serve -e pom.xml -l 127.0.0.1:0",
                "demo --seconds 100 -S 1M",
                "demo -S 64G --temp /dev/shm",
                "handlers --seconds 100",
                "channels",
                "holes --size 256M",
                "sim --count 100000000",
                "memory share 1M",
                "connections count -n 64 --programs 64",
                "fabric run fat-tree:16 --time 1000000",
                "fabric show fat-tree:16 --time 1000000 --pattern permutation --svg x.svg",
                "fabric verbs fat-tree:16 --messages 100000",
                "fabric program all-to-all fat-tree:16 --rounds 100000",
                "fabric bench fat-tree:16",
                "fabric serve fat-tree:8 --port 17993",
                "fabric routes fat-tree:32"
            })
    void interrupt_anyCommand_endsItWithASentence(String command) throws Exception {
        Path err = folder.resolve("err");
        Process process = start(err, command);
        awaitStart(process, err);
        process.waitFor(1_500, TimeUnit.MILLISECONDS); // in the middle of its work
        if (!process.isAlive()) {
            assertFalse(process.exitValue() == ExitCode.USAGE, Files.readString(err));
            return; // it was faster
        }
        long startNs = System.nanoTime();
        new ProcessBuilder("kill", "-INT", String.valueOf(process.pid()))
                .start()
                .waitFor();
        assertTrue(process.waitFor(LONGEST_MS, TimeUnit.MILLISECONDS), "still runs: " + Files.readString(err));
        long tookMs = (System.nanoTime() - startNs) / 1_000_000;
        String said = Files.readString(err);
        assertEquals(StopSignal.EXIT_CODE, process.exitValue(), said + " after " + tookMs + " ms");
        assertTrue(said.toLowerCase().contains("stopped"), said);
        assertFalse(said.contains("Internal error"), said);
    }

    /** A program that the build started in the background ignores SIGINT, and its children would. */
    private Process start(Path err, String command) throws Exception {
        List<String> line = new ArrayList<>(List.of(
                "env",
                "--default-signal=INT",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
        line.addAll(List.of(command.split(" ")));
        return new ProcessBuilder(line)
                .redirectError(err.toFile())
                .redirectOutput(new File("/dev/null"))
                .start();
    }

    private static void awaitStart(Process process, Path err) throws Exception {
        long startNs = System.nanoTime();
        while (!Files.exists(err)
                || !Files.readString(err, StandardCharsets.UTF_8).contains("started")) {
            assertTrue(process.isAlive(), "the process ended");
            assertTrue(System.nanoTime() - startNs < START_SECONDS * 1_000_000_000, "the process does not start");
            process.waitFor(10, TimeUnit.MILLISECONDS);
        }
    }

    /** A command that is killed leaves no file. */
    @Test
    void kill_demo_leavesNoFile() throws Exception {
        Path temporary = Files.createDirectory(folder.resolve("temporary"));
        Path err = folder.resolve("err");
        Process process = start(err, "demo --seconds 100 -S 16M --temp " + temporary);
        awaitStart(process, err);
        process.waitFor(1, TimeUnit.SECONDS);
        process.destroyForcibly().waitFor();
        try (var files = Files.list(temporary)) {
            assertEquals(List.of(), files.toList());
        }
    }
}
