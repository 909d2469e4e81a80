package io.verbena.tools.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.tools.Verbena;
import io.verbena.tools.base.StopSignal;
import java.io.File;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/**
 * Every command of README's list does what a reader who types it expects. HOST is this machine, FILE a file with this name, and a
 * command with HOST runs against the server of README's own line. Options are added only for shorter runs and for free ports.
 */
class ReadmeCommandsTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final String PREFIX = "./verbena ";
    private static final String HOST = "127.0.0.1";
    private static final long LONGEST_SECONDS = 120;

    /** Options for shorter runs, by the first words of a command. */
    private static final Map<String, List<String>> SHORTER = Map.of(
            "perf all", List.of("--iterations", "50", "--size", "64", "--warm-up", "0.05"),
            "channels", List.of("--connections", "50"),
            "handlers", List.of("--seconds", "0.2"),
            "demo --", List.of("--size", "1M"));

    /** Creates or removes a device of the machine; its arguments are only parsed. */
    private static final List<String> CHANGES_THE_MACHINE = List.of("net up");

    private final List<Process> started = new ArrayList<>();

    @TempDir
    private Path folder = Path.of(".");

    @BeforeEach
    void files() throws IOException {
        Files.write(folder.resolve("FILE"), new byte[100_000]);
        Files.copy(ROOT.resolve("README.md"), folder.resolve("README.md"));
        for (String program : List.of(
                "messaging/src/test/java/io/verbena/examples/PingPong.java",
                "mpi/src/test/java/mpi/examples/Hello.java",
                "sockets/src/test/java/io/verbena/examples/Fetch.java")) {
            Files.createDirectories(folder.resolve(program).getParent());
            Files.copy(ROOT.resolve(program), folder.resolve(program));
        }
    }

    static List<String> commands() throws IOException {
        return commands("## The command line");
    }

    private static List<String> commands(String title) throws IOException {
        return Files.readString(ROOT.resolve("README.md"))
                .split(title)[1]
                .split("```")[1]
                .lines()
                .filter(line -> line.startsWith(PREFIX))
                .map(line -> line.substring(PREFIX.length()).split(" {2,}")[0])
                .toList();
    }

    @Test
    void list_isRead() throws IOException {
        assertTrue(commands().size() > 20, commands().toString());
    }

    @ParameterizedTest
    @MethodSource("commands")
    void command_asPrinted_works(String command) throws Exception {
        if (CHANGES_THE_MACHINE.contains(command)) {
            CommandLine parsed = Verbena.commandLine(Terminal.system(), new StopSignal());
            assertTrue(parsed.parseArgs(command.split(" ")).hasSubcommand());
            return;
        }
        int port = freePort();
        try {
            if (command.contains("HOST")) {
                serve(serverOf(command), port);
                assertEquals(ExitCode.OK, end(start(command, port)), () -> said(command));
            } else if (isServer(command)) {
                interrupt(serve(command, port), command);
            } else if (command.startsWith("sim ")) {
                Process process = start(command, port);
                process.waitFor(1, TimeUnit.SECONDS);
                interrupt(process, command);
            } else {
                assertEquals(ExitCode.OK, end(start(command, port)), () -> said(command));
            }
        } finally {
            started.forEach(Process::destroyForcibly);
            for (Process process : started) {
                process.waitFor();
            }
        }
    }

    @Test
    void existingPrograms_asPrinted_work() throws Exception {
        String port = String.valueOf(freePort());
        List<String> commands = commands("## Existing programs over RDMA").stream()
                .map(command -> command.replace("8000", port))
                .toList();
        try {
            Process server = serve(commands.getFirst(), 0);
            for (String command : commands.subList(1, commands.size())) {
                assertEquals(ExitCode.OK, end(start(command, 0)), () -> said(command));
            }
            assertTrue(said(commands.get(1)).contains(" bytes in "), () -> said(commands.get(1)));
            assertTrue(said(commands.getLast()).contains("jdk.httpserver"), () -> said(commands.getLast()));
            server.toHandle().destroy();
            server.waitFor();
        } finally {
            for (Process process : started) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly().waitFor();
            }
        }
    }

    private static boolean isServer(String command) throws IOException {
        return command.startsWith("fabric serve")
                || command.startsWith("disk serve")
                || Stream.of("ping", "serve", "pingpong", "perftest").anyMatch(command.split(" ")[0]::equals);
    }

    /** README's line for the server of a client. */
    private static String serverOf(String client) throws IOException {
        String begin = client.startsWith("cp ") ? "serve " : client.substring(0, client.indexOf(" HOST"));
        return commands().stream()
                .filter(line -> line.startsWith(begin) && !line.contains("HOST"))
                .findFirst()
                .orElseThrow(() -> new AssertionError("README has no server for: " + client));
    }

    private Process serve(String command, int port) throws Exception {
        Process process = start(command, port);
        long startNs = System.nanoTime();
        while (!said(command).matches("(?s).*(Listening|listens|port |URL http).*")) {
            assertTrue(process.isAlive(), () -> said(command));
            assertTrue(System.nanoTime() - startNs < LONGEST_SECONDS * 1_000_000_000, () -> said(command));
            process.waitFor(20, TimeUnit.MILLISECONDS);
        }
        return process;
    }

    private void interrupt(Process process, String command) throws Exception {
        if (process.isAlive()) {
            new ProcessBuilder("kill", "-INT", String.valueOf(process.pid()))
                    .start()
                    .waitFor();
            assertEquals(StopSignal.EXIT_CODE, end(process), () -> said(command));
        } else {
            assertEquals(ExitCode.OK, process.exitValue(), () -> said(command));
        }
    }

    private int end(Process process) throws InterruptedException {
        assertTrue(process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS), "no end");
        return process.exitValue();
    }

    private Process start(String command, int port) throws IOException {
        List<String> line = new ArrayList<>(List.of(
                "env",
                "--default-signal=INT",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                classPath(),
                Verbena.class.getName()));
        line.addAll(words(command, port));
        ProcessBuilder builder = new ProcessBuilder(line)
                .directory(folder.toFile())
                .redirectError(output(command, "err"))
                .redirectOutput(output(command, "out"));
        builder.environment()
                .merge(
                        "PATH",
                        Path.of(System.getProperty("java.home"), "bin").toString(),
                        (old, jdk) -> jdk + ":" + old);
        Process process = builder.start();
        started.add(process);
        return process;
    }

    private static List<String> words(String command, int port) {
        String here = command.replace("HOST:7176", HOST + ":" + port).replace("HOST", HOST);
        List<String> words = new ArrayList<>(List.of(here.split(" ")));
        List<String> own = new ArrayList<>();
        SHORTER.forEach((begin, options) -> own.addAll(command.startsWith(begin) ? options : List.of()));
        own.addAll(
                switch (words.getFirst()) {
                    case "ping", "pingpong", "perftest" -> List.of("-p", String.valueOf(port));
                    case "serve" -> List.of("--listen", HOST + ":" + port);
                    case "fabric" -> command.startsWith("fabric serve") ? List.of("--port", "27993") : List.of();
                    case "disk" ->
                        command.startsWith("disk serve")
                                ? List.of("--port", String.valueOf(port), "--provider", "iwarp")
                                : List.of();
                    default -> List.of();
                });
        words.addAll(own);
        return words;
    }

    private static String classPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .reduce((a, b) -> a + File.pathSeparator + b)
                .orElseThrow();
    }

    private File output(String command, String kind) {
        return folder.resolve(command.replaceAll("[^a-z]", "_") + "." + kind).toFile();
    }

    private String said(String command) {
        try {
            return Files.readString(output(command, "err").toPath())
                    + Files.readString(output(command, "out").toPath());
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
