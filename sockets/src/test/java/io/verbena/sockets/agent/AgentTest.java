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
import java.nio.channels.spi.SelectorProvider;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
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

    private static final String ECHOES = "100000 100000 100000 ";

    @TempDir
    private Path folder = Path.of(".");

    private static String source(Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation().toString();
    }

    /** The class path has the classes of the test only: those of Verbena come with the agent. */
    private String run(String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC"));
        command.addAll(List.of(options));
        command.addAll(
                List.of("-cp", Path.of(URI.create(source(AgentTest.class))).toString(), Web.class.getName()));
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
