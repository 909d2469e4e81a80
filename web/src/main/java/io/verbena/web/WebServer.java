package io.verbena.web;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.verbena.verbs.Figures;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Shows figures: a page for people, and JSON and text for programs. It changes nothing, except a network that it was given, such as a
 * simulated one.
 */
public final class WebServer implements AutoCloseable {

    /** Nothing is loaded from elsewhere, and nothing in the page can become a script. */
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
            + " img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private static final String HTML = "text/html; charset=utf-8";
    private static final String SCRIPT = "text/javascript; charset=utf-8";

    /** A file of the page. */
    private record Asset(String type, byte[] bytes) {}

    private final WebOptions options;
    private final HttpServer server;
    private final RequestThreads threads;
    private final Access access;
    private final SampleCache<List<Figures>> samples;
    private final Viewers viewers;
    private final Optional<NetworkRequests> network;
    private final Map<String, Asset> assets;

    private WebServer(
            WebOptions options,
            HttpServer server,
            Supplier<List<Figures>> source,
            Optional<NetworkSource> networkSource)
            throws IOException {
        this.options = options;
        this.server = server;
        threads = new RequestThreads(options.patience());
        access = new Access(options.token());
        samples = new SampleCache<>(
                source,
                (number, timeNs, processes) -> FiguresJson.sample(number, timeNs, networkSource.isPresent(), processes),
                options.interval(),
                System::nanoTime);
        viewers = new Viewers(options, threads);
        network = networkSource.map(shown -> new NetworkRequests(
                shown,
                viewers,
                new SampleCache<>(
                        shown::state,
                        (number, _, state) -> NetworkJson.text(number, state),
                        options.interval(),
                        System::nanoTime)));
        assets = Map.of(
                "/", asset("page.html", HTML),
                "/icon.svg", asset("icon.svg", "image/svg+xml"),
                "/app.js", asset("app.js", SCRIPT),
                "/network.js", asset("network.js", SCRIPT),
                "/pair.js", asset("pair.js", SCRIPT),
                "/parts.js", asset("parts.js", SCRIPT),
                "/app.css", asset("app.css", "text/css; charset=utf-8"));
    }

    /**
     * Opens a server.
     *
     * @param processes the figures of each process to be shown; each is called by one thread at a time
     * @throws IOException if the address cannot be used
     */
    public static WebServer open(WebOptions options, Supplier<List<Figures>> processes) throws IOException {
        return open(options, processes, Optional.empty());
    }

    /**
     * Opens a server that also shows a network, and lets its pages control it.
     *
     * @throws IOException if the address cannot be used
     */
    public static WebServer open(WebOptions options, Supplier<List<Figures>> processes, NetworkSource network)
            throws IOException {
        return open(options, processes, Optional.of(network));
    }

    private static WebServer open(
            WebOptions options, Supplier<List<Figures>> processes, Optional<NetworkSource> network) throws IOException {
        HttpServer httpServer = HttpServer.create(options.address(), 0);
        WebServer web = new WebServer(options, httpServer, processes, network);
        httpServer.setExecutor(web.threads);
        httpServer.createContext("/", web::handle);
        httpServer.start();
        return web;
    }

    private static Asset asset(String name, String type) throws IOException {
        try (InputStream in = WebServer.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IOException("The resource " + name + " is missing in the module io.verbena.web.");
            }
            return new Asset(type, in.readAllBytes());
        }
    }

    /** The address of the page, with the token. */
    public URI address() {
        InetSocketAddress bound = server.getAddress();
        String host = bound.getAddress().getHostAddress();
        String name = host.contains(":") ? '[' + host.replaceAll("%.*", "") + ']' : host;
        return URI.create("http://" + name + ':' + bound.getPort() + "/?token=" + options.token());
    }

    /** Number of pages that show figures now. */
    public int viewers() {
        return viewers.size();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            Optional<Answer> refusal = refusal(exchange);
            String path = exchange.getRequestURI().getPath();
            if (refusal.isPresent()) {
                send(exchange, refusal.get());
            } else if (path.equals("/api/events")) {
                headers(exchange, "text/event-stream");
                viewers.serve(exchange, samples);
            } else if (network.isPresent() && path.equals(NetworkRequests.EVENTS)) {
                headers(exchange, "text/event-stream");
                network.get().serveEvents(exchange);
            } else if (network.isPresent() && path.equals(NetworkRequests.ACTIONS)) {
                send(exchange, network.get().act(exchange));
            } else {
                send(exchange, answer(exchange, path));
            }
        }
    }

    private Optional<Answer> refusal(HttpExchange exchange) {
        if (!Access.hostAllowed(exchange)) {
            return Optional.of(Answer.refused(
                    421, "Name this server by its address or as localhost; other names are not served."));
        }
        boolean acts = network.isPresent() && exchange.getRequestURI().getPath().equals(NetworkRequests.ACTIONS);
        if (!exchange.getRequestMethod().equals(acts ? "POST" : "GET")) {
            return Optional.of(Answer.refused(405, "This address answers " + (acts ? "POST" : "GET") + " only."));
        }
        if (acts && !Access.originAllowed(exchange)) {
            return Optional.of(Answer.refused(403, "Only the page of this server may change something."));
        }
        if (!assets.containsKey(exchange.getRequestURI().getPath()) && !access.tokenPresent(exchange)) {
            return Optional.of(Answer.refused(
                    401, "The token is missing or wrong: use the address that the program has printed."));
        }
        return Optional.empty();
    }

    private Answer answer(HttpExchange exchange, String path) {
        Asset asset = assets.get(path);
        if (asset != null) {
            return new Answer(200, asset.type(), asset.bytes());
        }
        return switch (path) {
            case "/api/figures" -> new Answer(200, Answer.JSON, samples.sample().json());
            case "/metrics" -> metrics(exchange);
            default ->
                network.flatMap(requests -> requests.answer(exchange, path))
                        .orElseGet(() -> Answer.refused(
                                404, "There is no such page; there are /, /api/figures, /api/events, /metrics."));
        };
    }

    private Answer metrics(HttpExchange exchange) {
        String accepted = Optional.ofNullable(exchange.getRequestHeaders().getFirst("Accept"))
                .orElse("");
        boolean open = accepted.contains("application/openmetrics-text");
        String text = PrometheusText.of(samples.sample().content(), open);
        return new Answer(
                200, open ? PrometheusText.OPEN_METRICS : PrometheusText.PLAIN, text.getBytes(StandardCharsets.UTF_8));
    }

    private static void headers(HttpExchange exchange, String type) {
        Headers headers = exchange.getResponseHeaders();
        headers.set("Content-Type", type);
        headers.set("Content-Security-Policy", POLICY);
        headers.set("X-Content-Type-Options", "nosniff");
        headers.set("Referrer-Policy", "no-referrer");
        headers.set("Cross-Origin-Resource-Policy", "same-origin");
        headers.set("Cache-Control", "no-store");
    }

    private static void send(HttpExchange exchange, Answer answer) throws IOException {
        headers(exchange, answer.type());
        exchange.sendResponseHeaders(answer.status(), answer.bytes().length == 0 ? -1 : answer.bytes().length);
        exchange.getResponseBody().write(answer.bytes());
    }

    /** Ends all viewers and closes the port. */
    @Override
    public void close() {
        threads.close();
        server.stop(0);
    }
}
