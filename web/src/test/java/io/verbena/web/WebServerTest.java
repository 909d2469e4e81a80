package io.verbena.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Figures;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The server as seen by real clients. */
class WebServerTest {

    private static final Duration LONG = Duration.ofSeconds(60);

    private final HttpClient client = HttpClient.newHttpClient();
    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
        client.shutdownNow();
        client.close();
    }

    private WebServer server(WebOptions options, Supplier<List<Figures>> source) throws IOException {
        WebServer server = WebServer.open(options, source);
        open.add(server);
        return server;
    }

    private WebServer server() throws IOException {
        return server(WebOptions.loopback(0), () -> Samples.process(2));
    }

    private static URI at(WebServer server, String path) {
        return URI.create(server.address().toString().replace("/?", path + '?'));
    }

    private HttpResponse<String> get(URI address) throws IOException, InterruptedException {
        return client.send(HttpRequest.newBuilder(address).timeout(LONG).build(), BodyHandlers.ofString());
    }

    private static void await(BooleanSupplier condition) {
        long startNs = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() - startNs < LONG.toNanos(), "the condition did not come true");
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** Sends these lines in a connection of its own. */
    private Socket raw(WebServer server, String... lines) throws IOException {
        Socket socket = new Socket();
        open.add(socket);
        socket.setReceiveBufferSize(4096);
        socket.setSoTimeout((int) LONG.toMillis());
        socket.connect(new InetSocketAddress("127.0.0.1", server.address().getPort()));
        socket.getOutputStream().write(String.join("\r\n", lines).getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private static String firstLine(Socket socket) throws IOException {
        return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII)).readLine();
    }

    @Test
    void page_isComplete_andAllowsNothingFromElsewhere() throws Exception {
        WebServer server = server();
        long bytes = 0;
        for (String path : List.of(
                "/", "/app.js", "/network.js", "/pair.js", "/handlers.js", "/parts.js", "/app.css", "/icon.svg")) {
            HttpResponse<String> answer = get(at(server, path));
            assertEquals(200, answer.statusCode());
            String policy =
                    answer.headers().firstValue("Content-Security-Policy").orElseThrow();
            assertTrue(policy.startsWith("default-src 'none'"), policy);
            assertTrue(
                    answer.headers().firstValue("Access-Control-Allow-Origin").isEmpty());
            assertFalse(answer.body().contains("innerHTML"), path);
            assertFalse(answer.body().contains("https://"), path);
            bytes += answer.body().length();
        }
        assertTrue(bytes < 200 << 10, bytes + " bytes");
    }

    @Test
    void figures_areJson_andMetricsAreText() throws Exception {
        WebServer server = server();
        HttpResponse<String> figures = get(at(server, "/api/figures"));
        assertEquals(
                "application/json", figures.headers().firstValue("Content-Type").orElseThrow());
        assertTrue(figures.body().contains("\"verbena.queue_pair.io\":{\"transmit\":4096,\"receive\":10}"));
        assertFalse(figures.body().contains("<"), figures.body());
        HttpResponse<String> metrics = get(at(server, "/metrics"));
        assertEquals(
                PrometheusText.PLAIN,
                metrics.headers().firstValue("Content-Type").orElseThrow());
        assertTrue(metrics.body().contains("verbena_queue_pair_io_bytes_total{"));
    }

    @Test
    void tokenInTheHeader_isAccepted_forPrometheus() throws Exception {
        WebOptions options = WebOptions.loopback(0);
        WebServer server = server(options, () -> Samples.process(1));
        HttpRequest request = HttpRequest.newBuilder(server.address().resolve("/metrics"))
                .header("Authorization", "Bearer " + options.token())
                .header("Accept", "application/openmetrics-text;version=1.0.0")
                .build();
        HttpResponse<String> answer = client.send(request, BodyHandlers.ofString());
        assertEquals(200, answer.statusCode());
        assertEquals(
                PrometheusText.OPEN_METRICS,
                answer.headers().firstValue("Content-Type").orElseThrow());
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/figures", "/api/events", "/metrics", "/other"})
    void wrongToken_isRefused(String path) throws Exception {
        URI address = server().address();
        assertEquals(401, get(address.resolve(path)).statusCode());
        assertEquals(
                401,
                get(address.resolve(path + "?token=0123456789abcdef0123456789abcdef"))
                        .statusCode());
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1, 200",
        "localhost:80, 200",
        "[::1]:8080, 200",
        "evil.example, 421",
        "127.0.0.1.evil.example, 421",
        "localhost.evil.example:80, 421"
    })
    void hostHeader_decidesWhetherThePageIsServed(String host, String status) throws Exception {
        try (Socket socket = raw(server(), "GET / HTTP/1.1", "Host: " + host, "", "")) {
            assertTrue(firstLine(socket).startsWith("HTTP/1.1 " + status), host);
        }
    }

    @Test
    void otherMethods_areRefused() throws Exception {
        HttpRequest request = HttpRequest.newBuilder(server().address())
                .POST(HttpRequest.BodyPublishers.ofString("x"))
                .build();
        assertEquals(405, client.send(request, BodyHandlers.ofString()).statusCode());
    }

    @Test
    void viewer_receivesSampleAfterSample() throws Exception {
        WebServer server = server();
        HttpResponse<InputStream> events =
                client.send(HttpRequest.newBuilder(at(server, "/api/events")).build(), BodyHandlers.ofInputStream());
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(events.body(), StandardCharsets.UTF_8))) {
            assertTrue(lines.readLine().startsWith("data: {\"number\":1,"));
            assertEquals("", lines.readLine());
            assertTrue(lines.readLine().startsWith("data: {\"number\":2,"));
            assertEquals(1, server.viewers());
        }
        await(() -> server.viewers() == 0);
    }

    @Test
    void viewerBeyondTheLimit_isRefused_andTheOthersStay() throws Exception {
        WebServer server =
                server(WebOptions.loopback(0).withViewers(1, Duration.ofSeconds(5)), () -> Samples.process(1));
        HttpRequest request = HttpRequest.newBuilder(at(server, "/api/events")).build();
        try (InputStream first =
                client.send(request, BodyHandlers.ofInputStream()).body()) {
            assertEquals('d', first.read());
            assertEquals(503, client.send(request, BodyHandlers.discarding()).statusCode());
            assertEquals(1, server.viewers());
        }
    }

    @Test
    void viewerThatStopsReading_isDropped_andDelaysNobodyElse() throws Exception {
        // 4 MB per sample, more than the buffers of the system.
        WebServer server =
                server(WebOptions.loopback(0).withViewers(2, Duration.ofSeconds(2)), () -> Samples.process(12_000));
        URI events = at(server, "/api/events");
        raw(server, "GET " + events.getRawPath() + '?' + events.getRawQuery() + " HTTP/1.1", "Host: localhost", "", "");
        await(() -> server.viewers() == 1);
        HttpRequest request = HttpRequest.newBuilder(events).build();
        try (InputStream reading =
                client.send(request, BodyHandlers.ofInputStream()).body()) {
            byte[] buffer = new byte[1 << 16];
            boolean dropped = false;
            while (!dropped) {
                assertTrue(reading.read(buffer) > 0, "the viewer that reads was dropped");
                dropped = server.viewers() == 1;
            }
            assertTrue(reading.read(buffer) > 0, "the viewer that reads was dropped");
        }
    }

    @Test
    void halfARequest_holdsNoPlace() throws Exception {
        WebServer server =
                server(WebOptions.loopback(0).withViewers(2, Duration.ofSeconds(1)), () -> Samples.process(1));
        Socket half = raw(server, "GET / HTTP/1.1", "Host: loc");
        assertEquals(-1, half.getInputStream().read(), "the connection was not closed");
        assertEquals(200, get(server.address()).statusCode());
    }

    /** As another user of the host can open them, who does not know the token: some send nothing, others half of a request. */
    @Test
    void connectionsWithoutTheToken_areFew_andKeepNobodyOut() throws Exception {
        WebServer server = server();
        HttpRequest events = HttpRequest.newBuilder(at(server, "/api/events")).build();
        try (InputStream viewer =
                client.send(events, BodyHandlers.ofInputStream()).body()) {
            for (int i = 0; i < 400; i++) {
                raw(server, i % 2 == 0 ? new String[0] : new String[] {"GET / HTTP/1.1", "Host: loc"});
            }
            assertEquals(200, get(server.address()).statusCode());
            assertEquals(200, get(at(server, "/api/figures")).statusCode());
            assertTrue(server.connections() <= Connections.MOST_UNKNOWN + 1, server.connections() + " connections");
            assertEquals('d', viewer.read());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "GET /", "GET / HTTP/3", "GET  / HTTP/1.1", "GET %% HTTP/1.1", "x"})
    void otherProtocols_areAnswered(String line) throws Exception {
        try (Socket socket = raw(server(), line, "Host: localhost", "", "")) {
            assertEquals("HTTP/1.1 400 Refused", firstLine(socket));
        }
    }

    @Test
    void headWithoutEnd_isAnsweredAtItsLimit() throws Exception {
        try (Socket socket = raw(server(), "GET / HTTP/1.1", "x: " + "x".repeat(Request.MOST_BYTES))) {
            assertEquals("HTTP/1.1 400 Refused", firstLine(socket));
        }
    }

    @Test
    void close_endsViewers() throws Exception {
        WebServer server = server();
        HttpRequest request = HttpRequest.newBuilder(at(server, "/api/events")).build();
        try (InputStream viewer =
                client.send(request, BodyHandlers.ofInputStream()).body()) {
            assertEquals('d', viewer.read());
            server.close();
            await(() -> server.viewers() == 0);
        }
        assertThrows(IOException.class, () -> get(server.address()));
    }

    @Test
    void sample_isSharedWithinTheInterval() {
        long[] nowNs = {5};
        List<Long> taken = new ArrayList<>();
        SampleCache<List<Figures>> cache = new SampleCache<>(
                () -> {
                    taken.add(nowNs[0]);
                    return Samples.process(1);
                },
                (number, timeNs, content) -> "{}",
                Duration.ofMillis(200),
                () -> nowNs[0]);
        assertEquals(1, cache.sample().number());
        nowNs[0] += 199_999_999;
        assertEquals(1, cache.sample().number());
        nowNs[0]++;
        assertEquals(2, cache.sample().number());
        assertEquals(List.of(5L, 200_000_005L), taken);
    }
}
