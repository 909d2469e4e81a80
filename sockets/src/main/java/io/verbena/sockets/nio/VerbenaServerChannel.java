package io.verbena.sockets.nio;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A listening channel for plain peers and peers that ask for RDMA, at one port of a channel of the JDK. */
final class VerbenaServerChannel extends ServerSocketChannel implements Keyed {

    private final VerbenaSelectorProvider provider;
    private final Networks networks;
    private final ServerSocketChannel jdk;
    private final ChannelKeys keys = new ChannelKeys();
    private final ReentrantLock acceptLock = new ReentrantLock();
    private final Object stateLock = new Object();
    private volatile @Nullable Reception reception;
    private @Nullable ChannelServerSocket socket;

    VerbenaServerChannel(VerbenaSelectorProvider provider, Networks networks, ServerSocketChannel jdk) {
        super(provider);
        this.provider = provider;
        this.networks = networks;
        this.jdk = jdk;
    }

    @Override
    public ServerSocketChannel bind(@Nullable SocketAddress local, int backlog) throws IOException {
        synchronized (stateLock) {
            check();
            jdk.bind(local, backlog);
            reception = new Reception(provider, networks, jdk, backlog, keys::signal);
        }
        return this;
    }

    private void check() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
    }

    @Override
    public @Nullable SocketChannel accept() throws IOException {
        acceptLock.lock();
        try {
            Reception bound = bound();
            if (!isBlocking()) {
                return bound.poll().map(VerbenaSocketChannel::onAccepted).orElse(null);
            }
            Optional<VerbenaSocketChannel> peer = accept(bound, Long.MAX_VALUE);
            return peer.orElseThrow(ClosedChannelException::new);
        } finally {
            acceptLock.unlock();
        }
    }

    /** Accepts as a server socket does; 0 is indefinitely. The channel is blocking. */
    SocketChannel acceptWithin(int timeoutMs) throws IOException {
        acceptLock.lock();
        try {
            return accept(bound(), timeoutMs == 0 ? Long.MAX_VALUE : timeoutMs * 1_000_000L)
                    .orElseThrow(() -> new SocketTimeoutException("Accept timed out"));
        } finally {
            acceptLock.unlock();
        }
    }

    private Reception bound() throws ClosedChannelException {
        check();
        Reception bound = reception;
        if (bound == null) {
            throw new NotYetBoundException();
        }
        return bound;
    }

    private Optional<VerbenaSocketChannel> accept(Reception bound, long timeoutNs) throws IOException {
        Optional<VerbenaSocketChannel> peer = Optional.empty();
        try {
            begin();
            peer = bound.poll(timeoutNs).map(VerbenaSocketChannel::onAccepted);
        } finally {
            end(peer.isPresent());
        }
        return peer;
    }

    @Override
    public ChannelKeys keys() {
        return keys;
    }

    @Override
    public int readyNow() {
        Reception bound = reception;
        return bound != null && bound.ready() ? SelectionKey.OP_ACCEPT : 0;
    }

    @Override
    public Optional<SelectableChannel> innerChannel() {
        return Optional.empty();
    }

    @Override
    public int onInnerReady(int ops) {
        return ops;
    }

    @Override
    public void onInnerForgotten() {}

    @Override
    protected void implCloseSelectableChannel() throws IOException {
        Reception bound;
        synchronized (stateLock) {
            bound = reception;
        }
        if (bound != null) {
            bound.close();
        } else {
            jdk.close();
        }
        keys.signal();
    }

    /** The channel of the JDK stays blocking for the thread that accepts. */
    @Override
    protected void implConfigureBlocking(boolean block) {
        acceptLock.lock(); // as the JDK does, after a blocking accept
        acceptLock.unlock();
    }

    @Override
    public synchronized ServerSocket socket() {
        ChannelServerSocket currentSocket = socket;
        if (currentSocket == null) {
            currentSocket = ChannelServerSocket.of(this);
            socket = currentSocket;
        }
        return currentSocket;
    }

    @Override
    public @Nullable SocketAddress getLocalAddress() throws IOException {
        check();
        return jdk.getLocalAddress();
    }

    @Override
    public <T> ServerSocketChannel setOption(SocketOption<T> name, T value) throws IOException {
        Objects.requireNonNull(name);
        check();
        jdk.setOption(name, value);
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        Objects.requireNonNull(name);
        check();
        return jdk.getOption(name);
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return jdk.supportedOptions();
    }

    /** One line for people. */
    @Override
    public String toString() {
        return "ServerSocketChannel[" + jdk + "]";
    }
}
