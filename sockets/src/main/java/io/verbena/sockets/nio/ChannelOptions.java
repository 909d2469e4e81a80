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
 * sets and changes nothing by it, except {@code SO_LINGER}, because the TCP connection below it belongs to the RNIC.
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
        } else {
            jdk.setOption(name, value);
        }
    }

    @SuppressWarnings("unchecked") // a value has the type of its option
    synchronized <T> T get(SocketOption<T> name) throws IOException {
        Object value = kept.get(name);
        if (value != null) {
            return (T) value;
        }
        try {
            return jdk.getOption(name);
        } catch (ClosedChannelException e) {
            if (!rdma) {
                throw e;
            }
            return networks.defaultOption(name); // the RNIC has closed the connection before the program
        }
    }

    /** The connection now belongs to the RNIC. */
    synchronized void onRdma() throws IOException {
        kept.put(StandardSocketOptions.SO_LINGER, jdk.getOption(StandardSocketOptions.SO_LINGER));
        jdk.setOption(StandardSocketOptions.SO_LINGER, -1);
        rdma = true;
    }

    /** The options of another channel, which gets all that can be set. */
    synchronized void moveTo(SocketChannel other) throws IOException {
        for (SocketOption<?> name : jdk.supportedOptions()) {
            move(name, other);
        }
        jdk = other;
        rdma = false;
        kept.clear();
    }

    private <T> void move(SocketOption<T> name, SocketChannel other) throws IOException {
        T value = get(name);
        T there = other.getOption(name);
        if (value != null && !value.equals(there)) {
            try {
                other.setOption(name, value);
            } catch (UnsupportedOperationException | IOException e) {
                kept.remove(name); // an option that can only be read
            }
        }
    }
}
