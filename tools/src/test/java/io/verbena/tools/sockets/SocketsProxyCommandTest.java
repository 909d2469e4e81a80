package io.verbena.tools.sockets;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import io.verbena.tools.CliRun;
import io.verbena.tools.Verbena;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class SocketsProxyCommandTest {

    private final List<Process> started = new ArrayList<>();

    @AfterEach
    void end() throws InterruptedException {
        for (Process process : started) {
            process.destroyForcibly().waitFor();
        }
    }

    /** A proxy in a process of its own, and the line with its address. */
    private record Running(Process process, BufferedReader said, String address) {}

    private Running proxy(String listen, String to) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path", ""),
                        Verbena.class.getName(),
                        "sockets",
                        "proxy",
                        "--provider",
                        "iwarp",
                        "--json",
                        "--listen",
                        listen,
                        "--to",
                        to)
                .start();
        started.add(process);
        BufferedReader said = process.errorReader();
        String line = String.valueOf(said.readLine());
        assertTrue(line.startsWith("Listening at "), line);
        return new Running(process, said, line.replaceAll("^Listening at (rdma|tcp):(\\S+) for .*$", "$2"));
    }

    @Test
    void httpServer_twoProxies_clientReadsItsBytes_figuresAreComplete() throws Exception {
        byte[] body = new byte[3_000_000];
        new Random(1).nextBytes(body);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            try (exchange) {
                exchange.sendResponseHeaders(200, body.length);
                exchange.getResponseBody().write(body);
            }
        });
        server.start();
        try (HttpClient client = HttpClient.newHttpClient()) {
            Running far =
                    proxy("rdma:127.0.0.1:0", "127.0.0.1:" + server.getAddress().getPort());
            Running near = proxy("127.0.0.1:0", "rdma:" + far.address);
            URI uri = URI.create("http://" + near.address + "/");
            HttpResponse<byte[]> response =
                    client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofByteArray());
            org.junit.jupiter.api.Assertions.assertArrayEquals(body, response.body());
            String figures = stop(near);
            assertTrue(figures.contains("\"accepted\":1,\"refused\":0,\"failed\":0,\"plain\":0"), figures);
            assertTrue(figures.contains("\"bytesToClients\":300"), figures);
            stop(far);
        } finally {
            server.stop(0);
        }
    }

    private static String stop(Running proxy) throws Exception {
        proxy.process.toHandle().destroy();
        assertTrue(proxy.process.waitFor(60, TimeUnit.SECONDS));
        return new String(proxy.process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
    }

    @Test
    void argumentsAreWrong_sentenceStatesIt() {
        CliRun plain = CliRun.of("sockets", "proxy", "--listen", "127.0.0.1:0", "--to", "127.0.0.1:1");
        assertEquals(2, plain.code());
        assertTrue(plain.err().contains("Neither end uses RDMA"), plain.err());
        assertEquals(
                2, CliRun.of("sockets", "proxy", "--to", "rdma:127.0.0.1:1").code());
        CliRun port = CliRun.of("sockets", "proxy", "--listen", "127.0.0.1:0", "--to", "rdma:127.0.0.1");
        assertTrue(port.err().contains("--to must have the port of the target"), port.err());
        String[] limits = {"--max-connections", "--max-per-address", "--connect-timeout"};
        for (String limit : limits) {
            assertEquals(
                    2,
                    CliRun.of("sockets", "proxy", "--listen", "127.0.0.1:0", "--to", "rdma:127.0.0.1:1", limit, "0")
                            .code());
        }
    }
}
