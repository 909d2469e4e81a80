package io.verbena.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Connection;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicProvider;
import io.verbena.verbs.WrFlags;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The example programs of the README and of docs/verbs.md work as described, also if the other side misbehaves. */
class ExamplesTest {

    private static final Duration LONGEST = Duration.ofSeconds(60);

    /** A server process, at a port chosen by the system. */
    private static final class Server implements AutoCloseable {

        private final Process process;
        private final BufferedReader out;
        private final String host;
        private final int port;

        Server(String example) throws IOException {
            this(example, "");
        }

        /** With a provider; the empty name stands for the default. */
        Server(String example, String provider) throws IOException {
            process = java(example, provider, 0);
            out = process.inputReader(StandardCharsets.UTF_8);
            String line = String.valueOf(out.readLine());
            assertTrue(line.startsWith("Listening at "), line);
            port = Integer.parseInt(line.substring(line.lastIndexOf(':') + 1));
            host = line.substring(line.lastIndexOf('/') + 1, line.lastIndexOf(':'));
        }

        /** The output after the first line, until the process ends. */
        String rest() throws IOException {
            StringBuilder rest = new StringBuilder();
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                rest.append(line).append('\n');
            }
            return rest.toString();
        }

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }

    private static Process java(String example, int port, String... arguments) throws IOException {
        return java(example, "", port, arguments);
    }

    private static Process java(String example, String provider, int port, String... arguments) throws IOException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String classPath = System.getProperty("java.class.path");
        List<String> command = new ArrayList<>(List.of(java, "-ea", "--enable-native-access=ALL-UNNAMED"));
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")); // lives too short for more
        command.add("-D" + RnicProvider.DEFAULT_PROPERTY + "=" + provider);
        command.addAll(List.of("-Dport=" + port, "-cp", classPath, "io.verbena.examples." + example));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).start();
    }

    /** Actions of a client that is connected to the server. */
    private interface Guest {
        void visit(Connection server, MemoryRegion memory, CompletionQueue cq) throws Exception;
    }

    private static void visit(Server server, Guest guest) throws Exception {
        try (Rnic rnic = Rnic.open()) {
            ProtectionDomain pd = rnic.allocateProtectionDomain();
            CompletionQueue cq = rnic.createCompletionQueue(16);
            QueuePair queuePair = pd.createQueuePair(cq);
            MemoryRegion memory = pd.allocate(4096);
            memory.segment().fill((byte) 'x');
            InetSocketAddress at = new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port);
            guest.visit(rnic.connect(queuePair, at), memory, cq);
        }
    }

    private static void write(Connection server, MemoryRegion memory, CompletionQueue cq) throws Exception {
        RemoteRegion theirs = RemoteRegion.fromBytes(server.privateData());
        server.queuePair().postWrite(1, memory, 0, 4096, theirs, 0, WrFlags.UNSIGNALLED);
        server.queuePair().postSend(2, memory, 0, 0, WrFlags.SIGNALLED);
        assertTrue(cq.take(LONGEST).ok());
        server.close();
    }

    @ParameterizedTest
    @CsvSource({
        "HelloServer, HelloClient",
        "HelloServer, VerbsClient",
        "VerbsServer, HelloClient",
        "VerbsServer, VerbsClient"
    })
    void hello_clientAndServer_greet(String serverExample, String clientExample) throws Exception {
        try (Server server = new Server(serverExample)) {
            Process client = java(clientExample, server.port, "127.0.0.1");
            String problem = new String(client.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
            assertEquals(0, client.waitFor(), problem);
            assertEquals("Hello from the client's memory!\n", server.rest());
            assertEquals(0, server.process.waitFor());
        }
    }

    @ParameterizedTest
    @CsvSource({"HelloServer, HelloClient", "VerbsServer, VerbsClient"})
    void hello_overRoceByOneOption_greet(String serverExample, String clientExample) throws Exception {
        try (Server server = new Server(serverExample, "roce")) {
            Process client = java(clientExample, "roce", server.port, server.host);
            String problem = new String(client.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
            assertEquals(0, client.waitFor(), problem);
            assertEquals("Hello from the client's memory!\n", server.rest());
            assertEquals(0, server.process.waitFor());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"HelloServer", "VerbsServer"})
    void hello_textWithoutEnd_printed(String example) throws Exception {
        try (Server server = new Server(example)) {
            visit(server, ExamplesTest::write);
            assertEquals("x".repeat(4096) + "\n", server.rest());
            assertEquals(0, server.process.waitFor());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"HelloServer", "VerbsServer"})
    void hello_textThatSteersTerminals_printedHarmlessly(String example) throws Exception {
        try (Server server = new Server(example)) {
            visit(server, (connection, memory, cq) -> {
                memory.segment().setString(0, "\u001b[31mred\u009b\u202e\n");
                write(connection, memory, cq);
            });
            String said = server.rest();
            assertTrue(said.startsWith("?[31mred"), said);
            assertTrue(said.strip().chars().allMatch(c -> c >= 0x20 && c < 0x7f), said);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"HelloServer", "VerbsServer"})
    void hello_clientThatLeavesWithoutAWord_isAFailure(String example) throws Exception {
        try (Server server = new Server(example)) {
            visit(server, (connection, memory, cq) -> connection.close());
            assertEquals("", server.rest());
            String problem = new String(server.process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
            assertEquals(1, server.process.waitFor());
            assertTrue(problem.contains("The RECEIVE failed because "), problem);
            assertFalse(problem.contains("\tat "), problem);
        }
    }
}
