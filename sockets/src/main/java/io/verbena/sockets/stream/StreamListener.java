package io.verbena.sockets.stream;

import io.verbena.sockets.protocol.ConnectData;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.ListenOptions;
import io.verbena.verbs.Listener;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/**
 * A listening socket: connections are established as they arrive, and wait to be accepted. A request that is not one of a
 * stream socket is rejected.
 */
public final class StreamListener implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger("io.verbena.sockets");

    /** The longest wait. */
    private static final Duration LONGEST = Duration.ofDays(365);

    private final StreamNetwork network;
    private final Listener listener;
    private final int backlog;
    private final Predicate<SocketAddress> admits;
    private final AtomicInteger requests = new AtomicInteger();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private volatile Runnable readiness = () -> {};

    // Guarded by the lock.
    private final Queue<StreamSocket> waiting = new ArrayDeque<>();

    /** Those that were answered and are not yet established. Each leaves once, however many threads notify of it. */
    private final Set<StreamSocket> answered = new HashSet<>();

    private int places;
    private boolean closed;

    private StreamListener(StreamNetwork network, Listener listener, int backlog, Predicate<SocketAddress> admits) {
        this.network = network;
        this.admits = admits;
        this.listener = listener;
        this.backlog = backlog;
        places = backlog;
    }

    static StreamListener open(
            StreamNetwork network, SocketAddress address, int backlog, Predicate<SocketAddress> admits)
            throws IOException {
        // The threads that answer may get the processor late: the connecting side decides how long it waits.
        ListenOptions options = ListenOptions.defaults()
                .withBacklog(backlog)
                .withStartUpTimeout(network.options().answerTimeout());
        Listener verbs = network.rnic().listen(address, options);
        StreamListener listener = new StreamListener(network, verbs, backlog, admits);
        verbs.onReady(listener::onRequests);
        return listener;
    }

    public SocketAddress localAddress() {
        return listener.localAddress();
    }

    /** Requests are answered in the background, by one thread at a time: creating a socket takes a while. */
    private void onRequests() {
        if (requests.getAndIncrement() == 0) {
            network.background(this::answerAll);
        }
    }

    private void answerAll() {
        int seen = 1;
        do {
            Optional<ConnectionRequest> next = nextRequest();
            while (next.isPresent()) {
                ConnectionRequest request = next.get();
                StreamNetwork.guarded(() -> answer(request)); // later requests are answered all the same
                next = nextRequest();
            }
            seen = requests.addAndGet(-seen);
        } while (seen > 0);
    }

    private Optional<ConnectionRequest> nextRequest() {
        return listener.closed() ? Optional.empty() : listener.nextRequest(Duration.ZERO);
    }

    private void answer(ConnectionRequest request) {
        byte[] data = request.privateData();
        if (!ConnectData.fits(data.length) || !admits.test(request.remoteAddress()) || !takePlace()) {
            request.reject(new byte[0]);
            return;
        }
        StreamSocket socket;
        try {
            socket = network.create();
        } catch (RuntimeException | Error e) { // no memory or queue pair is left
            LOG.log(Level.WARNING, "A connection is rejected, because no socket can be made for it.", e);
            returnPlace();
            request.reject(new byte[0]);
            return;
        }
        Optional<byte[]> reply = socket.onRequest(ConnectData.at(MemorySegment.ofArray(data), 0));
        if (reply.isEmpty()) {
            returnPlace();
            request.reject(new byte[0]);
            socket.abort();
            return;
        }
        ConnectionOptions options = network.dialOptions()
                .withPrivateData(reply.get())
                .withTimeout(network.options().answerTimeout());
        begin(socket);
        boolean begun = false;
        try {
            socket.begun(request.startAccept(socket.queues().queuePair(), options));
            begun = true;
        } finally {
            if (!begun && leave(socket)) {
                returnPlace();
                socket.abort();
            }
        }
    }

    private void begin(StreamSocket socket) {
        lock.lock();
        try {
            answered.add(socket);
        } finally {
            lock.unlock();
        }
        socket.onReady(() -> onReady(socket));
    }

    /** Returns whether the socket has not left before. */
    private boolean leave(StreamSocket socket) {
        lock.lock();
        try {
            return answered.remove(socket);
        } finally {
            lock.unlock();
        }
    }

    private boolean takePlace() {
        lock.lock();
        try {
            if (places == 0 || closed) {
                return false;
            }
            places--;
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void returnPlace() {
        lock.lock();
        try {
            places = Math.min(backlog, places + 1);
        } finally {
            lock.unlock();
        }
    }

    /**
     * A connection was perhaps established, or has ended before the peer has used it. Several threads may notify of one
     * socket at the same time: that it is connected, and that its first bytes have arrived.
     */
    void onReady(StreamSocket socket) {
        if ((socket.ready() & StreamSocket.CONNECTED) == 0) {
            return;
        }
        boolean useful = socket.confirmed();
        if (!leave(socket)) {
            return;
        }
        socket.onReady(() -> {});
        lock.lock();
        try {
            if (useful && !closed) {
                waiting.add(socket);
                changed.signal();
            } else {
                places++;
            }
            useful &= !closed;
        } finally {
            lock.unlock();
        }
        if (useful) {
            readiness.run();
        } else {
            network.background(socket::abort);
        }
    }

    /** The next connection, if one is waiting. */
    public Optional<StreamSocket> accept() {
        lock.lock();
        try {
            StreamSocket next = waiting.poll();
            if (next != null) {
                places++;
            }
            return Optional.ofNullable(next);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for the next connection.
     *
     * @return empty if the timeout expired or the listener was closed
     * @throws InterruptedException if the thread was interrupted
     */
    public Optional<StreamSocket> accept(Duration timeout) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long leftNs = bounded(timeout).toNanos();
            while (waiting.isEmpty() && !closed && leftNs > 0) {
                leftNs = changed.awaitNanos(leftNs);
            }
        } finally {
            lock.unlock();
        }
        return accept();
    }

    /** Limits a time to what a nanosecond clock can count: 0 to a year. */
    static Duration bounded(Duration time) {
        if (time.isNegative()) {
            return Duration.ZERO;
        }
        return time.compareTo(LONGEST) > 0 ? LONGEST : time;
    }

    /** Whether a connection is waiting. */
    public boolean ready() {
        lock.lock();
        try {
            return !waiting.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Sets the action to run when a connection begins to wait, and runs it if one waits already. It must return at
     * once.
     */
    public void onReady(Runnable action) {
        readiness = action;
        if (ready()) {
            action.run();
        }
    }

    /** Stops listening. Connections that were not accepted are reset. */
    @Override
    public void close() {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        listener.close();
        Optional<StreamSocket> left = accept();
        while (left.isPresent()) {
            left.get().abort();
            left = accept();
        }
    }
}
