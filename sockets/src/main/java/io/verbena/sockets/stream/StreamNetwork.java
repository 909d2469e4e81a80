package io.verbena.sockets.stream;

import io.verbena.sockets.protocol.StreamSettings;
import io.verbena.text.AddressText;
import io.verbena.verbs.AnnouncedAddress;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.HostMemory;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicAttributes;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.TransportType;
import io.verbena.verbs.WorkOpcode;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.SocketAddress;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Stream sockets of one RNIC.
 *
 * <pre>{@code
 * try (StreamNetwork network = StreamNetwork.open(RnicOptions.defaults(), StreamOptions.defaults());
 *         StreamSocket socket = network.connect(new InetSocketAddress("host", 7777))) {
 *     socket.write(ByteBuffer.wrap(hello));
 * }
 * }</pre>
 */
public final class StreamNetwork implements AutoCloseable {

    /**
     * How often a connection with bytes for a peer that accepts none shows that it is alive. TCP probes a closed window at the latest
     * after twice this time.
     */
    private static final Duration PROBE_INTERVAL = Duration.ofMinutes(1);

    /** Threads of the system for work that may wait: virtual threads would wait for those of the program that compute. */
    private static final int MOST_THREADS = 32;

    private static final System.Logger LOG = System.getLogger("io.verbena.sockets");
    private static final Duration IDLE = Duration.ofSeconds(10);

    private final Rnic rnic;
    private final StreamOptions options;
    private final EngineDriver driver;
    private final Budget budget;
    private final boolean infiniband;
    private final boolean immediate;
    private final Executor background;
    private final Executor ends;
    private final ScheduledThreadPoolExecutor timers;
    private final EndOfProgram.Sockets atExit;
    private final Optional<KilledEnds> killedEnds;

    // Guarded by this.
    private final List<CompletionLane> lanes = new ArrayList<>();
    private final Set<StreamSocket> sockets = new HashSet<>();
    private final Map<TransportType, StreamTotals> ended = new EnumMap<>(TransportType.class);

    /** Number of sockets, for threads that have no lock. */
    private volatile int open;

    private boolean closed;

    /**
     * Stream sockets of an RNIC, which belongs to the network afterwards.
     *
     * @param background runs work that may wait, such as the end of a connection
     */
    StreamNetwork(Rnic rnic, StreamOptions options, Executor background) {
        this(rnic, options, background, false);
    }

    /**
     * The same.
     *
     * @param ofThisProcess whether the peers are other processes, which the system notifies of the end of this one
     */
    private StreamNetwork(Rnic rnic, StreamOptions options, Executor background, boolean ofThisProcess) {
        this.rnic = rnic;
        this.options = options;
        this.background = background;
        ends = new Batches(background);
        atExit = new EndOfProgram.Sockets(
                () -> sockets().forEach(socket -> guarded(socket::closeAtExit)),
                this::awaitEmpty,
                options.exitTimeout());
        driver = new EngineDriver(rnic, () -> open > 0);
        budget = new Budget(options.mostBytes());
        RnicAttributes attributes = rnic.query();
        infiniband =
                attributes.transport() == TransportType.ROCE_V2 || attributes.transport() == TransportType.INFINIBAND;
        immediate = attributes.operations().contains(WorkOpcode.WRITE_WITH_IMMEDIATE);
        timers = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().daemon().name("verbena-sockets-timers").factory());
        timers.setRemoveOnCancelPolicy(true);
        killedEnds = ofThisProcess && !infiniband
                ? Optional.of(new KilledEnds(timers, StreamNetwork::guarded))
                : Optional.empty();
        timers.scheduleWithFixedDelay(
                () -> guarded(() -> background(this::probe)), // a task that has failed is not repeated
                PROBE_INTERVAL.toNanos(),
                PROBE_INTERVAL.toNanos(),
                TimeUnit.NANOSECONDS);
    }

    /** Opens an RNIC for stream sockets. */
    public static StreamNetwork open(RnicOptions rnic, StreamOptions options) {
        ThreadPoolExecutor threads = new ThreadPoolExecutor(
                MOST_THREADS,
                MOST_THREADS,
                IDLE.toSeconds(),
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                Thread.ofPlatform().daemon().name("verbena-sockets-", 0).factory());
        threads.allowCoreThreadTimeOut(true);
        return new StreamNetwork(Rnic.open(options(rnic, options)), options, threads, true);
    }

    /**
     * Options of an RNIC for stream sockets. Over shared memory a large write goes straight to the receive buffer of the peer. A peer that is
     * stopped keeps its connections, as with TCP.
     */
    static RnicOptions options(RnicOptions rnic, StreamOptions options) {
        return rnic.withIwarp(iwarp -> iwarp.withDirect(true).withCloseTimeout(options.patience()))
                .withInfiniband(infiniband -> infiniband.withPatience(options.patience()));
    }

    /** What each connection begins with, that of a stream that is converted as well. */
    ConnectionOptions dialOptions() {
        return options.extensions()
                .survival()
                .map(it -> connectionOptions()
                        .withSurvival(it)
                        .withKeepAlive(ConnectionOptions.KEEP_ALIVE)) // without one, silence is no failure
                .orElseGet(this::connectionOptions);
    }

    private ConnectionOptions connectionOptions() {
        // By iWARP and shared memory the system reports the end of a peer's process. Over RoCE only a probe is answered
        // by such a report.
        return ConnectionOptions.defaults().withKeepAlive(infiniband ? ConnectionOptions.KEEP_ALIVE : Duration.ZERO);
    }

    Rnic rnic() {
        return rnic;
    }

    public StreamOptions options() {
        return options;
    }

    /** The waits for the sockets. */
    public EngineDriver driver() {
        return driver;
    }

    /** How its connections end if this process is killed; nothing over RoCE, where the system says nothing to the peer. */
    Optional<KilledEnds> killedEnds() {
        return killedEnds;
    }

    Budget budget() {
        return budget;
    }

    StreamSettings settings(int credits, int sendSlots) {
        return SocketMemory.settings(
                credits,
                sendSlots,
                options,
                infiniband || immediate && options.extensions().immediate(),
                infiniband);
    }

    /** Announces that this process accepts sockets at an address and passes offers of shared memory to {@link #answerConversion}. */
    public AnnouncedAddress announce(SocketAddress listening) {
        return rnic.announce(listening);
    }

    /** Memory that processes of this host share; see {@link Rnic#hostMemory}. */
    public Optional<HostMemory> hostMemory() {
        return rnic.hostMemory();
    }

    /** Whether a connection to this address can probably use shared memory; see {@link Rnic#announced}. */
    public boolean announced(SocketAddress remote) {
        return rnic.announced(remote);
    }

    /** Starts a connection and returns at once; the socket is ready to be {@link StreamSocket#CONNECTED} later. */
    public StreamSocket startConnect(SocketAddress remote, Optional<SocketAddress> local) {
        return startConnect(remote, local, options.connectTimeout());
    }

    /** The same, with another time limit. */
    public StreamSocket startConnect(SocketAddress remote, Optional<SocketAddress> local, Duration timeout) {
        StreamSocket socket = create();
        try {
            ConnectionOptions.Builder request =
                    dialOptions().toBuilder().privateData(socket.request()).timeout(timeout);
            local.ifPresent(request::localAddress);
            socket.begun(rnic.startConnect(socket.queues().queuePair(), remote, request.build()));
        } catch (RuntimeException e) {
            socket.abort();
            throw e;
        }
        return socket;
    }

    /**
     * Connects and waits until the connection is established.
     *
     * @throws IOException if it was not, or the thread was interrupted
     */
    public StreamSocket connect(SocketAddress remote) throws IOException {
        StreamSocket socket = startConnect(remote, Optional.empty());
        try {
            socket.awaitReady(StreamSocket.CONNECTED, options.connectTimeout().toNanos());
            if (!socket.finishConnect()) {
                throw new java.net.SocketTimeoutException("No connection to " + AddressText.of(remote) + " within "
                        + options.connectTimeout().toMillis() + " ms.");
            }
            return socket;
        } catch (IOException e) {
            socket.abort();
            throw e;
        }
    }

    /**
     * Starts to make a connected TCP stream a stream socket, as the side that asks for it, and returns at once.
     *
     * @param stream a connected stream that is not registered with a selector; it belongs to the socket afterwards
     * @throws UnsupportedOperationException if the RNIC cannot convert streams
     */
    public StreamSocket startConversion(SocketChannel stream) {
        return startConversion(stream, false);
    }

    /** The same; {@code offersMemory} is whether shared memory is offered, instead of a request. */
    public StreamSocket startConversion(SocketChannel stream, boolean offersMemory) {
        return startConversion(stream, offersMemory, List.of());
    }

    /**
     * The same.
     *
     * @param offersMemory whether shared memory is offered to the peer, which expects an offer or a request
     * @param others further addresses at which the peer accepts the same streams, if sockets survive
     */
    public StreamSocket startConversion(SocketChannel stream, boolean offersMemory, List<SocketAddress> others) {
        StreamSocket socket = create();
        try {
            socket.startConversion(stream, offersMemory, others);
            return socket;
        } catch (RuntimeException e) {
            socket.abort();
            throw e;
        }
    }

    /**
     * The other side of {@link #startConversion}: answers the request of the peer.
     *
     * @param alreadyRead bytes that were read from the stream, with which the request begins
     */
    public StreamSocket answerConversion(SocketChannel stream, byte[] alreadyRead) {
        StreamSocket socket = create();
        try {
            socket.answerConversion(stream, alreadyRead);
            return socket;
        } catch (RuntimeException e) {
            socket.abort();
            throw e;
        }
    }

    /** Listens at an address. */
    public StreamListener listen(SocketAddress address, int backlog) throws IOException {
        return listen(address, backlog, _ -> true);
    }

    /** Listens at an address; peers at addresses that are not admitted are rejected. */
    public StreamListener listen(SocketAddress address, int backlog, Predicate<SocketAddress> admits)
            throws IOException {
        return StreamListener.open(this, address, backlog, admits);
    }

    /** A socket without a connection. */
    StreamSocket create() {
        CompletionLane lane = enter();
        boolean complete = false;
        try {
            StreamSocket socket = new StreamSocket(this, lane);
            complete = true;
            synchronized (this) {
                sockets.add(socket);
                open = sockets.size();
            }
            return socket;
        } finally {
            if (!complete) {
                leave(lane);
            }
        }
    }

    private synchronized CompletionLane enter() {
        if (closed) {
            throw new IllegalStateException("The stream network is closed.");
        }
        CompletionLane lane = lanes.stream()
                .filter(any -> any.sockets < CompletionLane.SOCKETS)
                .findFirst()
                .orElseGet(() -> {
                    CompletionLane added = new CompletionLane(rnic, StreamSocket.RECEIVES + StreamSocket.SEND_SLOTS);
                    lanes.add(added);
                    return added;
                });
        lane.sockets++;
        return lane;
    }

    synchronized void leave(CompletionLane lane) {
        lane.sockets--;
    }

    synchronized void remove(StreamSocket socket) {
        if (sockets.remove(socket)) {
            open = sockets.size();
            socket.totals().ifPresent(last -> ended.merge(last.transport(), last, StreamTotals::plus));
        }
        notifyAll();
    }

    /** What the sockets of each transport have done, those that are open and those that were closed. */
    public List<StreamTotals> totals() {
        Map<TransportType, StreamTotals> all;
        synchronized (this) {
            all = new EnumMap<>(ended);
            // A socket that ends meanwhile is counted once: it moves to those that ended with this monitor.
            for (StreamSocket socket : sockets) {
                socket.totals().ifPresent(now -> all.merge(now.transport(), now, StreamTotals::plus));
            }
        }
        return List.copyOf(all.values());
    }

    /** The sockets that are open, and those that are being closed. */
    public synchronized List<StreamSocket> sockets() {
        return List.copyOf(sockets);
    }

    /**
     * When the JVM ends, after the shutdown hooks of the program, all sockets are closed and what the program has written is sent, as the
     * kernel does for TCP. The JVM waits for that, at most for the time that the options state.
     */
    public void flushAtExit() {
        EndOfProgram.add(atExit);
    }

    private void probe() {
        sockets().forEach(socket -> guarded(socket::probe));
    }

    /**
     * Waits until no socket is open or being closed.
     *
     * @return false if the timeout expired or the thread was interrupted
     */
    public synchronized boolean awaitEmpty(Duration timeout) {
        long startNs = System.nanoTime();
        long mostNs = StreamListener.bounded(timeout).toNanos();
        while (!sockets.isEmpty()) {
            long leftMs = (mostNs - (System.nanoTime() - startNs)) / 1_000_000;
            if (leftMs <= 0) {
                return false;
            }
            try {
                wait(leftMs);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return true;
    }

    /** Runs work that may wait. If it fails, it ends no thread that other sockets need. */
    void background(Runnable work) {
        background.execute(() -> guarded(work));
    }

    /** Runs a step of one socket, whose failure is not that of others. */
    static void guarded(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            LOG.log(Level.ERROR, "A step of a stream socket has failed.", e);
        }
    }

    /**
     * Frees what a socket has. All of them wait for the same engine, and are few at a time: threads that wait by the dozen would keep it from the
     * processors.
     */
    void end(Runnable work) {
        ends.execute(work);
    }

    Future<?> after(Duration delay, Runnable work) {
        return timers.schedule(() -> guarded(() -> background(work)), delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Ends all sockets and listeners at once, and closes the RNIC. */
    @Override
    public void close() {
        List<StreamSocket> left;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            left = List.copyOf(sockets);
        }
        EndOfProgram.remove(atExit);
        left.forEach(StreamSocket::discard);
        timers.shutdownNow();
        rnic.close();
    }
}
