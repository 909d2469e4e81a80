package io.verbena.web;

import io.verbena.verbs.Figures;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Shows figures: a page for people, and JSON and text for programs. It changes nothing, except a network that it was given, such as a
 * simulated one.
 */
public final class WebServer implements AutoCloseable {

    /** Connections of programs that know the token, beside those of pages. */
    private static final int PROGRAMS = 32;

    private static final long PAUSE_NS = 100_000_000;
    private static final String HTML = "text/html; charset=utf-8";
    private static final String SCRIPT = "text/javascript; charset=utf-8";

    private final WebOptions options;
    private final ServerSocketChannel server;
    private final InetSocketAddress bound;
    private final Connections connections;
    private final RequestThreads threads;
    private final Access access;
    private final SampleCache<List<Figures>> samples;
    private final Viewers viewers;
    private final Optional<NetworkRequests> network;
    private final Map<String, Answer> assets;

    private WebServer(
            WebOptions options,
            ServerSocketChannel server,
            Supplier<List<Figures>> source,
            Optional<NetworkSource> networkSource)
            throws IOException {
        this.options = options;
        this.server = server;
        bound = (InetSocketAddress) server.getLocalAddress();
        connections = new Connections(options.viewers() + PROGRAMS);
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
                "/handlers.js", asset("handlers.js", SCRIPT),
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
        ServerSocketChannel socket = ServerSocketChannel.open();
        try {
            socket.bind(options.address());
            WebServer web = new WebServer(options, socket, processes, network);
            Thread.ofVirtual().name("verbena-web").start(web::accept);
            return web;
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    private static Answer asset(String name, String type) throws IOException {
        try (InputStream in = WebServer.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IOException("The resource " + name + " is missing in the module io.verbena.web.");
            }
            return new Answer(200, type, in.readAllBytes());
        }
    }

    /** The address of the page, with the token. */
    public URI address() {
        String host = bound.getAddress().getHostAddress();
        String name = host.contains(":") ? '[' + host.replaceAll("%.*", "") + ']' : host;
        return URI.create("http://" + name + ':' + bound.getPort() + "/?token=" + options.token());
    }

    /** Number of pages that show figures now. */
    public int viewers() {
        return viewers.size();
    }

    /** Number of connections that are open. */
    int connections() {
        return connections.size();
    }

    private void accept() {
        while (server.isOpen()) {
            try {
                SocketChannel connection = server.accept();
                connections.add(connection);
                threads.execute(() -> serve(connection));
            } catch (IOException e) {
                LockSupport.parkNanos(PAUSE_NS); // no descriptor is left, or the server was closed, which ends the loop
            } catch (RejectedExecutionException e) {
                return; // close() ends the connections, this one included
            } catch (OutOfMemoryError e) {
                LockSupport.parkNanos(PAUSE_NS); // no thread or memory for one connection: the next may find some
            }
        }
    }

    private void serve(SocketChannel connection) {
        try {
            Optional<Request> request = Request.read(Channels.newInputStream(connection));
            if (request.isPresent()) {
                handle(new Exchange(connection, request.get()));
            } else {
                Exchange.send(connection, Answer.refused(400, "This is no request of HTTP/1.1, or too long."));
            }
        } catch (IOException e) {
            return; // the client has left or was too slow, or its place was needed
        } finally {
            connections.remove(connection);
        }
    }

    private void handle(Exchange exchange) throws IOException {
        Request request = exchange.request();
        Optional<Answer> refusal = refusal(request);
        if (refusal.isPresent()) {
            exchange.send(refusal.get());
        } else if (assets.containsKey(request.path())) {
            exchange.send(assets.get(request.path()));
        } else if (!connections.know(exchange.connection())) {
            exchange.send(Answer.refused(503, "This server answers as many requests as it can."));
        } else if (request.path().equals("/api/events")) {
            viewers.serve(exchange, samples);
        } else if (network.isPresent() && request.path().equals(NetworkRequests.EVENTS)) {
            network.get().serveEvents(exchange);
        } else {
            exchange.send(
                    network.isPresent() && request.path().equals(NetworkRequests.ACTIONS)
                            ? network.get().act(request)
                            : answer(request));
        }
    }

    private Optional<Answer> refusal(Request request) {
        if (!Access.hostAllowed(request)) {
            return Optional.of(Answer.refused(
                    421, "Name this server by its address or as localhost; other names are not served."));
        }
        boolean acts = network.isPresent() && request.path().equals(NetworkRequests.ACTIONS);
        if (!request.method().equals(acts ? "POST" : "GET")) {
            return Optional.of(Answer.refused(405, "This address answers " + (acts ? "POST" : "GET") + " only."));
        }
        if (acts && !Access.originAllowed(request)) {
            return Optional.of(Answer.refused(403, "Only the page of this server may change something."));
        }
        if (!assets.containsKey(request.path()) && !access.tokenPresent(request)) {
            return Optional.of(Answer.refused(
                    401, "The token is missing or wrong: use the address that the program has printed."));
        }
        return Optional.empty();
    }

    private Answer answer(Request request) {
        return switch (request.path()) {
            case "/api/figures" -> new Answer(200, Answer.JSON, samples.sample().json());
            case "/metrics" -> metrics(request);
            default ->
                network.flatMap(requests -> requests.answer(request))
                        .orElseGet(() -> Answer.refused(
                                404, "There is no such page; there are /, /api/figures, /api/events, /metrics."));
        };
    }

    private Answer metrics(Request request) {
        boolean open = request.first("accept").contains("application/openmetrics-text");
        List<Figures> shown = new ArrayList<>(samples.sample().content());
        network.ifPresent(each -> shown.addAll(each.figures()));
        String text = PrometheusText.of(shown, open);
        return new Answer(
                200, open ? PrometheusText.OPEN_METRICS : PrometheusText.PLAIN, text.getBytes(StandardCharsets.UTF_8));
    }

    /** Ends all viewers and closes the port. */
    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            threads.close();
            connections.close();
        }
    }
}
