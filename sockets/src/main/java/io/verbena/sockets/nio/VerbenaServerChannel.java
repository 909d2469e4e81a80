package io.verbena.sockets.nio;

import io.verbena.sockets.nio.select.ChannelKeys;
import io.verbena.sockets.nio.select.Keyed;
import io.verbena.sockets.nio.select.RankedLock;
import io.verbena.verbs.AnnouncedAddress;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A listening channel for plain peers and peers that ask for RDMA, at one port of a channel of the JDK. */
final class VerbenaServerChannel extends ServerSocketChannel implements Keyed {

    private final VerbenaSelectorProvider provider;
    private final Networks networks;
    private final ServerSocketChannel jdk;
    private final ChannelKeys keys = new ChannelKeys();
    private final RankedLock acceptLock = new RankedLock(RankedLock.Rank.ACCEPTING);
    private final Object stateLock = new Object();
    private volatile @Nullable Reception reception;
    private volatile @Nullable SocketAddress address;
    private @Nullable ChannelServerSocket socket;
    private volatile boolean uninterruptible;

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
            // First, because a client may connect as soon as the port listens. A second bind changes nothing.
            networks.prepare();
            Optional<AnnouncedAddress> early = reception == null ? networks.announceEarly(local) : Optional.empty();
            boolean complete = false;
            try {
                jdk.bind(local, Reception.ofKernel(backlog));
                address = jdk.getLocalAddress();
                reception = new Reception(provider, networks, jdk, backlog, keys::signal, early);
                complete = true;
            } finally {
                if (!complete) {
                    early.ifPresent(AnnouncedAddress::close);
                }
            }
        }
        return this;
    }

    /** An interrupt of a platform thread neither ends a wait nor closes the channel; see {@link UninterruptibleChannels}. */
    void ignoreInterrupts() throws IOException {
        uninterruptible = true;
        UninterruptibleChannels.ignoreInterrupts(this);
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

    /** Accepts as a server socket does, at most for a time. The channel must be blocking. */
    SocketChannel acceptWithin(int timeoutMs) throws IOException {
        acceptLock.lock();
        try {
            if (!isBlocking()) {
                throw new IllegalBlockingModeException();
            }
            return accept(bound(), timeoutMs * 1_000_000L)
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
            peer = bound.poll(timeoutNs, this::waitsOn).map(VerbenaSocketChannel::onAccepted);
        } finally {
            end(peer.isPresent());
        }
        if (uninterruptible && peer.isPresent()) {
            peer.get().ignoreInterrupts();
        }
        return peer;
    }

    /** The waiting thread was interrupted. Returns false if the channel is being closed for that reason. */
    private boolean waitsOn() {
        return uninterruptible && UninterruptibleChannels.clearStatus();
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
        assert RankedLock.allows(RankedLock.Rank.CLOSING);
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
        assert RankedLock.allows(RankedLock.Rank.REGISTERING);
        acceptLock.lock(); // as the JDK does, after a blocking accept
        acceptLock.unlock();
    }

    @Override
    public ServerSocket socket() {
        synchronized (stateLock) { // a program may have the monitor of the channel
            ChannelServerSocket currentSocket = socket;
            if (currentSocket == null) {
                currentSocket = ChannelServerSocket.of(this);
                socket = currentSocket;
            }
            return currentSocket;
        }
    }

    @Override
    public @Nullable SocketAddress getLocalAddress() throws IOException {
        check();
        return address;
    }

    /** The address of a channel that may be closed. */
    @Nullable
    SocketAddress localAddress() {
        return address;
    }

    @Override
    public <T> ServerSocketChannel setOption(SocketOption<T> name, T value) throws IOException {
        ChannelOptions.check(supportedOptions(), name, value);
        check();
        jdk.setOption(name, value);
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        ChannelOptions.check(supportedOptions(), name);
        check();
        return jdk.getOption(name);
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return jdk.supportedOptions();
    }

    /** The same text as for a channel of the JDK: programs read it. */
    @Override
    public String toString() {
        return jdk.toString();
    }
}
