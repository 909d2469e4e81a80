package io.verbena.host.socket;

import io.verbena.host.system.JdkFailure;
import io.verbena.host.system.Sentences;
import io.verbena.host.system.SystemChannels;
import io.verbena.port.StreamException;
import io.verbena.port.StreamLoop;
import io.verbena.text.AddressText;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.Optional;

/** A connection attempt. */
public final class SocketConnector {

    private final SocketLoop loop;
    private final Optional<SocketAddress> local;
    private final SocketAddress remote;
    private final StreamLoop.ConnectEvents events;
    private Optional<SocketChannel> dialling = Optional.empty();

    SocketConnector(
            SocketLoop loop, Optional<SocketAddress> local, SocketAddress remote, StreamLoop.ConnectEvents events) {
        this.loop = loop;
        this.local = local;
        this.remote = remote;
        this.events = events;
    }

    void start(Selector selector) {
        SocketChannel channel;
        try {
            channel = SystemChannels.provider().openSocketChannel();
        } catch (IOException e) {
            tell(remote, e, events); // no descriptor left
            return;
        }
        try {
            channel.configureBlocking(false);
            loop.size(channel);
            if (local.isPresent()) {
                channel.bind(local.get());
            }
            if (!channel.connect(remote)) {
                channel.register(selector, SelectionKey.OP_CONNECT, this);
                dialling = Optional.of(channel);
                loop.connecting(events, this::giveUp);
                return;
            }
        } catch (IOException | UnresolvedAddressException | UnsupportedAddressTypeException | SecurityException e) {
            failed(channel, e);
            return;
        }
        connected(channel);
    }

    /** The selector has reported the outcome. */
    void finish(SelectionKey key) {
        SocketChannel channel = (SocketChannel) key.channel();
        try {
            if (!channel.finishConnect()) {
                return;
            }
            loop.connected(events);
        } catch (IOException e) {
            failed(channel, e);
            return;
        }
        key.interestOps(0);
        loop.loosen(key);
        connected(channel);
    }

    private void connected(SocketChannel channel) {
        SocketStream stream;
        try {
            stream = new SocketStream(channel);
            if (stream.localAddress().equals(stream.remoteAddress())) {
                // TCP simultaneous open: the system chose the unused port of the destination, so the socket connected
                // to itself.
                throw new StreamException(StreamException.Reason.REFUSED, "Connection refused");
            }
        } catch (IOException e) {
            failed(channel, e);
            return;
        }
        events.onConnected(stream);
    }

    /** Cancels the attempt: the descriptor is released after the next select. */
    void giveUp() {
        dialling.ifPresent(channel -> {
            SelectionKey key = channel.keyFor(loop.selector());
            if (key != null) {
                key.attach(null);
            }
            try {
                channel.close();
            } catch (IOException e) {
                throw new UncheckedIOException("closing a socket failed", e);
            }
        });
    }

    private void failed(SocketChannel channel, Exception failure) {
        loop.connected(events);
        try {
            channel.close();
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
        tell(remote, failure instanceof IOException io ? JdkFailure.typed(io) : failure, events);
    }

    public static void tell(SocketAddress remote, Exception failure, StreamLoop.ConnectEvents events) {
        boolean refused = StreamException.is(failure, StreamException.Reason.REFUSED);
        events.onConnectFailed(
                refused,
                refused
                        ? "Nothing listens at " + AddressText.of(remote) + " (connection refused)."
                        : "Cannot connect to " + AddressText.of(remote) + ": " + Sentences.reason(failure));
    }
}
