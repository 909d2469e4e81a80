package io.verbena.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.ExitCode;
import java.io.File;
import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Ctrl-C ends every command soon, with a sentence that says how far it got and one exit code. Each runs in a process of its own. */
class StopTest {

    /** What the rule allows, in addition to a multiple of the time in which an idle JVM ends at the same signal. */
    private static final long LONGEST_MS = 300;

    /** An idle JVM only exits; a command also runs code for the first time, which a busy machine slows as much. */
    private static final int COLD = 10;

    /** One attempt within the limit is enough: other work of the machine makes single attempts slow. */
    private static final int ATTEMPTS = 3;

    private static final long START_SECONDS = 60;

    /**
     * A command is in the middle of its work after this much processor time, most of which the start of a JVM takes. One that waits for
     * something uses less: it gets the signal after some real time.
     */
    private static final Duration WORKED = Duration.ofMillis(900);

    private static final long WAITED_MS = 1_500;

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

    private static final List<String> TABLE = List.of(
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
            "memory share",
            "connections count -n 64 --programs 64",
            "fabric run fat-tree:16 --time 1000000",
            "fabric show fat-tree:16 --time 1000000 --pattern permutation --svg x.svg",
            "fabric verbs fat-tree:16 --messages 100000",
            "fabric program all-to-all fat-tree:16 --rounds 100000",
            "fabric bench",
            "fabric serve fat-tree:8 --port 17993",
            "fabric routes fat-tree:32",
            "fabric explain",
            "cp pom.xml 127.0.0.1:SILENT/pom.xml",
            "ping 127.0.0.1 -p SILENT",
            "upgrade",
            "run -n 2 -- src/test/java/io/verbena/tools/Idle.java",
            "connections explain time time time time",
            "disk serve memory:1M --address 127.0.0.1 --port 0",
            "sockets proxy -l 127.0.0.1:0 --to rdma:127.0.0.1:9",
            "net impair udp:127.0.0.5 udp:127.0.0.6 --via 127.0.0.7",
            "web",
            "top --interval 100");

    /** Commands that end by themselves at once, need root or a server, or have a test of their own (sockets run). */
    private static final Set<String> WITHOUT = Set.of(
            "info",
            "net up",
            "net down",
            "sockets run",
            "sockets top",
            "disk list",
            "disk add",
            "disk remove",
            "disk resize",
            "disk discover",
            "disk connect",
            "disk read",
            "disk write",
            "disk bench");

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
    void interrupt_anyCommand_endsItWithASentence(String command) throws Exception {
        long shortestMs = Long.MAX_VALUE;
        long limitMs = LONGEST_MS;
        for (int i = 0; i < ATTEMPTS && shortestMs > limitMs; i++) {
            limitMs = i == 0 ? LONGEST_MS : (long) ((LONGEST_MS + COLD * idleMs()) * crowding());
            shortestMs = Math.min(shortestMs, interruptedMs(command));
        }
        assertTrue(shortestMs <= limitMs, command + " took " + shortestMs + " ms, and " + limitMs + " are allowed");
    }

    /** Milliseconds until a process with the command has ended; 0 if the command was faster than the signal. */
    private long interruptedMs(String command) throws Exception {
        Path err = Files.createTempFile(folder, "err", "");
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Process process = start(err, Main.class, command.replace("SILENT", String.valueOf(silent.getLocalPort())));
            awaitStart(process, err);
            awaitWork(process);
            if (!process.isAlive()) {
                assertFalse(process.exitValue() == ExitCode.USAGE, Files.readString(err));
                return 0;
            }
            long tookMs = interrupt(process);
            String said = Files.readString(err);
            assertEquals(StopSignal.EXIT_CODE, process.exitValue(), said + " after " + tookMs + " ms");
            assertTrue(said.toLowerCase().contains("stopped"), said);
            assertFalse(said.contains("Internal error"), said);
            return tookMs;
        }
    }

    private static void awaitWork(Process process) throws InterruptedException {
        long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(WAITED_MS);
        while (process.isAlive()
                && System.nanoTime() - endNs < 0
                && processorTime(process).compareTo(WORKED) < 0) {
            process.waitFor(10, TimeUnit.MILLISECONDS);
        }
    }

    /** Zero where the system does not say it. */
    private static Duration processorTime(Process process) {
        return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    /** As many threads want each processor, at least one: so much longer takes everything. */
    private static double crowding() {
        OperatingSystemMXBean system = ManagementFactory.getOperatingSystemMXBean();
        return Math.max(1, system.getSystemLoadAverage() / system.getAvailableProcessors());
    }

    private long idleMs() throws Exception {
        Path err = Files.createTempFile(folder, "idle", "");
        Process process = start(err, Idle.class, "");
        awaitStart(process, err);
        return interrupt(process);
    }

    private static long interrupt(Process process) throws Exception {
        long startNs = System.nanoTime();
        new ProcessBuilder("kill", "-INT", String.valueOf(process.pid())).start();
        if (!process.waitFor(START_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError("still runs after " + START_SECONDS + " s");
        }
        return (System.nanoTime() - startNs) / 1_000_000;
    }

    /** A program that the build started in the background ignores SIGINT, and its children would. */
    private Process start(Path err, Class<?> main, String command) throws Exception {
        List<String> line = new ArrayList<>(List.of(
                "env",
                "--default-signal=INT",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
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
        Process process = start(err, Main.class, "demo --seconds 100 -S 16M --temp " + temporary);
        awaitStart(process, err);
        process.waitFor(1, TimeUnit.SECONDS);
        process.destroyForcibly().waitFor();
        try (var files = Files.list(temporary)) {
            assertEquals(List.of(), files.toList());
        }
    }
}
