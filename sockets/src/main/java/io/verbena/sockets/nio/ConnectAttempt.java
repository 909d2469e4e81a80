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
 * Connects a channel by RDMA, in a virtual thread: TCP first, then the conversion of the TCP stream. If the peer answers
 * the request by something else, by closing, or not within the time limit, it does not speak RDMA; then the attempt connects again by TCP alone.
 */
final class ConnectAttempt implements Runnable {

    private final Networks networks;
    private final ChannelOptions options;
    private final InetSocketAddress remote;
    private final Runnable onDone;
    private SocketChannel tcp;
    private @Nullable StreamSocket stream;
    private boolean cancelled;
    private volatile @Nullable Thread waiting;

    private volatile @Nullable Carrier carrier;
    private volatile @Nullable IOException failure;

    ConnectAttempt(
            Networks networks, ChannelOptions options, SocketChannel tcp, InetSocketAddress remote, Runnable onDone) {
        this.networks = networks;
        this.options = options;
        this.tcp = tcp;
        this.remote = remote;
        this.onDone = onDone;
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
        StreamNetwork streams = networks.streams(); // before connecting, so that the request follows at once
        SocketChannel first = tcp;
        Optional<SocketAddress> bound = Optional.ofNullable(first.getLocalAddress());
        first.configureBlocking(true);
        first.connect(remote);
        SocketAddress local = first.getLocalAddress();
        SocketAddress peer = first.getRemoteAddress();
        options.onRdma();
        StreamSocket socket = begin(streams, first);
        socket.awaitReady(StreamSocket.CONNECTED, Long.MAX_VALUE);
        try {
            socket.finishConnect();
            return new StreamCarrier(socket, local, peer);
        } catch (ConnectException | SocketTimeoutException e) {
            socket.abort();
            networks.rememberPlain(remote);
            return plain(bound);
        } catch (IOException e) {
            socket.abort();
            throw e;
        }
    }

    private synchronized StreamSocket begin(StreamNetwork streams, SocketChannel connected) throws IOException {
        checkCancelled();
        StreamSocket socket = streams.startConversion(connected);
        stream = socket;
        return socket;
    }

    private Carrier plain(Optional<SocketAddress> bound) throws IOException {
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
        Carrier made = carrier;
        if (made == null) {
            throw new IllegalStateException("the attempt has not ended");
        }
        return made;
    }
}
