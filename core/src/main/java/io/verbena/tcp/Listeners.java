package io.verbena.tcp;

import io.verbena.port.StreamLoop;
import io.verbena.tcp.flow.Choices;
import io.verbena.tcp.flow.IpAddress;
import io.verbena.text.AddressText;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The ports of a host that accept connections; each has one listener until that is closed. Any thread. */
final class Listeners {

    private final IpAddress address;
    private final boolean anyAddress;
    private final Choices choices;
    private final Map<Integer, TcpListener> byPort = new ConcurrentHashMap<>();

    /**
     * Listeners of a host.
     *
     * @param anyAddress whether the host accepts segments for any address, not only its own
     */
    Listeners(IpAddress address, boolean anyAddress, Choices choices) {
        this.address = address;
        this.anyAddress = anyAddress;
        this.choices = choices;
    }

    boolean has(int port) {
        return byPort.containsKey(port);
    }

    /** Whether a listener at this port may set up one more connection. */
    boolean accepts(int port) {
        TcpListener listener = at(port);
        return listener != null && listener.accepts();
    }

    @Nullable
    TcpListener at(int port) {
        return byPort.get(port);
    }

    StreamLoop.Acceptor open(TcpLoop loop, SocketAddress local, int backlog, StreamLoop.AcceptEvents events)
            throws IOException {
        if (!(local instanceof InetSocketAddress wanted) || wanted.isUnresolved()) {
            throw new IOException("not an address that can be listened at: " + AddressText.of(local));
        }
        boolean any = wanted.getAddress().isAnyLocalAddress();
        if (!any && !anyAddress && !IpAddress.of(wanted.getAddress()).equals(address)) {
            throw new IOException("Cannot assign requested address: the TCP of this process has " + address + ", not "
                    + AddressText.of(local));
        }
        int port = wanted.getPort();
        if (port == 0) {
            return openAnywhere(loop, wanted.getAddress(), backlog, events);
        }
        InetAddress shown = any || anyAddress ? wanted.getAddress() : address.inet();
        TcpListener listener = new TcpListener(
                new InetSocketAddress(shown, port), loop, backlog, events, each -> byPort.remove(port, each));
        if (byPort.putIfAbsent(port, listener) != null) {
            throw new IOException("Address already in use: " + AddressText.of(local));
        }
        return listener;
    }

    /** Listens at a port that no other listener has. */
    private StreamLoop.Acceptor openAnywhere(
            TcpLoop loop, InetAddress local, int backlog, StreamLoop.AcceptEvents events) throws IOException {
        for (int attempt = 1; attempt < Choices.MOST_ATTEMPTS; attempt++) {
            int port = choices.port();
            if (!has(port)) {
                return open(loop, new InetSocketAddress(local, port), backlog, events);
            }
        }
        throw new IOException("no port to listen at was found: state one that is not 0");
    }
}
