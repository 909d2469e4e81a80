package io.verbena.sockets.nio;

import io.verbena.sockets.nio.opening.ClientOpening;
import io.verbena.sockets.nio.opening.FirstBytes;
import io.verbena.sockets.nio.opening.Peers;
import io.verbena.sockets.nio.opening.PlainConnect;
import io.verbena.sockets.nio.opening.SetUpThread;
import io.verbena.sockets.nio.opening.SocketFailure;
import io.verbena.sockets.ring.channel.RingSocket;
import io.verbena.sockets.stream.StreamNetwork;
import io.verbena.sockets.stream.StreamSocket;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Connects a channel whose peer may use RDMA: by TCP, and the stream is upgraded if the peer agrees ({@link ClientOpening}), or by RoCE ({@link
 * RoceAttempt}). The steps run in the {@link SetUpThread}.
 *
 * <p>A connection that the peer does not upgrade remains the one that it is, if the peer is known to be a Verbena. What is not known to be one
 * may be a program that takes the upgrade for a message: then the attempt connects once more by TCP alone. A peer that
 * answers something else is asked by a connection of its own ({@link Probe}) which of the two it is.
 *
 * <p>Over 500 lines: the steps of the three ways share their ends.
 */
final class ConnectAttempt {

    private final Networks networks;
    private final ChannelOptions options;
    private final InetSocketAddress remote;
    private final Networks.Approach approach;
    private final Runnable onDone;
    private final Optional<SocketAddress> bound;
    private final SetUpThread thread;
    private final ClientOpening opening =
            new ClientOpening(ThreadLocalRandom.current().nextLong());

    // Guarded by this.
    private SocketChannel tcp;
    private @Nullable SocketChannel beside;
    private @Nullable StreamSocket stream;
    private boolean cancelled;
    private boolean ended;

    // Of the thread.
    private @Nullable SelectionKey key;
    private SetUpThread.@Nullable Timer patience;
    private @Nullable PlainConnect plain;
    private volatile String why = "";
    private boolean probed;

    /** Whether the peer has been silent for so long that an end of the attempt shows something. */
    private volatile boolean overdue;

    private Probe.@Nullable Outcome probe;

    private volatile @Nullable Thread waiting;
    private volatile @Nullable Carrier carrier;
    private volatile @Nullable IOException failure;

    private final Optional<RoceAttempt> roce;

    /** What may fail. */
    interface Step {
        void run() throws IOException;
    }

    /** Connects in a way that is not {@link Networks.Approach#PLAIN}. */
    ConnectAttempt(
            Networks networks,
            ChannelOptions options,
            SocketChannel tcp,
            InetSocketAddress remote,
            Networks.Approach approach,
            Runnable onDone)
            throws IOException {
        this.networks = networks;
        this.options = options;
        this.tcp = tcp;
        this.remote = remote;
        this.approach = approach;
        this.onDone = onDone;
        bound = Optional.ofNullable(tcp.getLocalAddress());
        thread = networks.setUp();
        roce = approach == Networks.Approach.ROCE
                ? Optional.of(new RoceAttempt(this, networks, remote))
                : Optional.empty();
    }

    /** Begins, and returns at once. */
    void begin() {
        if (roce.isPresent()) {
            thread.work(() -> attempt(roce.get()::begin));
        } else if (approach == Networks.Approach.MEMORY && foreign()) {
            thread.work(() -> attempt(this::offer));
        } else {
            attempt(() -> connect(current()));
            if (approach != Networks.Approach.MEMORY || !networks.options().rings()) {
                thread.work(networks::streams); // the RNIC is opened while the peer answers
            }
        }
    }

    private boolean foreign() {
        return networks.peers().of(remote) == Peers.Kind.FOREIGN;
    }

    void attempt(Step step) {
        try {
            step.run();
        } catch (IOException e) {
            fail(e);
        } catch (RuntimeException | Error e) { // this thread is that of all connections
            fail(new IOException("The connection to " + remote + " failed: " + e.getMessage(), e));
        }
    }

    // By TCP.

    private void connect(SocketChannel channel) throws IOException {
        channel.configureBlocking(false);
        ByteBuffer upgrade = ByteBuffer.wrap(opening.upgrade()); // before: a peer takes one that is silent for plain
        boolean connected = channel.connect(remote) || channel.finishConnect(); // within one host it is already
        if (connected && asks()) {
            channel.write(upgrade); // in the first flight
        }
        thread.execute(() -> attempt(() -> watch(channel, connected)));
    }

    /** Whether an upgrade is sent; a program over librdmacm gets its request at once. */
    private boolean asks() {
        return !foreign();
    }

    private void watch(SocketChannel channel, boolean connected) throws IOException {
        checkCancelled();
        key = thread.watch(channel, connected ? SelectionKey.OP_READ : SelectionKey.OP_CONNECT, this::onReady);
        if (connected) {
            onConnected();
        }
    }

    private void onReady(SelectionKey ready) {
        attempt(() -> {
            if (ready.isConnectable()) {
                SocketChannel channel = current();
                channel.finishConnect();
                ready.interestOps(SelectionKey.OP_READ);
                if (asks()) {
                    channel.write(ByteBuffer.wrap(opening.upgrade()));
                }
                onConnected();
            } else {
                onReadable();
            }
        });
    }

    private void onConnected() {
        if (foreign()) {
            leave(this::beginUpgrade);
        } else {
            patience = thread.afterPatience(halfPatienceNs(), () -> attempt(this::onHalfPatience));
        }
    }

    private void onReadable() throws IOException {
        ByteBuffer more = ByteBuffer.allocate(FirstBytes.MOST);
        try {
            if (current().read(more) < 0) {
                throw new EOFException("end of the stream");
            }
        } catch (IOException e) {
            reconnect("the connection ended before the peer had answered: " + e.getMessage());
            return;
        }
        opening.onBytes(more.flip());
        switch (opening.state()) {
            case AGREED -> {
                networks.peers().verbena(remote);
                leave(this::beginUpgrade);
            }
            case DECLINED -> {
                networks.peers().verbena(remote);
                withdraw("its program had accepted the connection before it was asked for RDMA");
            }
            case FOREIGN -> {
                networks.peers().foreign(remote);
                again();
            }
            case ANSWERED -> onAnswered();
            default -> {}
        }
    }

    /**
     * Whether the connection is kept. If nothing listens at the address any more, another connection is impossible: then the peer is a server that
     * has accepted all that it wants.
     */
    private boolean isVerbena() {
        return networks.peers().of(remote) == Peers.Kind.VERBENA || probe == Probe.Outcome.REFUSED;
    }

    private void onAnswered() throws IOException {
        if (isVerbena()) {
            withdraw("its program sent bytes before it was asked for RDMA");
            return;
        }
        if (probe == Probe.Outcome.SILENT) {
            reconnect("it speaks another protocol");
            return;
        }
        key().interestOps(0);
        probe();
    }

    private long halfPatienceNs() {
        return networks.options().patience().toNanos() / 2;
    }

    private void onHalfPatience() {
        overdue = true;
        Duration most = mostPatience();
        patience = thread.afterPatience(most.toNanos() - halfPatienceNs(), () -> attempt(() -> onPatience(most)));
        if (networks.peers().of(remote) != Peers.Kind.VERBENA) {
            probe();
        }
    }

    private Duration mostPatience() {
        return networks.peers().patience(remote, networks.options().patience());
    }

    private void probe() {
        if (!probed) {
            probed = true;
            new Probe(networks, remote, this::onProbed).begin();
        }
    }

    private void onProbed(Probe.Outcome outcome) {
        attempt(() -> {
            checkCancelled();
            if (key == null) {
                return; // it was decided meanwhile
            }
            probe = outcome;
            switch (outcome) {
                case VERBENA -> networks.peers().verbena(remote);
                case PLAIN -> networks.peers().plain(remote);
                case REFUSED, SILENT -> {}
            }
            if (outcome == Probe.Outcome.PLAIN) {
                reconnect("it speaks another protocol");
            } else if (opening.state() == ClientOpening.State.ANSWERED) {
                onAnswered();
            }
        });
    }

    private void onPatience(Duration waited) throws IOException {
        String why = "it did not answer within " + waited.toMillis() + " ms whether it uses RDMA";
        networks.peers().silent(remote);
        if (isVerbena()) {
            withdraw(why);
        } else {
            reconnect(why);
        }
    }

    /** The connection remains, by TCP. */
    private void withdraw(String reason) throws IOException {
        explain(reason);
        SocketChannel channel = current();
        channel.write(ByteBuffer.wrap(opening.withdraw()));
        leave(() -> done(PlainCarrier.withdrawn(channel, opening)));
    }

    void explain(String reason) {
        why = reason.replaceFirst("[.]+$", "");
        networks.peers().explain(remote, reason);
    }

    /** Another connection, by TCP alone. */
    void reconnect(String reason) {
        explain(reason);
        leave(() -> attempt(() -> connectPlainly(replace())));
    }

    private void again() {
        leave(() -> attempt(() -> connect(replace())));
    }

    private void connectPlainly(SocketChannel channel) {
        plain = new PlainConnect(thread, channel, new PlainConnect.Outcome() {
            @Override
            public void onConnected() {
                done(PlainCarrier.of(channel));
            }

            @Override
            public void onFailed(IOException e) {
                fail(e);
            }
        });
        plain.begin(remote);
    }

    /** Ends the watch. {@code then} runs when no selector has the channel. */
    private void leave(Runnable then) {
        stopWaiting();
        SelectionKey watched = key;
        key = null;
        if (watched != null) {
            thread.forget(watched, then);
        } else {
            then.run();
        }
    }

    private SelectionKey key() {
        SelectionKey watched = key;
        if (watched == null) {
            throw new IllegalStateException("the channel is not watched");
        }
        return watched;
    }

    private void stopWaiting() {
        SetUpThread.Timer timer = patience;
        patience = null;
        if (timer != null) {
            timer.cancel();
        }
    }

    // By RDMA, in a thread that may take a while.

    private void beginUpgrade() {
        thread.work(() -> attempt(this::upgrade));
    }

    private void upgrade() throws IOException {
        if (approach == Networks.Approach.MEMORY
                && opening.rings()
                && networks.hostMemory().isPresent()) {
            offerRings();
        } else {
            upgradeToStream();
        }
    }

    private void offerRings() throws IOException {
        SocketChannel channel = current();
        options.onRdma();
        try {
            RingAttempt.begin(networks, channel, new RingAttempt.Outcome() {
                @Override
                public void onRings(RingSocket socket) {
                    attempt(() -> onOpened(socket, channel));
                }

                @Override
                public void onRefused() {
                    thread.work(() -> attempt(ConnectAttempt.this::upgradeToStream));
                }

                @Override
                public void onFailed(IOException e) {
                    attempt(() -> reconnect(String.valueOf(e.getMessage())));
                }
            });
        } catch (IOException _) {
            upgradeToStream(); // this process has no memory to offer
        }
    }

    private void onOpened(RingSocket socket, SocketChannel channel) throws IOException {
        try {
            done(new RingCarrier(socket, channel.getLocalAddress(), remote));
        } catch (IOException e) {
            socket.abort();
            throw e;
        }
    }

    private void upgradeToStream() throws IOException {
        StreamNetwork streams = networks.streams();
        options.onRdma();
        synchronized (this) {
            checkCancelled();
            begun(streams.startConversion(
                    tcp,
                    approach == Networks.Approach.MEMORY,
                    networks.options().others(remote)));
        }
    }

    /** The RNIC connects by itself. The channel of the JDK gives up the address to which the program has bound it. */
    private void offer() throws IOException {
        StreamNetwork streams = networks.streams();
        options.onRdma();
        synchronized (this) {
            checkCancelled();
            tcp.close();
            begun(streams.startConnect(remote, bound));
        }
    }

    /**
     * By RoCE. The channel of the JDK keeps the TCP port of this side, so that no other connection of this host has the address: programs
     * identify a peer by that.
     */
    synchronized void dial(StreamNetwork streams, Duration timeout) throws IOException {
        checkCancelled();
        if (bound.isEmpty()) {
            tcp.bind(null);
        }
        options.onRdma();
        begun(streams.startConnect(remote, Optional.ofNullable(tcp.getLocalAddress()), timeout));
    }

    /** Holds the stream. Returns false if it is established, or the attempt has ended. */
    synchronized boolean holdStream() {
        StreamSocket begun = stream;
        return begun != null && !done() && begun.hold();
    }

    /** Whether the peer has accepted the stream. */
    synchronized boolean streamEstablished() {
        StreamSocket begun = stream;
        return begun != null && begun.connected();
    }

    /** Continues with the stream. Returns false if there is none any more. */
    boolean resumeStream() {
        StreamSocket begun;
        synchronized (this) {
            begun = stream;
        }
        if (begun != null) {
            begun.resume();
        }
        return begun != null;
    }

    /** Gives up a stream that is held. */
    void dropStream() {
        takeStream().ifPresent(StreamSocket::discard);
    }

    private synchronized void begun(StreamSocket socket) {
        stream = socket;
        socket.onReady(() -> thread.execute(() -> attempt(() -> onStream(socket))));
        thread.execute(() -> attempt(() -> onStream(socket)));
    }

    @SuppressWarnings("ReferenceEquality") // the stream of another attempt has no other equality
    private void onStream(StreamSocket socket) throws IOException {
        synchronized (this) {
            if (stream != socket || done()) {
                return;
            }
        }
        try {
            if (!socket.finishConnect() || done()) { // asking may signal, and then this has run within itself
                return;
            }
        } catch (ConnectException | SocketTimeoutException e) {
            abortStream();
            onRefused(String.valueOf(e.getMessage()));
            return;
        } catch (IOException e) {
            abortStream();
            throw e;
        }
        stopWaiting();
        done(StreamCarrier.of(socket, approach == Networks.Approach.ROCE ? Optional.of(current()) : Optional.empty()));
    }

    private void onRefused(String reason) {
        if (roce.isPresent()) {
            roce.get().onRefused(reason);
        } else {
            reconnect(reason);
        }
    }

    private void abortStream() {
        takeStream().ifPresent(StreamSocket::abort);
    }

    private synchronized Optional<StreamSocket> takeStream() {
        Optional<StreamSocket> begun = Optional.ofNullable(stream);
        stream = null;
        return begun;
    }

    // The channel, and the end.

    private synchronized SocketChannel current() {
        return tcp;
    }

    /** A new channel in the place of the one that was connected. */
    private synchronized SocketChannel replace() throws IOException {
        checkCancelled();
        tcp.close(); // one that was converted belongs to its RNIC
        openBeside();
        return useBeside();
    }

    /** A new channel, which the other one does not make way for yet. */
    synchronized SocketChannel openBeside() throws IOException {
        checkCancelled();
        SocketChannel other = networks.jdk().openSocketChannel();
        beside = other;
        options.copyTo(other);
        if (bound.isPresent()) {
            if (tcp.isOpen()) {
                tcp.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            }
            other.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            other.bind(bound.get());
        }
        return other;
    }

    /** The new channel takes the place of the other one. */
    synchronized SocketChannel useBeside() throws IOException {
        checkCancelled();
        SocketChannel other = Objects.requireNonNull(beside, "no channel was opened");
        tcp.close();
        options.moveTo(other);
        tcp = other;
        beside = null;
        return other;
    }

    private synchronized void checkCancelled() throws IOException {
        if (cancelled) {
            throw new AsynchronousCloseException();
        }
    }

    /** The channel has a carrier. That of an attempt which was cancelled meanwhile is closed. */
    void done(Carrier result) {
        if (ends() && !cancelled()) {
            carrier = result;
            LockSupport.unpark(waiting);
            onDone.run();
        } else {
            abort(result);
        }
    }

    private static void abort(Carrier result) {
        SocketFailure.orNull(() -> {
            result.close(true);
            return "";
        });
    }

    /** Whether the caller is the first one that has a result. */
    private synchronized boolean ends() {
        boolean first = !ended;
        ended = true;
        return first;
    }

    private synchronized boolean cancelled() {
        return cancelled;
    }

    void fail(IOException e) {
        if (!ends()) {
            return;
        }
        abortStream();
        if (e instanceof ConnectException) {
            networks.peers().forget(remote); // another program may have the port next
        }
        thread.execute(this::leaveAll);
        failure = cancelled() ? new AsynchronousCloseException() : e; // a step that found its channel closed says less
        LockSupport.unpark(waiting);
        onDone.run();
    }

    private void leaveAll() {
        leave(() -> {});
        roce.ifPresent(RoceAttempt::stop);
        PlainConnect begun = plain;
        if (begun != null) {
            begun.cancel();
        }
    }

    /** Ends the attempt. */
    void cancel() throws IOException {
        SocketChannel other;
        synchronized (this) {
            cancelled = true;
            other = beside;
        }
        if (overdue && !done()) {
            networks.peers().silent(remote); // a program with a shorter time limit than this one will try again
        }
        abortStream();
        current().close(); // the system closes it when no selector has it
        if (other != null) {
            other.close();
        }
        Carrier result = carrier;
        if (result != null) {
            abort(result); // no thread has taken it
        }
        fail(new AsynchronousCloseException());
    }

    /** The address to which the program has bound the channel. */
    Optional<SocketAddress> bound() {
        return bound;
    }

    boolean done() {
        return carrier != null || failure != null;
    }

    /**
     * Waits until the attempt has ended. One thread waits at a time.
     *
     * @return false if the timeout expired or the thread was interrupted
     */
    boolean await(long timeoutNs) {
        waiting = Thread.currentThread();
        long startNs = System.nanoTime();
        try {
            while (!done()) {
                long leftNs = timeoutNs - (System.nanoTime() - startNs);
                if (leftNs <= 0 || Thread.currentThread().isInterrupted()) {
                    return false;
                }
                LockSupport.parkNanos(this, leftNs);
            }
            return true;
        } finally {
            waiting = null;
        }
    }

    /** Why the connection is by TCP, if it is. */
    String why() {
        return why;
    }

    /** The carrier of an attempt that is {@link #done}. */
    Carrier result() throws IOException {
        IOException failed = failure;
        if (failed != null) {
            throw failed;
        }
        Carrier currentCarrier = carrier;
        if (currentCarrier == null) {
            throw new IllegalStateException("the attempt has not ended");
        }
        return currentCarrier;
    }
}
