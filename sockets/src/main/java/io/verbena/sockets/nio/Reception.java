package io.verbena.sockets.nio;

import io.verbena.sockets.stream.StreamListener;
import io.verbena.sockets.stream.StreamSocket;
import io.verbena.verbs.AnnouncedAddress;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Receives the peers of a listening channel: a virtual thread accepts them, and one for each peer reads its first bytes. A
 * peer that asks for RDMA, by a request or an offer of shared memory, is handed to the program when its stream is established; any other one with its first bytes; a
 * silent one, or one with half a request, after a short time. With the provider {@code roce}, peers by TCP are plain, and the
 * RNIC listens at the same port.
 *
 * <p><b>Places.</b> A peer has a place from accepting until the program takes it. When all places are taken, peers wait in
 * the queue of the kernel. A peer that asks for RDMA gives up its place while its stream is set up, and a second limit counts
 * it instead, so peers that never finish the set-up do not delay others.
 */
final class Reception {

    private static final int DEFAULT_BACKLOG = 50;
    private static final int MOST_PLACES = 4096;
    private static final int MOST_CONVERSIONS = 256;
    private static final long MOST_JOIN_MS = 1_000;
    private static final int SLICE_MS = 10;
    private static final long PAUSE_NS = 10_000_000;

    private final VerbenaSelectorProvider provider;
    private final Networks networks;
    private final ServerSocketChannel jdk;
    private final Runnable onArrival;
    private final Semaphore places;
    private final Semaphore conversions = new Semaphore(MOST_CONVERSIONS);
    private final AnnouncedAddress announced;
    private final Optional<StreamListener> roce;
    private final Thread acceptor;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final Queue<Arrival> queue = new ArrayDeque<>();
    private volatile boolean closed;

    private record Arrival(VerbenaSocketChannel channel, boolean hasPlace, ReentrantLock watch) {
        Arrival(VerbenaSocketChannel channel, boolean hasPlace) {
            this(channel, hasPlace, new ReentrantLock(true));
        }
    }

    Reception(
            VerbenaSelectorProvider provider,
            Networks networks,
            ServerSocketChannel jdk,
            int backlog,
            Runnable onArrival)
            throws IOException {
        this.provider = provider;
        this.networks = networks;
        this.jdk = jdk;
        this.onArrival = onArrival;
        places = new Semaphore(Math.min(backlog < 1 ? DEFAULT_BACKLOG : backlog, MOST_PLACES));
        announced = networks.announce(jdk.getLocalAddress());
        roce = networks.listen(jdk.getLocalAddress(), MOST_CONVERSIONS);
        roce.ifPresent(listener -> listener.onReady(this::onStream));
        acceptor = Thread.ofVirtual().name("verbena-sockets-accept").start(this::acceptAll);
    }

    private void acceptAll() {
        while (!closed) {
            boolean accepted = false;
            try {
                places.acquire();
                SocketChannel peer = jdk.accept();
                accepted = true;
                Thread.ofVirtual().name("verbena-sockets-receive").start(() -> receive(peer));
            } catch (InterruptedException e) {
                return; // close() interrupts
            } catch (IOException e) {
                // No descriptor is left, or the peer has left: others may come. A closed channel ends the loop.
                if (!closed) {
                    LockSupport.parkNanos(PAUSE_NS);
                }
            } finally {
                if (!accepted) {
                    places.release();
                }
            }
        }
    }

    private void receive(SocketChannel peer) {
        PlainCarrier plain = networks.options().overRoce() ? PlainCarrier.of(peer) : PlainCarrier.undecided(peer);
        try {
            peer.configureBlocking(true);
            readFirst(plain);
        } catch (IOException _) {
            plain.decidePlain(); // the program reads the error
        }
        try {
            VerbenaSocketChannel channel = VerbenaSocketChannel.accepted(provider, networks, plain);
            if (plain.decision() == PlainCarrier.Decision.RDMA) {
                places.release();
                convert(channel, plain);
            } else {
                Arrival arrival = new Arrival(channel, true);
                arrive(arrival);
                watch(arrival, plain);
            }
        } catch (IOException | RuntimeException e) {
            close(peer);
        }
    }

    private void readFirst(PlainCarrier plain) throws IOException {
        long silenceNs = networks.options().silence().toNanos();
        long startNs = System.nanoTime();
        try {
            while (plain.decision() == PlainCarrier.Decision.UNDECIDED) {
                long leftMs = (silenceNs - (System.nanoTime() - startNs)) / 1_000_000;
                if (leftMs <= 0) {
                    return;
                }
                plain.jdk().socket().setSoTimeout((int) leftMs);
                plain.readFirstWithin();
            }
        } catch (SocketTimeoutException _) {
            return; // a silent peer is handed over undecided
        } finally {
            plain.jdk().socket().setSoTimeout(0);
        }
    }

    /**
     * A silent peer may ask for RDMA before the program takes it: a program may wait for the connection before it accepts.
     * The lock of the arrival is held while bytes are read, so that the program and this thread never both read.
     */
    private void watch(Arrival arrival, PlainCarrier plain) throws IOException {
        boolean waits = true;
        while (waits && plain.decision() == PlainCarrier.Decision.UNDECIDED) {
            arrival.watch.lock();
            try {
                waits = waits(arrival);
                if (waits) {
                    readSlice(plain);
                }
            } finally {
                arrival.watch.unlock();
            }
        }
        if (plain.decision() == PlainCarrier.Decision.RDMA && withdraw(arrival)) {
            places.release();
            convert(arrival.channel, plain);
        }
    }

    private static void readSlice(PlainCarrier plain) {
        try {
            plain.jdk().socket().setSoTimeout(SLICE_MS);
            plain.readFirstWithin();
        } catch (SocketTimeoutException _) {
            return; // still silent
        } catch (IOException _) {
            plain.decidePlain(); // the program reads the error
        } finally {
            SocketFailure.orNull(() -> {
                plain.jdk().socket().setSoTimeout(0);
                return "";
            });
        }
    }

    private boolean waits(Arrival arrival) {
        lock.lock();
        try {
            return !closed && queue.contains(arrival);
        } finally {
            lock.unlock();
        }
    }

    private boolean withdraw(Arrival arrival) {
        lock.lock();
        try {
            return queue.remove(arrival);
        } finally {
            lock.unlock();
        }
    }

    private void convert(VerbenaSocketChannel channel, PlainCarrier plain) throws IOException {
        if (!conversions.tryAcquire()) {
            close(plain.jdk());
            return;
        }
        try {
            StreamSocket stream = channel.convert(plain);
            Duration patience = networks.options().streams().answerTimeout();
            if (stream.awaitReady(StreamSocket.CONNECTED, patience.toNanos()) && stream.finishConnect()) {
                arrive(new Arrival(channel, false));
            } else {
                channel.close();
            }
        } catch (IOException e) {
            channel.close();
        } finally {
            conversions.release();
        }
    }

    private static void close(SocketChannel peer) {
        try {
            peer.close();
        } catch (IOException _) {
            return; // it is closed whatever the system reports
        }
    }

    private void arrive(Arrival arrival) throws IOException {
        boolean late;
        lock.lock();
        try {
            late = closed;
            if (!late) {
                queue.add(arrival);
                arrived.signal();
            }
        } finally {
            lock.unlock();
        }
        if (late) {
            arrival.channel.close();
        } else {
            onArrival.run();
        }
    }

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

    /** The next peer, if one has arrived. */
    Optional<VerbenaSocketChannel> poll() throws IOException {
        Arrival next;
        lock.lock();
        try {
            next = queue.poll();
        } finally {
            lock.unlock();
        }
        if (next == null) {
            Optional<StreamSocket> stream = roce.flatMap(StreamListener::accept);
            return stream.isPresent() ? Optional.of(channel(stream.get())) : Optional.empty();
        }
        next.watch.lock(); // the thread that watches it stops reading
        next.watch.unlock();
        next.channel.onInnerForgotten(); // it may have read a request in that time
        if (next.hasPlace) {
            places.release();
        }
        return Optional.of(next.channel);
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

    /** Waits for the next peer; empty if the time is over or the channel was closed. */
    Optional<VerbenaSocketChannel> poll(long timeoutNs) throws IOException {
        long startNs = System.nanoTime();
        Optional<VerbenaSocketChannel> peer = poll();
        long leftNs = timeoutNs;
        while (peer.isEmpty() && !closed && leftNs > 0) {
            awaitArrival(leftNs);
            peer = poll(); // empty if the peer was withdrawn meanwhile
            leftNs = timeoutNs - (System.nanoTime() - startNs);
        }
        return closed ? Optional.empty() : peer;
    }

    /** An interrupt closes the channel, which ends the wait. */
    private void awaitArrival(long leftNs) {
        lock.lock();
        try {
            long left = leftNs;
            while (!isWaiting() && !closed && left > 0) {
                left = arrived.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            while (!closed) {
                arrived.awaitUninterruptibly(); // the channel is being closed
            }
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    private void awaitAcceptor() {
        boolean interrupted = Thread.interrupted();
        try {
            acceptor.join(MOST_JOIN_MS);
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
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
        jdk.close();
        acceptor.interrupt();
        awaitAcceptor(); // the JDK frees the port when the thread has left accept()
        for (Optional<VerbenaSocketChannel> left = poll(); left.isPresent(); left = poll()) {
            left.get().close();
        }
    }
}
