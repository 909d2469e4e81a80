package io.verbena.sockets.proxy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;

/** A client whose target is not connected yet. The addresses of the target are tried one after the other. */
final class Attempt {

    private final SocketChannel client;
    private final InetAddress clientAddress;
    private final Queue<InetSocketAddress> left;
    private final int parts;
    private Optional<SocketChannel> target = Optional.empty();
    private InetSocketAddress tried;
    private long beganNs;
    private String reason = "";

    /**
     * An attempt that {@link #next} begins.
     *
     * @param addresses at least one
     */
    Attempt(SocketChannel client, InetAddress clientAddress, List<InetSocketAddress> addresses) {
        this.client = client;
        this.clientAddress = clientAddress;
        left = new ArrayDeque<>(addresses);
        parts = addresses.size();
        tried = addresses.getFirst();
    }

    SocketChannel client() {
        return client;
    }

    InetAddress clientAddress() {
        return clientAddress;
    }

    /** The address that is being tried. */
    InetSocketAddress tried() {
        return tried;
    }

    /** When the attempt at this address has begun. */
    long beganNs() {
        return beganNs;
    }

    /** The part of the limit that this address has. */
    long limitNs(long allNs) {
        return Math.max(1, allNs / parts);
    }

    /** Why the last address was not connected. */
    String reason() {
        return reason;
    }

    /**
     * Begins with the next address that does not fail at once.
     *
     * @return false if there is none
     */
    boolean next(SelectorProvider provider, Selector selector, long nowNs) {
        while (!left.isEmpty()) {
            tried = left.remove();
            beganNs = nowNs;
            closeTarget();
            try {
                SocketChannel channel = provider.openSocketChannel();
                target = Optional.of(channel);
                channel.configureBlocking(false);
                channel.connect(tried);
                channel.register(selector, SelectionKey.OP_CONNECT, this);
                return true;
            } catch (IOException e) {
                failed(e);
            }
        }
        closeTarget();
        return false;
    }

    /** The connected channel, if the target has answered. */
    Optional<SocketChannel> finish() throws IOException {
        SocketChannel channel = target.orElseThrow();
        if (!channel.finishConnect()) {
            return Optional.empty();
        }
        target = Optional.empty();
        return Optional.of(channel);
    }

    /** The address that is being tried has failed. */
    void failed(IOException e) {
        reason =
                "cannot be connected: " + (e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage());
    }

    /** The address that is being tried has not answered. */
    void silent(String time) {
        reason = "did not answer within " + time;
    }

    private void closeTarget() {
        target.ifPresent(ProxiedConnection::reset);
        target = Optional.empty();
    }

    /** Ends it. */
    void reset() {
        closeTarget();
        ProxiedConnection.reset(client);
    }
}
