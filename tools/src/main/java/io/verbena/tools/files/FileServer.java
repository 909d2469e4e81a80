package io.verbena.tools.files;

import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.text.Addresses;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import io.verbena.tools.text.PeerText;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.ListenOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.net.SocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** Offers files: a protection domain, a completion queue and a virtual thread for each connection. */
public final class FileServer {

    private static final Duration REQUEST_WAIT = Duration.ofMillis(100);
    private static final Duration FAREWELL = Duration.ofSeconds(3);
    private static final int MOST_NAMES_SHOWN = 8;

    private final Rnic rnic;
    private final ServeSettings settings;
    private final ServeListener listener;
    private final StopSignal stop;
    private final Map<String, Export> exports;
    private final long instance = new SecureRandom().nextLong();
    private final Places<Thread> places;
    private final Map<Thread, FileSession> sessions = new ConcurrentHashMap<>();
    private final LogLimit log = new LogLimit(System.nanoTime());

    private final AtomicLong accepted = new AtomicLong();
    private final AtomicLong reads = new AtomicLong();
    private final AtomicLong writes = new AtomicLong();
    private final AtomicLong stored = new AtomicLong();
    private final AtomicLong problems = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();
    private final AtomicLong turnedAway = new AtomicLong();
    private final AtomicLong displaced = new AtomicLong();

    /** A server that does not listen yet. */
    public FileServer(Rnic rnic, ExportTable table, ServeSettings settings, ServeListener listener, StopSignal stop) {
        this.rnic = rnic;
        this.exports = new LinkedHashMap<>(table.byName());
        this.settings = settings;
        this.places = new Places<>(settings.maxConnections());
        this.listener = listener;
        this.stop = stop;
    }

    /**
     * Serves until the user wants to stop.
     *
     * @param ready told the real address once clients can connect
     * @throws IOException when the address cannot be used
     */
    public void serve(SocketAddress address, Consumer<SocketAddress> ready) throws IOException {
        ListenOptions options = ListenOptions.defaults().withStartUpTimeout(settings.setUp());
        try (Listener listening = rnic.listen(address, options)) {
            ready.accept(listening.localAddress());
            while (!stop.raised()) {
                listening.nextRequest(REQUEST_WAIT).ifPresent(this::accept);
            }
        }
        farewell();
    }

    private void accept(ConnectionRequest request) {
        String who = Addresses.text(request.remoteAddress());
        Origin origin = Origin.of(request.remoteAddress());
        if (!Greeting.matches(request.privateData())) {
            turnedAway.incrementAndGet();
            note(origin, "A client at " + who + " was turned away: " + Greeting.mismatch(request.privateData()));
            request.reject(Greeting.refusal("This is 'verbena serve', version " + Greeting.VERSION
                    + " of the file protocol; 'verbena cp' of the same version copies from and to it."));
            return;
        }
        if (!places.isFree() && !makeRoom(origin, who)) {
            turnedAway.incrementAndGet();
            note(
                    origin,
                    "A client at " + who + " was turned away: " + settings.maxConnections()
                            + " connections are open (--max-connections)");
            request.reject(Greeting.refusal("The server has as many connections as it takes ("
                    + settings.maxConnections() + "); try again later, or with fewer --connections."));
            return;
        }
        try {
            start(new FileSession(rnic, request, this, stop), origin);
        } catch (VerbsException | IllegalStateException | OutOfMemoryError e) {
            onFailure(origin, "Client " + who + " could not be served: " + e.getMessage());
        }
    }

    /** Takes the place of the greediest origin's oldest connection, if that origin has more than its share. */
    private boolean makeRoom(Origin newcomer, String who) {
        Optional<Thread> displacing = places.makeRoom(newcomer, this::isPending);
        displacing.map(sessions::get).ifPresent(session -> {
            displaced.incrementAndGet();
            note(
                    session.origin(),
                    "Client " + session.who() + " lost its place to one at " + who + ": all "
                            + settings.maxConnections() + " connections are taken (--max-connections), and it was the"
                            + " oldest of " + session.origin().text()
                            + (session.isPending() ? " that has not asked anything" : ""));
            session.giveUp();
        });
        return displacing.isPresent();
    }

    private boolean isPending(Thread session) {
        FileSession found = sessions.get(session);
        return found == null || found.isPending();
    }

    private void start(FileSession session, Origin origin) {
        accepted.incrementAndGet();
        Thread thread = Thread.ofVirtual().name("files").unstarted(() -> {
            try {
                session.run();
            } finally {
                places.leave(Thread.currentThread());
                sessions.remove(Thread.currentThread());
            }
        });
        sessions.put(thread, session);
        places.take(thread, origin);
        thread.start();
    }

    private void farewell() {
        long deadlineNs = System.nanoTime() + FAREWELL.toNanos();
        for (Thread session : sessions.keySet()) {
            try {
                session.join(Duration.ofNanos(Math.max(1, deadlineNs - System.nanoTime())));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    /** How many clients are connected now. */
    int connected() {
        return places.size();
    }

    // For sessions.

    ServeSettings settings() {
        return settings;
    }

    /** The same as long as this server runs. */
    long instance() {
        return instance;
    }

    List<Export> exports() {
        return List.copyOf(exports.values());
    }

    /** The file of a name, which comes from a peer and is looked up, nothing else. */
    Export export(String name) throws Failure {
        Export found = exports.get(name);
        if (found == null) {
            List<String> names =
                    exports.keySet().stream().limit(MOST_NAMES_SHOWN).toList();
            throw new Failure("There is no '" + PeerText.shown(name) + "' here; there is '" + String.join("', '", names)
                    + "'" + (names.size() < exports.size() ? " and more" : ""));
        }
        return found;
    }

    void onOpened(FileMessage.Open question) {
        (question.writing() ? writes : reads).incrementAndGet();
    }

    void onCommitted(Origin origin, Export export, long bytes) {
        stored.incrementAndGet();
        note(origin, "'" + export.name() + "' was stored: " + Figures.bytes(bytes));
    }

    void onProblem(Origin origin, String sentence) {
        problems.incrementAndGet();
        note(origin, sentence);
    }

    void onFailure(Origin origin, String sentence) {
        failures.incrementAndGet();
        note(origin, sentence);
    }

    /** Clients cause every line, so they are limited by where their cause comes from. */
    private void note(Origin origin, String sentence) {
        String line = sentence.endsWith(".") ? sentence : sentence + ".";
        log.admit(origin, line, System.nanoTime()).forEach(listener::onEvent);
    }

    /** What has happened so far. */
    public JsonObject figures() {
        return new JsonObject()
                .put("connections", accepted.get())
                .put("openedForReading", reads.get())
                .put("openedForWriting", writes.get())
                .put("stored", stored.get())
                .put("problems", problems.get())
                .put("connectionsFailed", failures.get())
                .put("turnedAway", turnedAway.get())
                .put("displaced", displaced.get())
                .put("linesLeftOut", log.leftOut());
    }
}
