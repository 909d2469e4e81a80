package io.verbena.tools.sockets;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.sockets.agent.AgentJar;
import io.verbena.tools.CliRun;
import io.verbena.tools.Verbena;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class SocketsCommandTest {

    /** A program that knows nothing of RDMA: bytes to itself, then a wait for its standard input. */
    static final class Program {
        public static void main(String[] arguments) throws Exception {
            InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
            try (ServerSocketChannel listener = ServerSocketChannel.open().bind(any);
                    SocketChannel client = SocketChannel.open(listener.getLocalAddress());
                    SocketChannel server = listener.accept()) {
                client.write(ByteBuffer.wrap(new byte[] {1, 2, 3}));
                ByteBuffer into = ByteBuffer.allocate(3);
                while (into.hasRemaining()) {
                    server.read(into);
                }
                System.out.println("ready " + ProcessHandle.current().pid());
                System.exit(System.in.read());
            }
        }
    }

    @TempDir
    private Path folder = Path.of(".");

    private final List<Process> started = new ArrayList<>();

    @AfterEach
    void end() throws InterruptedException {
        for (Process process : started) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
        }
    }

    private static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /** The command line in a process, which runs the program. */
    private Process run(String... options) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                java(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                classPath()));
        command.addAll(List.of(Verbena.class.getName(), "sockets", "run"));
        command.addAll(List.of(options));
        command.addAll(List.of(
                "--",
                java(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                classPath(),
                Program.class.getName()));
        Process process = new ProcessBuilder(command)
                .redirectError(folder.resolve("err").toFile())
                .start();
        started.add(process);
        return process;
    }

    private static String classPath() {
        return System.getProperty("java.class.path", "");
    }

    private String said() throws IOException {
        return Files.readString(folder.resolve("err"));
    }

    private String pid(Process process) throws IOException {
        String line = process.inputReader().readLine();
        assertTrue(line != null && line.startsWith("ready "), this::saidOrNothing);
        return String.valueOf(line).substring("ready ".length());
    }

    private String saidOrNothing() {
        try {
            return said();
        } catch (IOException e) {
            return e.toString();
        }
    }

    @Test
    void program_runsOverRdma_topShowsIt_exitCodeIsItsOwn() throws Exception {
        Process process = run("--rdma", "*", "--provider", "iwarp");
        String pid = pid(process);
        CliRun json = CliRun.of("sockets", "top", pid, "--json");
        assertEquals(0, json.code(), json.err());
        assertTrue(json.out().contains("\"transport\":\"IWARP\",\"why\":\"\",\"accepted\":false"), json.out());
        assertTrue(
                json.out().contains("\"sent\":{\"bytes\":3,\"messages\":1,\"copies\":1,\"copiedBytes\":6}"),
                json.out());
        CliRun table = CliRun.of("sockets", "top", pid, "--interval", "0.05");
        assertEquals(0, table.code(), table.err());
        assertTrue(table.out().contains(": 2 connections by RDMA, 0 by TCP\n"), table.out());
        assertTrue(table.out().contains(pid + " iwarp 127.0.0.1:"), table.out());
        process.outputWriter().append('\7').flush();
        assertEquals(7, process.waitFor());
        assertEquals(1, CliRun.of("sockets", "top", pid).code());
        assertEquals(
                2, said().lines().filter(line -> line.startsWith("verbena: ")).count(), said());
    }

    @Test
    void noPeersAreListed_iwarp_programUsesTcp() throws Exception {
        Process process = run("--provider", "iwarp");
        CliRun table = CliRun.of("sockets", "top", pid(process), "--interval", "0.05", "--rows", "1");
        assertTrue(table.out().contains(": 0 connections by RDMA, 2 by TCP\n"), table.out());
        assertTrue(table.out().contains("and 1 more connections"), table.out());
        process.outputWriter().append('\0').flush();
        assertEquals(0, process.waitFor());
    }

    /** A program in a jar: an ahead-of-time cache contains no classes of directories. */
    static final class Hello {
        public static void main(String[] arguments) {
            System.out.println("hello");
        }
    }

    private Path jar() throws IOException {
        Path jar = folder.resolve("hello.jar");
        String entry = Hello.class.getName().replace('.', '/') + ".class";
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
                InputStream bytes = Hello.class.getClassLoader().getResourceAsStream(entry)) {
            out.putNextEntry(new JarEntry(entry));
            Objects.requireNonNull(bytes).transferTo(out);
        }
        return jar;
    }

    /** The output of the program, with the lines of the JVM that say where it has its main class from. */
    private List<String> runHello(Path jar, String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                java(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                classPath(),
                Verbena.class.getName(),
                "sockets",
                "run"));
        command.addAll(List.of(options));
        command.addAll(List.of("--", java(), "-Xlog:class+load", "-cp", jar.toString(), Hello.class.getName()));
        Process process = new ProcessBuilder(command)
                .redirectError(folder.resolve("err").toFile())
                .start();
        started.add(process);
        List<String> lines = process.inputReader()
                .lines()
                .filter(line -> line.equals("hello") || line.contains(" " + Hello.class.getName() + " "))
                .toList();
        assertEquals(0, process.waitFor(), this::saidOrNothing);
        return lines;
    }

    @Test
    void trainedCommand_usesTheCache() throws Exception {
        Path jar = jar();
        try {
            assertTrue(runHello(jar).toString().contains("hello.jar"), "without a cache");
            assertTrue(runHello(jar, "--train").contains("hello"));
            List<String> lines = runHello(jar);
            assertTrue(lines.contains("hello") && lines.toString().contains("shared objects file"), lines::toString);
        } finally {
            Files.deleteIfExists(CommandCache.of(
                    List.of(java(), "-Xlog:class+load", "-cp", jar.toString(), Hello.class.getName()),
                    AgentJar.make(_ -> {})));
        }
    }

    @Test
    void cacheWithoutTheAgent_aSentenceSaysSoAtStart() throws Exception {
        Process process = new ProcessBuilder(
                        java(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        classPath(),
                        Verbena.class.getName(),
                        "sockets",
                        "run",
                        "--",
                        java(),
                        "-XX:AOTCache=missing.aot",
                        "-version")
                .redirectError(folder.resolve("err").toFile())
                .start();
        started.add(process);
        process.waitFor();
        assertTrue(said().contains("The JVM refuses an ahead-of-time cache that was made without the agent"), said());
    }

    @Test
    void signal_isPassedOn() throws Exception {
        Process process = run();
        ProcessHandle program = ProcessHandle.of(Long.parseLong(pid(process))).orElseThrow();
        process.toHandle().destroy(); // Process.destroy would close the standard input as well
        assertTrue(process.waitFor(60, TimeUnit.SECONDS));
        assertEquals(143, process.exitValue());
        assertTrue(!program.isAlive());
        assertTrue(
                said().contains("Stopped: the signal was passed on, and the command has ended with exit code 143."),
                said());
    }

    @Test
    void deviceIsNoAddress_isAUsageProblem_andNothingRuns() {
        CliRun run = CliRun.of("sockets", "run", "--provider", "roce", "--device", "eth0", "--", "java");
        assertEquals(2, run.code());
        assertTrue(run.err().contains("The device of sockets must be an IP address of this machine"), run.err());
    }

    @Test
    void commandIsMissing_sentenceNamesIt() {
        CliRun run = CliRun.of("sockets", "run", "--", "a-command-that-is-missing");
        assertEquals(1, run.code());
        assertTrue(run.err().contains("Cannot start 'a-command-that-is-missing'"), run.err());
    }

    @Test
    void argumentIsWrong_sentenceStatesIt() {
        CliRun provider = CliRun.of("sockets", "run", "--provider", "ucx", "--", "java");
        assertEquals(2, provider.code());
        assertTrue(provider.err().contains("must be one of"), provider.err());
        assertEquals(2, CliRun.of("sockets", "run").code());
        assertEquals(2, CliRun.of("sockets", "top", "--rows", "0").code());
        assertEquals(2, CliRun.of("sockets", "top", "--interval", "0").code());
    }
}
