package io.verbena.sockets.nio;

import io.verbena.sockets.stream.StreamNetwork;
import io.verbena.sockets.stream.StreamSocket;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Connects a channel by RDMA, in a virtual thread: by an offer of shared memory, by RoCE, or by TCP first and then the
 * conversion of the TCP stream. If the peer answers the request by something else, by closing, or not within the time limit, it
 * does not speak RDMA; then the attempt connects again by TCP alone.
 *
 * <p>RoCE is not tried at the same time as TCP: a program that accepts both would see a second connection, which ends at once.
 */
final class ConnectAttempt implements Runnable {

    private final Networks networks;
    private final ChannelOptions options;
    private final InetSocketAddress remote;
    private final Networks.Approach approach;
    private final Runnable onDone;
    private final Optional<SocketAddress> bound;
    private SocketChannel tcp;
    private @Nullable StreamSocket stream;
    private boolean cancelled;
    private volatile @Nullable Thread waiting;

    private volatile @Nullable Carrier carrier;
    private volatile @Nullable IOException failure;

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
    }

    @Override
    public void run() {
        try {
            carrier = connect();
        } catch (IOException e) {
            failure = e;
        } catch (RuntimeException e) {
            failure = new IOException("The connection to " + remote + " by RDMA failed: " + e.getMessage(), e);
        }
        LockSupport.unpark(waiting);
        onDone.run();
    }

    private Carrier connect() throws IOException {
        return switch (approach) {
            case ROCE -> connectRoce();
            case MEMORY -> finish(offer(networks.streams()));
            case CONVERSION -> finish(convert(networks.streams()));
            case PLAIN -> plain();
        };
    }

    /** By TCP if the RNIC cannot be opened or does not reach the peer. */
    private Carrier connectRoce() throws IOException {
        Optional<StreamNetwork> streams = networks.roce().towards(remote.getAddress(), bound);
        return streams.isPresent() ? finish(dial(streams.get())) : plain();
    }

    private Carrier finish(StreamSocket socket) throws IOException {
        socket.awaitReady(StreamSocket.CONNECTED, Long.MAX_VALUE);
        try {
            socket.finishConnect();
            return StreamCarrier.of(socket, approach == Networks.Approach.ROCE ? Optional.of(tcp) : Optional.empty());
        } catch (ConnectException | SocketTimeoutException e) {
            socket.abort();
            networks.rememberPlain(remote);
            return plain();
        } catch (IOException e) {
            socket.abort();
            throw e;
        }
    }

    /** The RNIC connects by itself. The channel of the JDK gives up the address to which the program has bound it. */
    private synchronized StreamSocket offer(StreamNetwork streams) throws IOException {
        checkCancelled();
        options.onRdma();
        tcp.close();
        StreamSocket socket = streams.startConnect(remote, bound);
        stream = socket;
        return socket;
    }

    /**
     * The channel of the JDK keeps the TCP port of this side, so that no other connection of this host has the address:
     * programs identify a peer by that.
     */
    private synchronized StreamSocket dial(StreamNetwork streams) throws IOException {
        checkCancelled();
        if (bound.isEmpty()) {
            tcp.bind(null);
        }
        Optional<SocketAddress> local = Optional.ofNullable(tcp.getLocalAddress());
        options.onRdma();
        StreamSocket socket = streams.startConnect(remote, local);
        stream = socket;
        return socket;
    }

    private StreamSocket convert(StreamNetwork streams) throws IOException {
        SocketChannel first = tcp;
        first.configureBlocking(true);
        first.connect(remote);
        options.onRdma();
        return begin(streams, first);
    }

    private synchronized StreamSocket begin(StreamNetwork streams, SocketChannel connected) throws IOException {
        checkCancelled();
        StreamSocket socket = streams.startConversion(connected);
        stream = socket;
        return socket;
    }

    private Carrier plain() throws IOException {
        SocketChannel again = replace();
        if (bound.isPresent()) {
            again.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            again.bind(bound.get());
        }
        again.connect(remote);
        return PlainCarrier.of(again);
    }

    private synchronized SocketChannel replace() throws IOException {
        checkCancelled();
        if (approach == Networks.Approach.ROCE) {
            tcp.close(); // a stream that was converted belongs to its RNIC
        }
        SocketChannel again = networks.jdk().openSocketChannel();
        options.moveTo(again);
        tcp = again;
        return again;
    }

    private void checkCancelled() throws IOException {
        if (cancelled) {
            throw new AsynchronousCloseException();
        }
    }

    /** Ends the attempt. */
    synchronized void cancel() throws IOException {
        cancelled = true;
        StreamSocket begun = stream;
        if (begun != null) {
            begun.abort();
        }
        tcp.close();
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
