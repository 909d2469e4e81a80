package io.verbena.tools.ping;

import io.verbena.text.AddressText;
import io.verbena.tools.base.StopSignal;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Rnic;
import java.io.IOException;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** rping's server: one thread and one CQ for any number of clients, each with a protection domain of its own. */
public final class PingServer {

    private static final Duration IDLE_WAIT = Duration.ofMillis(200);
    private static final Duration BUSY_WAIT = Duration.ofMillis(5);
    private static final long TICK_NS = 1_000_000;
    private static final int MOST_FAILURES_KEPT = 20;

    private final Rnic rnic;
    private final PingSettings settings;
    private final PingListener listener;
    private final StopSignal stop;
    private final CompletionQueue cq;
    private final CompletionCursor cursor;
    private final PingFigures figures = new PingFigures();
    private final Map<Integer, PingSession> sessions = new HashMap<>();
    private final List<String> failures = new ArrayList<>();
    private long lastTickNs = System.nanoTime();
    private long accepted;
    private long failed;

    /** A server that does not listen yet. */
    public PingServer(Rnic rnic, PingSettings settings, PingListener listener, StopSignal stop) {
        this.rnic = rnic;
        this.settings = settings;
        this.listener = listener;
        this.stop = stop;
        this.cq = rnic.createCompletionQueue(settings.admission().maxConnections() * PingSession.CQ_ENTRIES);
        this.cursor = cq.cursor();
    }

    /** What has been achieved so far. */
    public PingFigures figures() {
        return figures;
    }

    /** Why connections did not end well, the first few; empty when all did. */
    public List<String> failures() {
        return List.copyOf(failures);
    }

    /** How many connections did not end well. */
    public long failed() {
        return failed;
    }

    /**
     * Serves until the number of connections in the settings have ended, or the user requests the end.
     *
     * @param ready receives the local address once clients can connect
     * @throws IOException when the address cannot be used
     */
    public void serve(SocketAddress address, Consumer<SocketAddress> ready) throws IOException {
        try (Listener listening = rnic.listen(address)) {
            ready.accept(listening.localAddress());
            while (!stop.raised() && (more() || !sessions.isEmpty())) {
                turn(listening);
            }
        }
        farewell();
    }

    private boolean more() {
        return settings.admission().totalConnections() == 0
                || accepted < settings.admission().totalConnections();
    }

    /** Completions first; new clients, ends and time-outs once a millisecond. */
    private void turn(Listener listening) {
        if (sessions.isEmpty()) {
            listening.nextRequest(IDLE_WAIT).ifPresent(this::accept);
            return;
        }
        cq.await(BUSY_WAIT);
        drain();
        if (System.nanoTime() - lastTickNs >= TICK_NS) {
            tick();
            if (more()) {
                listening.nextRequest(Duration.ZERO).ifPresent(this::accept);
            }
        }
    }

    private void accept(ConnectionRequest request) {
        if (sessions.size() >= settings.admission().maxConnections()) {
            listener.onEvent("A client at " + AddressText.ofIp(request.remoteAddress()) + " was rejected: "
                    + settings.admission().maxConnections() + " clients are connected (--max-connections).");
            request.reject(new byte[0]);
            return;
        }
        accepted++;
        PingSession.Service service = new PingSession.Service(settings, listener, figures);
        PingSession session = new PingSession(rnic, cq, request, service, System.nanoTime());
        sessions.put(session.queuePairNumber(), session);
    }

    private void drain() {
        while (cursor.next()) {
            PingSession session = sessions.get(cursor.queuePairNumber());
            if (session != null) {
                session.onCompletion(cursor, System.nanoTime());
            }
        }
    }

    private void tick() {
        long nowNs = System.nanoTime();
        lastTickNs = nowNs;
        Iterator<PingSession> all = sessions.values().iterator();
        while (all.hasNext()) {
            PingSession session = all.next();
            session.onTick(nowNs);
            if (session.state() == PingSession.State.LEFT) {
                note(session);
                all.remove();
            }
        }
    }

    private void farewell() {
        sessions.values().forEach(session -> session.stop(System.nanoTime()));
        while (!sessions.isEmpty()) {
            cq.await(BUSY_WAIT);
            drain();
            tick();
        }
    }

    private void note(PingSession session) {
        if (session.failure().isEmpty()) {
            return;
        }
        failed++;
        if (settings.admission().totalConnections() != 1) { // otherwise it is reported at the end
            listener.onEvent(session.failure());
        }
        if (failures.size() < MOST_FAILURES_KEPT) {
            failures.add(session.failure());
        }
    }
}
