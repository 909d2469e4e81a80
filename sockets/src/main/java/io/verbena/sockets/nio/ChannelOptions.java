package io.verbena.sockets.nio;

import java.io.IOException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * The options of a socket channel. Those of a channel of the JDK are its own. A stream over RDMA keeps what the program
 * sets and changes nothing by it, except {@code SO_LINGER}, because the TCP connection below it belongs to the RNIC. The options of
 * keep-alive are passed on to that TCP connection: the system probes the peer, which answers even if its process is stopped.
 */
final class ChannelOptions {

    private final Networks networks;
    private SocketChannel jdk;
    private boolean rdma;
    private final Map<SocketOption<?>, Object> kept = new HashMap<>(2);

    ChannelOptions(Networks networks, SocketChannel jdk) {
        this.networks = networks;
        this.jdk = jdk;
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
        Object value = kept.get(name);
        return value == null ? networks.defaultOption(name) : (T) value;
    }

    /** The connection now belongs to the RNIC. */
    synchronized void onRdma() throws IOException {
        kept.put(StandardSocketOptions.SO_LINGER, jdk.getOption(StandardSocketOptions.SO_LINGER));
        jdk.setOption(StandardSocketOptions.SO_LINGER, -1);
        rdma = true;
    }

    /** The channel of the JDK is replaced by another one, which gets all that the program has set. */
    synchronized void moveTo(SocketChannel other) throws IOException {
        for (Map.Entry<SocketOption<?>, Object> each : kept.entrySet()) {
            move(each.getKey(), each.getValue(), other);
        }
        jdk = other;
        rdma = false;
    }

    @SuppressWarnings("unchecked") // a value has the type of its option
    private static <T> void move(SocketOption<T> name, Object value, SocketChannel other) throws IOException {
        other.setOption(name, (T) value);
    }
}
