package io.verbena.sim;

import io.verbena.base.PacketPath;
import io.verbena.port.StreamLoop;
import io.verbena.tcp.state.TcpSettings;
import io.verbena.text.AddressText;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Hosts, listeners and connections of a World. */
final class VirtualNetwork {

    private final Run run;
    private final Map<InetAddress, VirtualHost> hosts = new HashMap<>();
    private final Map<InetSocketAddress, Listening> listeners = new HashMap<>();
    private final List<Link> links = new ArrayList<>();

    private Optional<SegmentTcp> segments = Optional.empty();
    private Optional<VirtualMemory> memory = Optional.empty();
    private Optional<TcpSettings> tcp = Optional.empty();
    private Optional<Map<Long, PacketPath>> stations = Optional.empty();

    VirtualNetwork(Run run) {
        this.run = run;
    }

    /** Later connections deliver segments. */
    void segments(SegmentTcp tcp) {
        segments = Optional.of(tcp);
    }

    /** Connections of later hosts go through shared memory. */
    void memory(VirtualMemory shared) {
        memory = Optional.of(shared);
    }

    Optional<VirtualMemory> memory() {
        return memory;
    }

    Optional<SegmentTcp> segments() {
        return segments;
    }

    /** Later hosts have the TCP of the library, over the packet network. */
    void tcp(TcpSettings settings) {
        tcp = Optional.of(settings);
    }

    Optional<TcpSettings> tcp() {
        return tcp;
    }

    /** The TCP of later hosts is on an Ethernet. */
    void ethernet() {
        stations = Optional.of(new HashMap<>());
    }

    /** The stations of the Ethernet, if there is one. */
    Optional<Map<Long, PacketPath>> stations() {
        return stations;
    }

    /** A listening socket. */
    private final class Listening implements StreamLoop.Acceptor {
        private final VirtualLoop loop;
        private final InetSocketAddress address;
        private final StreamLoop.AcceptEvents events;

        Listening(VirtualLoop loop, InetSocketAddress address, StreamLoop.AcceptEvents events) {
            this.loop = loop;
            this.address = address;
            this.events = events;
        }

        @Override
        public SocketAddress localAddress() {
            return address;
        }

        @Override
        public void close() {
            listeners.remove(address, this);
        }
    }

    void add(VirtualHost host) {
        hosts.put(host.inetAddress(), host);
    }

    List<Link> links() {
        return links;
    }

    StreamLoop.Acceptor listen(VirtualLoop loop, SocketAddress local, StreamLoop.AcceptEvents events)
            throws IOException {
        if (!(local instanceof InetSocketAddress wanted) || wanted.isUnresolved()) {
            throw new IOException("not an address of this network: " + AddressText.of(local));
        }
        VirtualHost host = loop.host();
        if (!wanted.getAddress().isAnyLocalAddress() && !wanted.getAddress().equals(host.inetAddress())) {
            throw new BindException("Cannot assign requested address: " + AddressText.of(local));
        }
        InetSocketAddress address = host.address(wanted.getPort() == 0 ? host.nextPort() : wanted.getPort());
        Listening listening = new Listening(loop, address, events);
        if (listeners.putIfAbsent(address, listening) != null) {
            throw new BindException("Address already in use: " + AddressText.of(address));
        }
        return listening;
    }

    void connect(VirtualLoop loop, SocketAddress remote, StreamLoop.ConnectEvents events) {
        Weather weather = run.weather();
        if (!(remote instanceof InetSocketAddress to) || to.isUnresolved() || !hosts.containsKey(to.getAddress())) {
            failed(loop, events, false, "No route to host: " + remote, weather.packetDelayNs());
            return;
        }
        InetSocketAddress from = loop.host().address(loop.host().nextPort());
        switch (weather.greeting()) {
            case REFUSED -> failed(loop, events, true, "Connection refused", weather.packetDelayNs());
            case UNANSWERED -> failed(loop, events, false, "Connection timed out", weather.connectTimeoutNs());
            case ANSWERED -> run.after(weather.packetDelayNs(), () -> greet(loop, from, to, events));
        }
    }

    private void failed(
            VirtualLoop loop, StreamLoop.ConnectEvents events, boolean refused, String sentence, long delayNs) {
        run.after(delayNs, () -> {
            if (!loop.dead()) {
                loop.driver().enter(() -> events.onConnectFailed(refused, sentence));
            }
        });
    }

    /** A connection request has arrived at its host. */
    private void greet(
            VirtualLoop loop, InetSocketAddress from, InetSocketAddress to, StreamLoop.ConnectEvents events) {
        Weather weather = run.weather();
        VirtualHost host = hosts.get(to.getAddress());
        if (host == null || host.silent()) {
            failed(loop, events, false, "Connection timed out", weather.connectTimeoutNs());
            return;
        }
        Listening listening = listeners.get(to);
        if (listening == null || listening.loop.dead()) {
            failed(loop, events, true, "Connection refused", weather.packetDelayNs());
            return;
        }
        Link link = open(from, to);
        listening.loop.driver().enter(() -> listening.events.onAccepted(link.responder()));
        run.after(weather.packetDelayNs(), () -> {
            if (loop.dead()) {
                link.initiator().close(true);
            } else {
                loop.driver().enter(() -> events.onConnected(link.initiator()));
            }
        });
    }

    private Link open(InetSocketAddress from, InetSocketAddress to) {
        Link link = new Link(run, run.weather().pipe(), run.weather().pipe(), from, to, segments);
        links.add(link);
        run.log(() -> link + " connected");
        return link;
    }

    /** Breaks the connections of a host and removes its listeners. */
    void hostDied(VirtualHost host, boolean silently) {
        listeners.values().removeIf(listening -> listening.loop.host() == host);
        for (Link link : links) {
            if (link.touches(host.inetAddress())) {
                link.hostDied(host.inetAddress(), silently);
            }
        }
    }
}
