package io.verbena.tcp;

import io.verbena.port.StreamLoop;
import io.verbena.tcp.flow.Choices;
import io.verbena.tcp.flow.FlowKey;
import io.verbena.tcp.flow.IpAddress;
import io.verbena.tcp.state.TcpEnd;
import io.verbena.text.AddressText;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.IdentityHashMap;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Opens connections for the owners of a host, until each is established, fails, or is given up. */
final class Connector {

    private final TcpHost host;
    private final Choices choices;
    private final IdentityHashMap<StreamLoop.ConnectEvents, TcpStream> connecting = new IdentityHashMap<>();

    Connector(TcpHost host, Choices choices) {
        this.host = host;
        this.choices = choices;
    }

    void connect(TcpLoop loop, Optional<SocketAddress> local, SocketAddress remote, StreamLoop.ConnectEvents events) {
        Optional<String> obstacle = obstacle(local, remote);
        if (obstacle.isPresent()) {
            loop.soon(() -> events.onConnectFailed(false, obstacle.get()));
            return;
        }
        InetSocketAddress to = (InetSocketAddress) remote;
        int wanted = local.map(each -> ((InetSocketAddress) each).getPort()).orElse(0);
        FlowKey key = freeKey(IpAddress.of(to.getAddress()), to.getPort(), wanted);
        if (key == null) {
            loop.soon(() -> events.onConnectFailed(
                    false, "no local port is free for a connection to " + AddressText.of(remote)));
            return;
        }
        TcpStream stream = new TcpStream(host, new Connecting(loop, events));
        connecting.put(events, stream);
        host.open(key, stream);
    }

    private Optional<String> obstacle(Optional<SocketAddress> local, SocketAddress remote) {
        String version = host.address().isIpv4() ? "IPv4" : "IPv6";
        if (!(remote instanceof InetSocketAddress to)
                || to.isUnresolved()
                || !host.reaches(IpAddress.of(to.getAddress()))) {
            return Optional.of(
                    "the TCP of this process needs an " + version + " address, not " + AddressText.of(remote));
        }
        if (!host.mayConnectTo(IpAddress.of(to.getAddress()))) {
            // RFC 9293 section 3.9.1.1 [6]: a connection to a broadcast or multicast address is rejected.
            return Optional.of("cannot connect to " + AddressText.of(remote) + ": not the address of one host");
        }
        boolean foreign = local.isPresent()
                && !(local.get() instanceof InetSocketAddress own
                        && (own.getAddress().isAnyLocalAddress()
                                || IpAddress.of(own.getAddress()).equals(host.address())));
        return foreign
                ? Optional.of("the TCP of this process has no address " + AddressText.of(local.get()))
                : Optional.empty();
    }

    private @Nullable FlowKey freeKey(IpAddress remote, int remotePort, int wantedPort) {
        if (wantedPort != 0) {
            return host.freeKey(wantedPort, remote, remotePort);
        }
        for (int attempt = 0; attempt < Choices.MOST_ATTEMPTS; attempt++) {
            FlowKey key = host.freeKey(choices.port(), remote, remotePort);
            if (key != null) {
                return key;
            }
        }
        return null;
    }

    void giveUp(StreamLoop.ConnectEvents events) {
        TcpStream stream = connecting.remove(events);
        if (stream != null) {
            stream.close(true);
        }
    }

    /** A connection that this side opens. */
    private final class Connecting implements TcpStream.Opened {
        private final TcpLoop loop;
        private final StreamLoop.ConnectEvents events;

        Connecting(TcpLoop loop, StreamLoop.ConnectEvents events) {
            this.loop = loop;
            this.events = events;
        }

        @Override
        public void onOpened(TcpStream stream) {
            loop.soon(() -> {
                if (connecting.remove(events) != null) {
                    events.onConnected(stream);
                }
            });
        }

        @Override
        public void onFailed(TcpStream stream, TcpEnd end) {
            stream.connection().release(true, host.nowNs());
            loop.soon(() -> {
                if (connecting.remove(events) != null) {
                    events.onConnectFailed(end == TcpEnd.REFUSED, end.sentence());
                }
            });
        }
    }
}
