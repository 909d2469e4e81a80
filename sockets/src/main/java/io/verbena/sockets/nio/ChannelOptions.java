package io.verbena.sockets.nio;

import java.io.IOException;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NetworkChannel;
import java.nio.channels.SocketChannel;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The options of a socket channel. Those of a channel of the JDK are its own. A stream over RDMA keeps what the program
 * sets and changes nothing by it, except {@code SO_LINGER}, because the TCP connection below it belongs to the RNIC. The options of
 * keep-alive are passed on to that TCP connection: the system probes the peer, which answers even if its process is stopped.
 */
final class ChannelOptions {

    private static final List<SocketOption<?>> INHERITED = List.of(
            StandardSocketOptions.SO_REUSEADDR,
            StandardSocketOptions.SO_KEEPALIVE,
            StandardSocketOptions.TCP_NODELAY,
            StandardSocketOptions.IP_TOS,
            StandardSocketOptions.SO_RCVBUF);

    private final Networks networks;
    private SocketChannel jdk;
    private boolean rdma;
    private boolean urgentInline;
    private final Map<SocketOption<?>, Object> kept = new HashMap<>(2);

    /** What an accepted connection has from its listening socket, and the program has not set. */
    private Map<SocketOption<?>, Object> inherited = Map.of();

    ChannelOptions(Networks networks, SocketChannel jdk) {
        this.networks = networks;
        this.jdk = jdk;
    }

    /** What the JDK checks first, also for a closed channel. */
    static void check(Set<SocketOption<?>> supported, SocketOption<?> name) {
        Objects.requireNonNull(name);
        if (!supported.contains(name)) {
            throw new UnsupportedOperationException("The channel has no option " + name.name() + ".");
        }
    }

    static void check(Set<SocketOption<?>> supported, SocketOption<?> name, @Nullable Object value) {
        check(supported, name);
        if (!name.type().isInstance(value)) {
            throw new IllegalArgumentException(
                    "The option " + name.name() + " has values of " + name.type() + ", not " + value + ".");
        }
    }

    Set<SocketOption<?>> supported() {
        return jdk.supportedOptions();
    }

    synchronized <T> void set(SocketOption<T> name, T value) throws IOException {
        if (rdma) {
            kept.put(name, networks.checkOption(name, value));
            if (name.equals(StandardSocketOptions.SO_KEEPALIVE) || name.name().startsWith("TCP_KEEP")) {
                passOn(name, value);
            }
        } else {
            jdk.setOption(name, value);
            kept.put(name, jdk.getOption(name));
        }
    }

    private <T> void passOn(SocketOption<T> name, T value) throws IOException {
        try {
            jdk.setOption(name, value);
        } catch (ClosedChannelException _) {
            // there is no TCP connection below the stream
        }
    }

    @SuppressWarnings("unchecked") // a value has the type of its option
    synchronized <T> T get(SocketOption<T> name) throws IOException {
        if (!rdma) {
            return jdk.getOption(name);
        }
        Object value = kept.getOrDefault(name, inherited.get(name));
        return value == null ? networks.defaultOption(name) : (T) value;
    }

    /** Urgent data are read inline: no standard option, and without effect, since a stream over RDMA has none. */
    synchronized void urgentInline(boolean on) throws SocketException {
        if (!rdma) {
            jdk.socket().setOOBInline(on);
        }
        urgentInline = on;
    }

    synchronized boolean urgentInline() {
        return urgentInline;
    }

    /** An accepted connection has options of its listening socket. */
    synchronized void inherit(NetworkChannel from) throws IOException {
        Map<SocketOption<?>, Object> all = new HashMap<>(inherited);
        for (SocketOption<?> each : INHERITED) {
            if (from.supportedOptions().contains(each)) {
                all.put(each, from.getOption(each));
            }
        }
        inherited = Map.copyOf(all); // smaller, in each connection
    }

    /** The connection now belongs to the RNIC. */
    synchronized void onRdma() throws IOException {
        kept.put(StandardSocketOptions.SO_LINGER, jdk.getOption(StandardSocketOptions.SO_LINGER));
        jdk.setOption(StandardSocketOptions.SO_LINGER, -1);
        rdma = true;
    }

    /** The channel of the JDK is replaced by another one, which gets all that the program has set. */
    synchronized void moveTo(SocketChannel other) throws IOException {
        copyTo(other);
        jdk = other;
        rdma = false;
    }

    /** Gives another channel all that the program has set. */
    synchronized void copyTo(SocketChannel other) throws IOException {
        for (Map.Entry<SocketOption<?>, Object> each : kept.entrySet()) {
            copy(each.getKey(), each.getValue(), other);
        }
        other.socket().setOOBInline(urgentInline);
    }

    @SuppressWarnings("unchecked") // a value has the type of its option
    private static <T> void copy(SocketOption<T> name, Object value, SocketChannel other) throws IOException {
        other.setOption(name, (T) value);
    }
}
