package io.verbena.files;

import io.verbena.files.failure.FileServiceException;
import io.verbena.files.failure.StopRequest;
import io.verbena.files.protocol.FileMessage;
import io.verbena.files.protocol.Greeting;
import io.verbena.files.store.Export;
import io.verbena.files.store.ExportTable;
import io.verbena.text.AddressText;
import io.verbena.text.PeerText;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.ListenOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.PeerNetwork;
import io.verbena.verbs.Rnic;
import java.io.IOException;
import java.lang.System.Logger.Level;
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

/** Serves files. Each connection has its own protection domain, completion queue and virtual thread. */
public final class FileServer {

    private static final System.Logger LOG = System.getLogger("io.verbena.files");
    private static final Duration REQUEST_WAIT = Duration.ofMillis(100);
    private static final Duration FAREWELL = Duration.ofSeconds(3);
    private static final int MOST_NAMES_SHOWN = 8;

    /** How long an established client waits for a place before another one has to leave for it. */
    private static final Duration LINE_WAIT = Duration.ofSeconds(2);

    private final Rnic rnic;
    private final ServeSettings settings;
    private final ServeListener listener;
    private final StopRequest stop;
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

    /** Creates a server that does not listen yet. */
    public FileServer(Rnic rnic, ExportTable table, ServeSettings settings, ServeListener listener, StopRequest stop) {
        this.rnic = rnic;
        this.exports = new LinkedHashMap<>(table.byName());
        this.settings = settings;
        this.places = new Places<>(settings.maxConnections());
        this.listener = listener;
        this.stop = stop;
    }

    /**
     * Serves until the end is requested.
     *
     * @param ready receives the local address once clients can connect
     * @throws IOException if the address cannot be used
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

    /** Whatever fails for one client, also in the listener of the user, others are served. */
    private void accept(ConnectionRequest request) {
        try {
            admit(request);
        } catch (RuntimeException | Error e) {
            onFailure(
                    PeerNetwork.of(request.remoteAddress()),
                    "Client " + AddressText.ofIp(request.remoteAddress()) + " could not be served: " + e);
        }
    }

    private void admit(ConnectionRequest request) {
        String who = AddressText.ofIp(request.remoteAddress());
        PeerNetwork origin = PeerNetwork.of(request.remoteAddress());
        if (!Greeting.matches(request.privateData())) {
            turnedAway.incrementAndGet();
            note(origin, "A client at " + who + " was rejected: " + Greeting.mismatch(request.privateData()));
            request.reject(Greeting.refusal("This is 'verbena serve' with version " + Greeting.VERSION
                    + " of the file protocol; use 'verbena cp' of the same version."));
            return;
        }
        // An established client whose thread has not run yet is not displaced as one in set-up.
        sessions.forEach((thread, session) -> {
            if (session.isEstablished()) {
                places.takeFree(thread);
            }
        });
        Places.Arrival<Thread> arrival = places.arrive(origin, this::isPending);
        arrival.displaced().ifPresent(it -> displace(it, who));
        if (!arrival.admitted()) {
            turnedAway.incrementAndGet();
            note(
                    origin,
                    "A client at " + who + " was rejected: " + settings.maxConnections()
                            + " connections are open (--max-connections)");
            request.reject(Greeting.busy("The server has its maximum of " + settings.maxConnections()
                    + " connections; try again later, or with fewer --connections."));
            return;
        }
        start(new FileSession(rnic, request, this, stop), origin);
    }

    /**
     * The connection of a session is established. Waits for a place; if none becomes free, another client may have to leave. Fails if there
     * is no place for it.
     */
    void onEstablished(FileSession session) throws FileServiceException {
        Thread self = Thread.currentThread();
        long deadlineNs = System.nanoTime() + LINE_WAIT.toNanos();
        while (System.nanoTime() - deadlineNs < 0) {
            if (places.takeFree(self)) {
                return;
            }
            session.awaitPlace();
        }
        Optional<Thread> leaving = places.establish(self, this::isPending);
        if (leaving.filter(self::equals).isPresent()) {
            turnedAway.incrementAndGet();
            throw new FileServiceException("all " + settings.maxConnections()
                    + " connections were taken while its own was established (--max-connections)");
        }
        leaving.ifPresent(it -> displace(it, session.who()));
    }

    private void displace(Thread client, String who) {
        FileSession session = sessions.get(client);
        if (session == null) {
            return;
        }
        displaced.incrementAndGet();
        note(
                session.origin(),
                "Client " + session.who() + " was closed in favour of one at " + who + ": all "
                        + settings.maxConnections() + " connections are in use (--max-connections), and it was the"
                        + " oldest of " + session.origin().name()
                        + (session.isPending() ? " without a request" : ""));
        session.giveUp();
    }

    private boolean isPending(Thread session) {
        FileSession found = sessions.get(session);
        return found == null || found.isPending();
    }

    private void start(FileSession session, PeerNetwork origin) {
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
        places.enter(thread, origin);
        try {
            thread.start();
        } catch (RuntimeException | Error e) {
            places.leave(thread);
            sessions.remove(thread);
            session.close();
            throw e;
        }
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

    /** The number of connected clients. */
    int connected() {
        return places.size();
    }

    // For sessions.

    ServeSettings settings() {
        return settings;
    }

    /** A number that changes when the server is restarted. */
    long instance() {
        return instance;
    }

    List<Export> exports() {
        return List.copyOf(exports.values());
    }

    /** The file of a name. The name comes from a peer; the table is searched for it, and it is never used as a path. */
    Export export(String name) throws FileServiceException {
        Export found = exports.get(name);
        if (found == null) {
            List<String> names =
                    exports.keySet().stream().limit(MOST_NAMES_SHOWN).toList();
            throw new FileServiceException("There is no file '" + PeerText.shown(name) + "' on offer; offered: '"
                    + String.join("', '", names) + "'" + (names.size() < exports.size() ? " and more" : ""));
        }
        return found;
    }

    void onOpened(FileMessage.Open question) {
        (question.writing() ? writes : reads).incrementAndGet();
    }

    void onCommitted(PeerNetwork origin, Export export, long bytes) {
        stored.incrementAndGet();
        note(origin, "'" + export.name() + "' was stored: " + bytes + " bytes");
    }

    void onProblem(PeerNetwork origin, String sentence) {
        problems.incrementAndGet();
        note(origin, sentence);
    }

    void onFailure(PeerNetwork origin, String sentence) {
        failures.incrementAndGet();
        note(origin, sentence);
    }

    /** Clients cause every line, so the rate of lines is limited by origin. */
    private void note(PeerNetwork origin, String sentence) {
        String line = sentence.endsWith(".") ? sentence : sentence + ".";
        log.admit(origin, line, System.nanoTime()).forEach(this::tell);
    }

    private void tell(String line) {
        try {
            listener.onEvent(line);
        } catch (RuntimeException | Error e) {
            LOG.log(Level.WARNING, "The listener of a file server threw; the server continues.", e);
        } finally {
            // An interrupt that the listener leaves would end the wait of a session. That of the caller of serve() is
            // its own.
            if (sessions.containsKey(Thread.currentThread())) {
                Thread.interrupted();
            }
        }
    }

    /** The counts so far. */
    public ServeFigures figures() {
        return new ServeFigures(
                new ServeFigures.Links(accepted.get(), failures.get(), turnedAway.get(), displaced.get()),
                new ServeFigures.Requests(reads.get(), writes.get(), stored.get(), problems.get()),
                log.leftOut());
    }
}
