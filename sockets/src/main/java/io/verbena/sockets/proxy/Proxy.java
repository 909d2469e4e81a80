package io.verbena.sockets.proxy;

import io.verbena.sockets.nio.SocketsOptions;
import io.verbena.sockets.nio.VerbenaSelectorProvider;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Accepts connections at one address and carries their bytes to and from a target. Either end uses TCP or RDMA, so that programs that use
 * TCP only reach each other over RDMA through two proxies, or a program with RDMA through one.
 */
public final class Proxy implements AutoCloseable {

    /** The least time that a peer at an end for RDMA has to show that it speaks RDMA, before it is one of TCP. */
    private static final Duration FIRST_BYTES = Duration.ofSeconds(2);

    private static final int BACKLOG = 1024;

    /** Connections accepted for one event: those that are open get their turn. */
    private static final int MOST_ACCEPTS = 16;

    /** Time without accepting after the system had no resources for a connection. */
    private static final long PAUSE_NS = 100_000_000;

    /** Time between two looks at clients that have not sent anything yet. */
    private static final long UNDECIDED_NS = 250_000_000;

    /**
     * Connections that wait for their target at the same time. Further clients wait in the queue of the listener: the time limit of a connection
     * would else pass while the target, or the RNIC, is busy with those before it.
     */
    private static final int MOST_CONNECTING = 256;

    /** The longest turn while clients wait for their target: longer ones had no processor, see {@link Patience}. */
    private static final long CONNECTING_NS = Patience.TURN_NS / 2;

    private static final long NS_PER_MS = 1_000_000;

    private final ProxyOptions options;
    private final Consumer<String> problems;
    private final SelectorProvider ofTarget;
    private final Selector selector;
    private final ServerSocketChannel listener;
    private final SelectionKey accepting;
    private final Counters counters = new Counters();
    private final Admission admission;
    private final WaitingBuffers buffers = new WaitingBuffers();
    private final Thread thread =
            Thread.ofPlatform().daemon().name("verbena-proxy").unstarted(this::run);
    private volatile boolean closing;

    // Of the thread.
    private final Set<ProxiedConnection> connections = new HashSet<>();
    private final Set<ProxiedConnection> undecided = new HashSet<>();

    /** Clients that wait for their target, the oldest first. */
    private final LinkedHashSet<Attempt> connecting = new LinkedHashSet<>();

    private final TargetAddresses addresses;
    private final Patience patience = new Patience(System.nanoTime());
    private final ProblemLines ofTargets;
    private final ProblemLines ofClients;

    /** Whether clients wait until fewer connections wait for their target. */
    private boolean full;

    private Optional<Long> pausedNs = Optional.empty();
    private long lookedNs = System.nanoTime();

    private Proxy(ProxyOptions options, Consumer<String> problems, TargetAddresses.LookUp names) throws IOException {
        this.options = options;
        this.problems = problems;
        ofTargets = new ProblemLines(problems);
        ofClients = new ProblemLines(problems);
        addresses = new TargetAddresses(options.target().socket(), names);
        admission = new Admission(options.limits());
        VerbenaSelectorProvider rdma = VerbenaSelectorProvider.of(sockets(options));
        ofTarget = options.target().rdma() ? rdma : rdma.get();
        selector = rdma.openSelector();
        SelectorProvider ofListener = options.listen().rdma() ? rdma : rdma.get();
        listener = ofListener.openServerSocketChannel();
        try {
            listener.bind(options.listen().socket(), BACKLOG);
            listener.configureBlocking(false);
            accepting = listener.register(selector, SelectionKey.OP_ACCEPT);
        } catch (IOException | RuntimeException e) {
            listener.close();
            selector.close();
            throw e;
        }
    }

    /** An end that was stated to speak RDMA is waited for: a process that has just begun, on a machine with much load, is slow. */
    private static SocketsOptions sockets(ProxyOptions options) {
        SocketsOptions sockets = options.sockets();
        Duration asked = sockets.limits().patience();
        Duration time = asked.compareTo(FIRST_BYTES) > 0 ? asked : FIRST_BYTES;
        SocketsOptions patient = options.listen().rdma() ? sockets.withSilence(time) : sockets;
        return options.target().rdma()
                ? patient.withRdma(options.target().pattern()).withPatience(time)
                : patient;
    }

    /**
     * Listens and begins to serve.
     *
     * @param problems takes a sentence if connections have failed, at most one per second for the target and one for clients; the thread of
     *     the proxy calls it
     * @throws IOException if the address to listen at cannot be used
     */
    public static Proxy open(ProxyOptions options, Consumer<String> problems) throws IOException {
        return open(options, problems, InetAddress::getAllByName);
    }

    static Proxy open(ProxyOptions options, Consumer<String> problems, TargetAddresses.LookUp names)
            throws IOException {
        Proxy proxy = new Proxy(options, problems, names);
        proxy.thread.start();
        return proxy;
    }

    /** Where clients connect, with the port that the system has chosen. */
    public InetSocketAddress localAddress() throws IOException {
        if (!(listener.getLocalAddress() instanceof InetSocketAddress inet)) {
            throw new IOException("The proxy does not listen any more.");
        }
        return inet;
    }

    /** What the proxy has done. */
    public ProxyFigures figures() {
        return counters.figures();
    }

    /** Whether connections are served. It ends by {@link #close}, or with a sentence for {@code problems}. */
    public boolean running() {
        return thread.isAlive();
    }

    /** Stops to listen and resets all connections: their peers do not take what they have received for everything. */
    @Override
    public void close() {
        closing = true;
        selector.wakeup();
        boolean interrupted = false;
        while (thread.isAlive() && !interrupted) {
            try {
                thread.join();
            } catch (InterruptedException _) {
                interrupted = true;
                Thread.currentThread().interrupt();
            }
        }
    }

    private void run() {
        try (selector;
                listener) {
            while (!closing) {
                selector.select(this::onReady, waitMs());
                Thread.interrupted(); // by a program that interrupts all threads: with the status set, no selection
                // would wait
                onTime();
            }
        } catch (IOException | RuntimeException | Error e) {
            problems.accept("The proxy has ended: " + e);
        } finally {
            connections.forEach(ProxiedConnection::reset);
            connecting.forEach(Attempt::reset);
            ofTargets.flush();
            ofClients.flush();
            counters.open.set(0);
        }
    }

    // Time.

    /** Time to the next event that time causes; 0 if there is none. */
    private long waitMs() {
        long nowNs = System.nanoTime();
        long leftNs = Math.min(ofTargets.leftNs(nowNs), ofClients.leftNs(nowNs));
        if (!connecting.isEmpty()) {
            leftNs = Math.min(leftNs, Math.min(CONNECTING_NS, leftNs(connecting.getFirst())));
        }
        if (pausedNs.isPresent()) {
            leftNs = Math.min(leftNs, PAUSE_NS - (nowNs - pausedNs.get()));
        }
        if (!undecided.isEmpty()) {
            leftNs = Math.min(leftNs, UNDECIDED_NS);
        }
        return leftNs == Long.MAX_VALUE ? 0 : Math.max(1, Math.ceilDiv(leftNs, NS_PER_MS));
    }

    private long leftNs(Attempt attempt) {
        return patience.leftNs(
                attempt.tried(),
                attempt.beganNs(),
                attempt.limitNs(options.limits().connect().toNanos()));
    }

    private void onTime() {
        long nowNs = System.nanoTime();
        patience.at(nowNs);
        ofTargets.onTime(nowNs);
        ofClients.onTime(nowNs);
        if (pausedNs.isPresent() && nowNs - pausedNs.get() >= PAUSE_NS) {
            pausedNs = Optional.empty();
        }
        if (!undecided.isEmpty() && nowNs - lookedNs >= UNDECIDED_NS) {
            lookedNs = nowNs;
            List.copyOf(undecided).forEach(this::look);
        }
        while (!connecting.isEmpty() && leftNs(connecting.getFirst()) <= 0) {
            Attempt silent = connecting.getFirst();
            silent.silent(seconds());
            tryNext(silent);
        }
        full &= connecting.size() >= MOST_CONNECTING;
        if (pausedNs.isEmpty() && accepting.isValid()) {
            accepting.interestOps(full ? 0 : SelectionKey.OP_ACCEPT);
        }
    }

    private String seconds() {
        return BigDecimal.valueOf(options.limits().connect().toMillis(), 3)
                        .stripTrailingZeros()
                        .toPlainString()
                + " s";
    }

    // Events.

    /** A connection that fails in an unexpected way is reset, and the others continue. */
    private void onReady(SelectionKey key) {
        try {
            serve(key);
        } catch (RuntimeException | Error e) {
            ofClients.add("A connection has failed: " + e, System.nanoTime());
            if (key.attachment() instanceof Attempt attempt && connecting.remove(attempt)) {
                fail(attempt);
            } else if (key.attachment() instanceof ProxiedConnection connection) {
                connection.reset();
                end(connection);
            }
        }
    }

    private void serve(SelectionKey key) {
        if (key == accepting) {
            accept();
        } else if (key.attachment() instanceof Attempt attempt) {
            finishConnect(attempt);
        } else if (key.attachment() instanceof ProxiedConnection connection) {
            move(connection, key);
        }
    }

    private void accept() {
        try {
            for (int i = 0; i < MOST_ACCEPTS; i++) {
                if (connecting.size() >= MOST_CONNECTING) {
                    full = true;
                    return;
                }
                SocketChannel client = listener.accept();
                if (client == null) {
                    return;
                }
                admit(client);
            }
        } catch (IOException e) {
            ofClients.add("A connection could not be accepted: " + e.getMessage(), System.nanoTime());
            accepting.interestOps(0);
            pausedNs = Optional.of(System.nanoTime());
        }
    }

    private void admit(SocketChannel client) {
        Optional<InetSocketAddress> address = address(client);
        if (address.isEmpty()) {
            ProxiedConnection.reset(client); // it has left already
        } else if (!admission.enter(address.get().getAddress())) {
            counters.refused.incrementAndGet();
            ProxiedConnection.reset(client);
        } else {
            counters.accepted.incrementAndGet();
            counters.open.incrementAndGet();
            tryNext(new Attempt(client, address.get().getAddress(), addresses.inOrder()));
        }
    }

    private static Optional<InetSocketAddress> address(SocketChannel client) {
        try {
            return client.getRemoteAddress() instanceof InetSocketAddress inet ? Optional.of(inet) : Optional.empty();
        } catch (IOException _) {
            return Optional.empty();
        }
    }

    // The target.

    /** Connects the next address of the target, or gives the client up. */
    private void tryNext(Attempt attempt) {
        connecting.remove(attempt);
        if (attempt.next(ofTarget, selector, patience.at(System.nanoTime()))) {
            connecting.add(attempt);
            finishConnect(attempt); // it may be connected at once
        } else {
            addresses.renew();
            fail(attempt);
        }
    }

    private void finishConnect(Attempt attempt) {
        Optional<SocketChannel> target;
        try {
            target = attempt.finish();
        } catch (IOException e) {
            attempt.failed(e);
            tryNext(attempt);
            return;
        }
        if (target.isPresent()) {
            connecting.remove(attempt);
            patience.answered(attempt.tried());
            addresses.connected(attempt.tried());
            begin(attempt, target.get());
        }
    }

    private void begin(Attempt attempt, SocketChannel target) {
        ProxiedConnection connection =
                new ProxiedConnection(attempt.client(), attempt.clientAddress(), target, buffers, counters);
        connections.add(connection);
        try {
            attempt.client().configureBlocking(false);
            connection.begin(selector, options.limits().keepAlive());
            if (options.listen().rdma() || options.target().rdma()) {
                undecided.add(connection);
                decide(connection);
            }
        } catch (IOException e) {
            connection.reset();
            end(connection); // the client has reset its connection meanwhile, or the target has
        }
    }

    private void fail(Attempt attempt) {
        // Before the client is reset, so that who sees the reset finds the sentence; the count comes last for the same
        // reason.
        ofTargets.add("The target " + options.target() + " " + attempt.reason(), System.nanoTime());
        counters.failed.incrementAndGet();
        attempt.reset();
        leave(attempt.clientAddress());
    }

    // Open connections.

    private void move(ProxiedConnection connection, SelectionKey key) {
        try {
            connection.advance(key);
        } catch (IOException | CancelledKeyException _) {
            connection.reset(); // an end was reset, and the other one must not look complete
        }
        if (!connection.open()) {
            end(connection);
        } else if (!undecided.isEmpty() && undecided.contains(connection)) {
            decide(connection);
        }
    }

    /** A channel that cannot become RDMA closes itself, which the selector does not report. */
    private void look(ProxiedConnection connection) {
        decide(connection);
        if (!connection.whole()) {
            end(connection);
        }
    }

    /** Counts a peer that uses TCP at an end for RDMA, once that is decided. */
    private void decide(ProxiedConnection connection) {
        Optional<Boolean> plain = connection.plain(options.listen(), options.target());
        if (plain.isPresent()) {
            undecided.remove(connection);
            if (plain.get()) {
                counters.plain.incrementAndGet();
            }
        }
    }

    private void end(ProxiedConnection connection) {
        if (connections.remove(connection)) {
            undecided.remove(connection);
            connection.reset(); // without effect on channels that are closed
            leave(connection.address());
        }
    }

    private void leave(InetAddress client) {
        admission.leave(client);
        counters.open.decrementAndGet();
    }
}
