package io.verbena.sockets.nio;

import io.verbena.sockets.nio.opening.Peers;
import io.verbena.sockets.nio.opening.SetUpThread;
import io.verbena.sockets.nio.opening.SocketFailure;
import io.verbena.sockets.stream.StreamListener;
import io.verbena.sockets.stream.StreamSocket;
import io.verbena.verbs.AnnouncedAddress;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Receives the peers of a listening channel, in the {@link SetUpThread}, and keeps them until the program takes them; {@link Arrival} is one of them.
 * With the provider {@code roce}, peers by TCP are plain, and the RNIC listens at the same port.
 *
 * <p><b>Places.</b> A peer has a place from the moment at which it is accepted until the program takes it. When all places are taken, peers wait in
 * the queue of the kernel: half of the backlog waits here, and half there. Only a peer whose set-up takes unusually long is counted by a second limit instead, so peers that never finish the
 * set-up do not delay others.
 */
final class Reception {

    private static final int DEFAULT_BACKLOG = 50;
    private static final int MOST_PLACES = 4096;
    private static final int MOST_SLOW = 256;
    private static final long MOST_CLOSE_MS = 1_000;
    private static final long PAUSE_NS = 10_000_000;

    /** How long a silent peer is kept from a program that is known to speak first. */
    private static final Duration SPEAKS_FIRST = Duration.ofMillis(1);

    /** How long the first silent peer is kept from the program, unless the option {@code silence} is longer. */
    private static final Duration LATE = Duration.ofMillis(200);

    private final VerbenaSelectorProvider provider;
    private final Networks networks;
    private final ServerSocketChannel jdk;
    private final Runnable onArrival;
    private final SetUpThread thread;
    private final AnnouncedAddress announced;
    private final Optional<StreamListener> roce;
    private volatile boolean speaksFirst;

    /** Of the thread. */
    private @Nullable SelectionKey accepting;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();

    // Guarded by the lock.
    private final Queue<Arrival> queue = new ArrayDeque<>();
    private final Set<Arrival> present = new HashSet<>();
    private int places;
    private int slow;

    private volatile boolean closed;

    // Of the thread: whether peers were silent, and when the last one was.
    private boolean silentPeers;
    private long silentNs;

    Reception(
            VerbenaSelectorProvider provider,
            Networks networks,
            ServerSocketChannel jdk,
            int backlog,
            Runnable onArrival,
            Optional<AnnouncedAddress> early)
            throws IOException {
        this.provider = provider;
        this.networks = networks;
        this.jdk = jdk;
        this.onArrival = onArrival;
        int most = bounded(backlog);
        places = share(most);
        thread = networks.setUp();
        announced = early.isPresent() ? early.get() : networks.announce(jdk.getLocalAddress());
        roce = networks.listen(jdk.getLocalAddress(), most);
        roce.ifPresent(listener -> listener.onReady(this::onStream));
        jdk.configureBlocking(false);
        thread.execute(this::begin);
    }

    private static int bounded(int backlog) {
        return Math.min(backlog < 1 ? DEFAULT_BACKLOG : backlog, MOST_PLACES);
    }

    /** How many peers wait here, of those that the backlog states. */
    private static int share(int backlog) {
        return Math.max(1, backlog / 2);
    }

    /**
     * The backlog for the kernel, in whose queue the others wait. The queue of Linux has one more than it says, so that as many peers wait in all
     * as with TCP alone, but for a backlog of 1: the least for both is one more.
     */
    static int ofKernel(int backlog) {
        int most = bounded(backlog);
        return Math.max(1, most - share(most));
    }

    SetUpThread thread() {
        return thread;
    }

    /**
     * How long a peer may be silent before the program gets it. A Verbena that starts, or whose machine is busy, asks
     * late, so that the first silent peer of a minute has longer than the others.
     */
    long silenceNs() {
        Duration silence = networks.options().silence();
        if (speaksFirst) {
            return (silence.compareTo(SPEAKS_FIRST) > 0 ? SPEAKS_FIRST : silence).toNanos();
        }
        boolean expected = silentPeers && System.nanoTime() - silentNs < Peers.REMEMBERED.toNanos();
        return (expected ? silence : Peers.longer(silence, LATE)).toNanos();
    }

    /** A peer was silent for that long. Of the thread. */
    void onSilent() {
        silentPeers = true;
        silentNs = System.nanoTime();
    }

    /** After this time a peer that does not finish the set-up no longer delays others. */
    long slowNs() {
        return 2 * networks.options().patience().toNanos();
    }

    long patienceNs() {
        return networks.options().streams().answerTimeout().toNanos();
    }

    boolean acceptsRings() {
        return networks.hostMemory().isPresent();
    }

    /** The program has written to a silent peer. */
    void onSpokenFirst() {
        speaksFirst = true;
    }

    VerbenaSocketChannel channel(PlainCarrier plain) {
        return VerbenaSocketChannel.accepted(provider, networks, plain);
    }

    // In the set-up thread.

    private void begin() {
        if (closed) {
            return;
        }
        try {
            accepting = thread.watch(jdk, SelectionKey.OP_ACCEPT, _ -> acceptAll());
        } catch (IOException e) {
            return; // it was closed meanwhile
        }
    }

    private void acceptAll() {
        while (!closed && takePlace()) {
            SocketChannel peer = accept();
            if (peer == null) {
                returnPlace();
                return;
            }
            receive(peer);
        }
    }

    /** The next peer of the kernel's queue, if there is one. */
    private @Nullable SocketChannel accept() {
        try {
            return jdk.accept();
        } catch (IOException e) {
            // No descriptor is left, or the peer has left: others may come.
            pause();
            return null;
        }
    }

    private void pause() {
        if (!closed) {
            interest(0);
            thread.after(PAUSE_NS, () -> interest(SelectionKey.OP_ACCEPT));
        }
    }

    private void interest(int ops) {
        SelectionKey key = accepting;
        if (key != null && key.isValid()) {
            key.interestOps(ops);
        }
    }

    private void receive(SocketChannel peer) {
        Arrival arrival = new Arrival(this, peer, accepts(peer));
        lock.lock();
        try {
            present.add(arrival);
        } finally {
            lock.unlock();
        }
        arrival.step(() -> arrival.begin(networks.options().overRoce()));
    }

    private boolean accepts(SocketChannel peer) {
        SocketAddress remote = SocketFailure.orNull(peer::getRemoteAddress);
        return remote instanceof InetSocketAddress inet && networks.options().accepts(inet);
    }

    private boolean takePlace() {
        lock.lock();
        try {
            if (places <= 0) {
                interest(0);
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
            places++;
        } finally {
            lock.unlock();
        }
    }

    /** Keeps the peer from the program until it arrives again. Returns false if the program has taken it. */
    boolean claim(Arrival arrival) {
        lock.lock();
        try {
            queue.remove(arrival);
            return present.contains(arrival);
        } finally {
            lock.unlock();
        }
    }

    /** The program can take the peer. */
    void arrive(Arrival arrival) {
        lock.lock();
        try {
            if (!present.contains(arrival) || queue.contains(arrival)) {
                return;
            }
            queue.add(arrival);
            if (arrival.place() == Arrival.Place.SLOW) {
                slow--;
                places--;
                arrival.place(Arrival.Place.WAITS);
            }
            arrived.signal();
        } finally {
            lock.unlock();
        }
        onArrival.run();
    }

    /**
     * The set-up of a peer takes long. If there are too many such peers, it keeps the place that it has: on a machine with much load, all peers are
     * slow, and those that are dropped have perhaps decided for TCP already.
     */
    void slow(Arrival arrival) {
        lock.lock();
        try {
            if (slow < MOST_SLOW && arrival.place() == Arrival.Place.WAITS) {
                slow++;
                places++;
                arrival.place(Arrival.Place.SLOW);
            }
        } finally {
            lock.unlock();
        }
        interest(SelectionKey.OP_ACCEPT);
    }

    /** Whether another peer needs the place of one that is slow. */
    boolean crowded() {
        lock.lock();
        try {
            return slow >= MOST_SLOW;
        } finally {
            lock.unlock();
        }
    }

    /** The peer has gone. */
    void gone(Arrival arrival) {
        lock.lock();
        try {
            queue.remove(arrival);
            leave(arrival);
        } finally {
            lock.unlock();
        }
        thread.execute(() -> interest(SelectionKey.OP_ACCEPT));
    }

    /** With the lock. */
    private void leave(Arrival arrival) {
        if (present.remove(arrival)) {
            switch (arrival.place()) {
                case WAITS -> places++;
                case SLOW -> slow--;
                case NONE -> {}
            }
            arrival.place(Arrival.Place.NONE);
        }
    }

    // In the threads of the program and of the RNIC.

    /** A stream over RoCE waits to be accepted. */
    private void onStream() {
        lock.lock();
        try {
            arrived.signal();
        } finally {
            lock.unlock();
        }
        onArrival.run();
    }

    /** The channel of a stream over RoCE; the channel of the JDK has only the options that the program sets. */
    private VerbenaSocketChannel channel(StreamSocket stream) throws IOException {
        try (SocketChannel unconnected = networks.jdk().openSocketChannel()) {
            VerbenaSocketChannel channel = FileTargets.channel(provider, networks, unconnected);
            channel.options.inherit(jdk);
            channel.options.onRdma();
            channel.install(StreamCarrier.of(stream));
            return channel;
        } catch (IOException e) {
            stream.abort();
            throw e;
        }
    }

    /** The next peer, if one has arrived and has not gone. */
    Optional<VerbenaSocketChannel> poll() throws IOException {
        for (Arrival next = take(); next != null; next = take()) {
            VerbenaSocketChannel channel = next.take();
            if (channel != null) {
                return Optional.of(channel);
            }
            next.close();
        }
        Optional<StreamSocket> stream = roce.flatMap(StreamListener::accept);
        while (stream.isPresent() && stream.get().wasReset()) {
            stream.get().abort(); // its client has given it up, and has connected by TCP
            stream = roce.flatMap(StreamListener::accept);
        }
        return stream.isPresent() ? Optional.of(channel(stream.get())) : Optional.empty();
    }

    private @Nullable Arrival take() {
        Arrival next;
        lock.lock();
        try {
            next = queue.poll();
            if (next != null) {
                leave(next);
            }
        } finally {
            lock.unlock();
        }
        if (next != null) {
            thread.execute(() -> interest(SelectionKey.OP_ACCEPT));
        }
        return next;
    }

    boolean ready() {
        lock.lock();
        try {
            return isWaiting();
        } finally {
            lock.unlock();
        }
    }

    /** With the lock. */
    private boolean isWaiting() {
        return !queue.isEmpty() || roce.isPresent() && roce.get().ready();
    }

    /**
     * Waits for the next peer; empty if the time is over or the channel was closed.
     *
     * @param waitsOn whether a thread that was interrupted waits on; if not, the interrupt closes the channel
     */
    Optional<VerbenaSocketChannel> poll(long timeoutNs, BooleanSupplier waitsOn) throws IOException {
        long startNs = System.nanoTime();
        Optional<VerbenaSocketChannel> peer = poll();
        long leftNs = timeoutNs;
        while (peer.isEmpty() && !closed && leftNs > 0) {
            awaitArrival(leftNs, waitsOn);
            peer = poll(); // empty if the peer was withdrawn meanwhile
            leftNs = timeoutNs - (System.nanoTime() - startNs);
        }
        return closed ? Optional.empty() : peer;
    }

    private void awaitArrival(long leftNs, BooleanSupplier waitsOn) {
        lock.lock();
        try {
            long left = leftNs;
            while (!isWaiting() && !closed && left > 0) {
                left = arrived.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            boolean on = waitsOn.getAsBoolean();
            while (!on && !closed) {
                arrived.awaitUninterruptibly(); // the channel is being closed
            }
        } finally {
            lock.unlock();
        }
    }

    /** Frees the port. Peers that the program has not taken are disconnected. */
    void close() throws IOException {
        lock.lock();
        try {
            closed = true;
            arrived.signalAll();
        } finally {
            lock.unlock();
        }
        announced.close();
        roce.ifPresent(StreamListener::close); // before the TCP port is free for another process
        CountDownLatch free = new CountDownLatch(1);
        jdk.close();
        thread.execute(() -> {
            left().forEach(Arrival::reset);
            SelectionKey key = accepting;
            if (key != null) {
                thread.forget(key, free::countDown); // the system closes the socket when no selector has it
            } else {
                free.countDown();
            }
        });
        await(free);
    }

    private List<Arrival> left() {
        lock.lock();
        try {
            return List.copyOf(present);
        } finally {
            lock.unlock();
        }
    }

    private static void await(CountDownLatch free) {
        try {
            free.await(MOST_CLOSE_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
