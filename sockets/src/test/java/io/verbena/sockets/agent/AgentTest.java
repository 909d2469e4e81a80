package io.verbena.sockets.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import io.verbena.sockets.nio.SocketFigures;
import io.verbena.sockets.nio.SocketTransport;
import io.verbena.sockets.nio.VerbenaSelectorProvider;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.FutureTask;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** JVMs of their own with the agent: its jar has a manifest only, which refers to the classes of the build. */
class AgentTest {

    /** A web server and a client of the JDK. Only the last line, which prints what was used, knows Verbena. */
    static final class Web {
        public static void main(String[] arguments) throws Exception {
            HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.createContext("/", exchange -> {
                exchange.sendResponseHeaders(200, 0);
                try (OutputStream body = exchange.getResponseBody()) {
                    body.write(exchange.getRequestBody().readAllBytes());
                }
            });
            server.start();
            try (HttpClient client = HttpClient.newHttpClient()) {
                HttpRequest request = HttpRequest.newBuilder(URI.create("http:/" + server.getAddress() + "/"))
                        .POST(HttpRequest.BodyPublishers.ofByteArray(new byte[100_000]))
                        .build();
                for (int i = 0; i < 3; i++) {
                    byte[] echo = client.send(request, HttpResponse.BodyHandlers.ofByteArray())
                            .body();
                    System.out.print(echo.length + " ");
                }
                System.out.println(transports() + " noNative " + System.getProperty("io.netty.transport.noNative"));
            }
            server.stop(0);
        }

        private static Set<SocketTransport> transports() {
            return SelectorProvider.provider() instanceof VerbenaSelectorProvider ours
                    ? ours.figures().stream()
                            .map(SocketFigures::transport)
                            .collect(Collectors.toCollection(TreeSet::new))
                    : Set.of();
        }
    }

    /** A file through a connection into another file, again and again. */
    static final class FileCopy {
        private static final int BYTES = 20 << 20;

        public static void main(String[] arguments) throws Exception {
            Path from = Files.createTempFile("verbena", ".from");
            Path to = Files.createTempFile("verbena", ".to");
            try (ServerSocketChannel listener = ServerSocketChannel.open()
                            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                    FileChannel source = FileChannel.open(from, StandardOpenOption.READ, StandardOpenOption.WRITE);
                    FileChannel target = FileChannel.open(to, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                byte[] content = new byte[BYTES];
                new Random(1).nextBytes(content);
                source.write(ByteBuffer.wrap(content));
                FutureTask<Long> sent = new FutureTask<>(() -> {
                    try (SocketChannel client = SocketChannel.open(listener.getLocalAddress())) {
                        return send(source, client);
                    }
                });
                Thread.ofPlatform().daemon().start(sent);
                try (SocketChannel server = listener.accept()) {
                    long received = 0;
                    for (long got = BYTES; got > 0; got = target.transferFrom(server, 0, BYTES)) {
                        received = got;
                    }
                    System.out.print(sent.get() + " " + received + " " + Files.mismatch(from, to) + " "
                            + VerbenaSelectorProvider.transport(server));
                }
            } finally {
                Files.delete(from);
                Files.delete(to);
            }
        }

        /** Until the whole file leaves by one call: the first one is mapped. */
        private static long send(FileChannel source, SocketChannel client) throws IOException {
            long largest = 0;
            while (largest < BYTES) {
                for (long sent = 0; sent < BYTES; ) {
                    long bytes = source.transferTo(sent, BYTES - sent, client);
                    largest = Math.max(largest, bytes);
                    sent += bytes;
                }
            }
            return largest;
        }
    }

    private static final String ECHOES = "100000 100000 100000 ";

    @TempDir
    private Path folder = Path.of(".");

    private static String source(Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation().toString();
    }

    /** The class path has the classes of the test only: those of Verbena come with the agent. */
    private String run(String... options) throws Exception {
        return run(Web.class, options);
    }

    private static String run(Class<?> main, String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC"));
        command.addAll(List.of(options));
        command.addAll(
                List.of("-cp", Path.of(URI.create(source(AgentTest.class))).toString(), main.getName()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        return output + ", " + process.waitFor();
    }

    private String agent(String options) throws IOException {
        return "-javaagent:" + AgentJar.make(folder) + options;
    }

    /** Also without a warning about native access. */
    @Test
    void programOfTheJdk_runsOverRdma_byOneOption() throws Exception {
        assertEquals(ECHOES + "[IWARP] noNative true, 0", run(agent("=rdma=*,provider=iwarp,setup=60")));
    }

    /** The JDK maps at most 8 MiB for one call: more in one call did not pass through a mapping. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "=                             | SHARED_MEMORY",
                "=ring=false                   | SHARED_MEMORY",
                "=rdma=*,provider=iwarp        | IWARP",
                "=provider=iwarp               | TCP"
            })
    void file_goesStraightIntoTheStream_andOutOfIt(String options, String transport) throws Exception {
        String all = options.equals("=") ? "=setup=60" : options + ",setup=60";
        assertEquals(
                FileCopy.BYTES + " " + FileCopy.BYTES + " -1 " + transport + ", 0", run(FileCopy.class, agent(all)));
    }

    @Test
    void noPeersAreListed_programSharesMemoryOnOneHost_orUsesTcp() throws Exception {
        assertEquals(ECHOES + "[SHARED_MEMORY] noNative true, 0", run(agent("")));
        assertEquals(
                ECHOES + "[TCP] noNative false, 0",
                run(agent("=provider=iwarp"), "-Dio.netty.transport.noNative=false"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "=provider=ucx     | The provider of sockets must be one of",
                "=rdma=*:x         | where a number is expected",
                "=rdna=*           | There is no option \"rdna\"",
            })
    void optionIsWrong_programIsRefused_withASentence(String options, String sentence) throws Exception {
        String output = run(agent(options));
        assertTrue(output.startsWith("verbena-sockets: ") && output.endsWith(", 1"), output);
        assertEquals(1, output.lines().count(), output);
        assertTrue(output.contains(sentence), output);
    }

    @Test
    void anotherProviderIsNamed_programIsRefused_orRunsWithoutRdma() throws Exception {
        String other = "-Djava.nio.channels.spi.SelectorProvider=sun.nio.ch.EPollSelectorProvider";
        String refused = run(other, agent("=rdma=*"));
        assertTrue(refused.contains("names another provider") && refused.endsWith(", 1"), refused);
        String runs = run(other, agent("=rdma=*,required=false"));
        assertTrue(runs.contains("The program runs without RDMA.\n" + ECHOES + "[] noNative null"), runs);
        assertTrue(runs.endsWith(", 0"), runs);
    }

    @Test
    void moduleIsMissing_messageNamesTheOption() throws Exception {
        String refused = run("--limit-modules=java.instrument,java.net.http,jdk.httpserver", agent("=rdma=*"));
        assertTrue(refused.contains("add --add-modules=jdk.jfr,jdk.net."), refused);
    }
}
