package io.verbena.tcp;

import io.verbena.base.Log;
import io.verbena.base.PacketList;
import io.verbena.base.RandomSource;
import io.verbena.port.ByteStream;
import io.verbena.port.PacketBatch;
import io.verbena.port.PacketEvents;
import io.verbena.port.PacketLoop;
import io.verbena.port.PacketPort;
import io.verbena.port.StreamEvents;
import io.verbena.tcp.flow.FlowKey;
import io.verbena.tcp.flow.IpAddress;
import io.verbena.tcp.state.TcpCounters;
import io.verbena.tcp.state.TcpEnd;
import io.verbena.tcp.state.TcpSettings;
import io.verbena.text.AddressText;
import io.verbena.wire.ip.TcpHeader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The streams of one engine over a TCP in this process, whose segments travel as UDP payload. It needs no privilege, and both
 * sides must do it.
 *
 * <pre>
 *   | IP | UDP | TCP header | data |
 * </pre>
 *
 * <p>A listener at TCP port n has the UDP port n. All connections that this side opens share one UDP port of the system's choice for
 * each version of IP. A connection is identified by its TCP ports and by address and UDP port of the peer.
 */
public final class UdpTcp implements CarriedTcp {

    /** Bytes of the headers before the TCP header that count in the settings, and those that are sent. */
    private static final int UDP_HEADER = 8;

    /** Sent in one go; what the headers of that many segments need, with some space left. */
    private static final int MOST_SENT_BYTES = 256 * 1024;

    private static final int MOST_SENT_PACKETS = 1024;
    private static final int LIST_BYTES = (MOST_SENT_PACKETS + 1) * TcpHeader.MAX_LENGTH + PacketPort.LEAST_BATCH_BYTES;

    /** Calls whose packets one turn receives. They stay in the memory of the batch until the engine has had its turn. */
    private static final int BATCH_CALLS = 4;

    private final PacketLoop packets;
    private final TcpHost host;
    private final TcpLoop streams;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final Deque<InetSocketAddress> unreachable = new ArrayDeque<>();
    private long nowNs;

    /** Whether a listener was closed, and its port may be unused now or as soon as the number of connections changes. */
    private volatile boolean listenerClosed;

    private int connectionsThen;

    /** A UDP port, and the packets that are about to be sent from it. */
    private static final class Socket implements PacketEvents {
        private final Deque<InetSocketAddress> unreachable;
        private final PacketList list = new PacketList(LIST_BYTES);
        private final PacketBatch batch = new PacketBatch(
                BATCH_CALLS * PacketPort.LEAST_BATCH_BYTES, BATCH_CALLS * PacketPort.LEAST_BATCH_PACKETS);
        private final boolean connects;
        private @Nullable PacketPort port;
        private boolean ipv6;
        private boolean wildcard;
        private boolean readable;
        private boolean blocked;

        // Guarded by this: any thread may listen and close.
        private boolean listening;
        private boolean closed;

        /** With whether it is for connections that this side opens. */
        Socket(Deque<InetSocketAddress> unreachable, boolean connects) {
            this.unreachable = unreachable;
            this.connects = connects;
        }

        void port(PacketPort opened) {
            port = opened;
            InetAddress local = opened.localAddress().getAddress();
            ipv6 = !IpAddress.of(local).isIpv4();
            wildcard = local.isAnyLocalAddress();
            list.reset(opened.groupPackets(), opened.groupBytes());
        }

        /** Whether packets to this address can leave here: a port of the wildcard address of IPv6 carries both versions. */
        boolean reaches(IpAddress remote) {
            return remote.isIpv4() ? !ipv6 || wildcard : ipv6;
        }

        boolean opens(boolean version6) {
            return connects && ipv6 == version6;
        }

        PacketPort port() {
            PacketPort currentPort = port;
            if (currentPort == null) {
                throw new IllegalStateException("the port is not open");
            }
            return currentPort;
        }

        /** Reserves the port for a listener; false if it has one, or if the port is being closed. */
        synchronized boolean listen() {
            boolean free = !listening && !closed;
            listening |= free;
            return free;
        }

        synchronized void listenerClosed() {
            listening = false;
        }

        /** Whether the port can be closed because no connection uses it either. No listener can reserve it any more then. */
        synchronized boolean closes() {
            closed = !listening;
            return closed;
        }

        @Override
        public void onReadable() {
            readable = true;
        }

        @Override
        public void onWritable() {
            if (blocked) {
                blocked = false;
                port().wantWritable(false);
            }
        }

        @Override
        public void onUnreachable(InetSocketAddress destination) {
            unreachable.addLast(destination);
        }
    }

    /**
     * What the packets of an engine need.
     *
     * @param mtu size of the largest IP packet that any path carries, with the UDP header
     * @param pathMtu the same for the path to an address
     * @param verified whether the ports verify the checksum of UDP, so that the one of TCP need not be computed
     */
    public record Paths(int mtu, ToIntFunction<InetAddress> pathMtu, boolean verified) {

        /** Paths that all carry packets of this size, and may corrupt them. */
        public static Paths of(int mtu) {
            return new Paths(mtu, remote -> mtu, false);
        }
    }

    /** Creates the streams of an engine. */
    public UdpTcp(PacketLoop packets, Paths paths, TcpSettings settings, RandomSource random, long nowNs) {
        this.packets = packets;
        this.nowNs = nowNs;
        this.host = TcpHost.overUdp(settings.withMtu(paths.mtu() - UDP_HEADER), paths.verified(), random, nowNs);
        this.streams = host.newLoop(() -> {});
        host.limits().pathMtu(remote -> paths.pathMtu().applyAsInt(remote.inet()) - UDP_HEADER);
    }

    @Override
    public TcpCounters counters() {
        return host.counters();
    }

    @Override
    public int turn(long timeNs) {
        nowNs = timeNs;
        int work = 0;
        for (int i = 0; i < sockets.size(); i++) {
            work += receive(sockets.get(i));
        }
        while (!unreachable.isEmpty()) {
            onUnreachable(unreachable.removeFirst());
        }
        host.onDeadline(timeNs);
        if (listenerClosed || host.connectionCount() != connectionsThen) {
            closeUnused();
        }
        return work + streams.report();
    }

    /** Closes the ports of closed listeners, whose connections have ended. */
    private void closeUnused() {
        listenerClosed = false;
        connectionsThen = host.connectionCount();
        sockets.removeIf(this::closeIfUnused);
    }

    private boolean closeIfUnused(Socket socket) {
        if (socket.connects || host.uses(socket.port().localAddress().getPort()) || !socket.closes()) {
            return false;
        }
        socket.port().close();
        return true;
    }

    /** Such a report can be forged, so it only ends the set-up of connections. */
    private void onUnreachable(InetSocketAddress destination) {
        host.endSetUp(
                key -> key.path() == destination.getPort()
                        && key.remoteAddress().getAddress().equals(destination.getAddress()),
                TcpEnd.REFUSED);
    }

    private int receive(Socket socket) {
        if (!socket.readable) {
            return 0;
        }
        PacketBatch batch = socket.batch;
        batch.reset();
        int received;
        try {
            received = socket.port().receive(batch);
        } catch (IOException e) {
            socket.readable = false;
            onLost(socket, e);
            return 1;
        }
        socket.readable = received > 0;
        for (int i = 0; i < received; i++) {
            host.onEncapsulated(batch, i, nowNs);
        }
        return received;
    }

    private void onLost(Socket socket, IOException cause) {
        Log.notice("All connections of TCP over UDP end, because the UDP port "
                + socket.port().localAddress().getPort() + " has failed: " + cause.getMessage());
        host.onCarrierLost();
    }

    @Override
    public void flush(long timeNs) {
        nowNs = timeNs;
        host.settle();
        while (!blocked() && host.transmit(timeNs)) {
            Socket socket = host.out().opened()
                    ? connecting(!host.out().flow().remote().isIpv4())
                    : socketOf(host.out().flow());
            if (socket != null) {
                host.addTo(socket.list);
                if (socket.list.bytes() >= MOST_SENT_BYTES || socket.list.packets() == MOST_SENT_PACKETS) {
                    send(socket);
                }
            }
        }
        for (int i = 0; i < sockets.size(); i++) {
            send(sockets.get(i));
        }
    }

    private boolean blocked() {
        for (int i = 0; i < sockets.size(); i++) {
            if (sockets.get(i).blocked) {
                return true;
            }
        }
        return false;
    }

    /**
     * Sends a list. What the system does not accept now is lost, as in a router that is full: its data may be released before the
     * system accepts more.
     */
    private void send(Socket socket) {
        PacketList list = socket.list;
        if (list.packets() == 0) {
            return;
        }
        PacketPort port = socket.port();
        try {
            if (port.send(list, 0) < list.packets()) {
                socket.blocked = true;
                port.wantWritable(true);
            }
        } catch (IOException e) {
            onLost(socket, e);
        }
        list.reset(port.groupPackets(), port.groupBytes());
    }

    private @Nullable Socket socketOf(FlowKey flow) {
        for (int i = 0; i < sockets.size(); i++) {
            Socket each = sockets.get(i);
            if (each.port().localAddress().getPort() == flow.localPort() && each.reaches(flow.remote())) {
                return each;
            }
        }
        return connecting(!flow.remote().isIpv4());
    }

    /** The socket of connections that this side opens. */
    private @Nullable Socket connecting(boolean ipv6) {
        for (int i = 0; i < sockets.size(); i++) {
            if (sockets.get(i).opens(ipv6)) {
                return sockets.get(i);
            }
        }
        return null;
    }

    @Override
    public void close(long timeNs) {
        nowNs = timeNs;
        host.abandon();
        flush(timeNs);
    }

    @Override
    public long nextDeadlineNs() {
        boolean now = streams.reporting() || host.hasOutput() && !blocked();
        for (int i = 0; i < sockets.size(); i++) {
            now |= sockets.get(i).readable;
        }
        return now ? nowNs : host.nextDeadlineNs();
    }

    /** The port of a listener: one that is open for connections of an earlier listener, or a new one. */
    private Socket listening(InetSocketAddress local) throws IOException {
        for (Socket each : sockets) {
            if (each.port().localAddress().getPort() == local.getPort() && each.listen()) {
                return each;
            }
        }
        Socket socket = new Socket(unreachable, false);
        socket.listen();
        return open(local, socket);
    }

    private Socket open(InetSocketAddress local, Socket socket) throws IOException {
        socket.port(packets.open(local, socket));
        // The system accounts more than the bytes of a packet.
        host.limits().receiveBudget(socket.port().receiveBufferBytes() / 2);
        host.limits().showsMarks(socket.port().showsTrafficClass());
        sockets.add(socket);
        return socket;
    }

    // Streams.

    @Override
    public void connect(SocketAddress remote, ConnectEvents events) {
        connect(Optional.empty(), remote, events);
    }

    @Override
    public void connect(Optional<SocketAddress> local, SocketAddress remote, ConnectEvents events) {
        if (remote instanceof InetSocketAddress to && !to.isUnresolved()) {
            boolean ipv6 = !IpAddress.of(to.getAddress()).isIpv4();
            if (ipv6 && to.getAddress().isLinkLocalAddress()) {
                // One socket serves all connections, and a link-local address needs one with a scope.
                streams.soon(() -> events.onConnectFailed(
                        false,
                        "TCP over UDP does not support the link-local address "
                                + to.getAddress().getHostAddress() + ": use a global or unique local one"));
                return;
            }
            try {
                if (connecting(ipv6) == null) {
                    IpAddress any = ipv6 ? IpAddress.UNSPECIFIED : IpAddress.ipv4(0);
                    open(new InetSocketAddress(any.inet(), 0), new Socket(unreachable, true));
                }
            } catch (IOException e) {
                streams.soon(() -> events.onConnectFailed(false, "no UDP port can be opened: " + e.getMessage()));
                return;
            }
        }
        // The address of this side is that of the UDP port.
        streams.connect(remote, events);
    }

    @Override
    public void giveUpConnecting(ConnectEvents events) {
        streams.giveUpConnecting(events);
    }

    @Override
    public Acceptor listen(SocketAddress local, int backlog, AcceptEvents events) throws IOException {
        if (!(local instanceof InetSocketAddress wanted) || wanted.isUnresolved()) {
            throw new IOException("not an address that can be listened at: " + AddressText.of(local));
        }
        Socket socket = listening(wanted);
        int port = socket.port().localAddress().getPort();
        try {
            Acceptor acceptor = streams.listen(new InetSocketAddress(wanted.getAddress(), port), backlog, events);
            return new Acceptor() {
                @Override
                public SocketAddress localAddress() {
                    return acceptor.localAddress();
                }

                @Override
                public void close() {
                    acceptor.close();
                    unused(socket);
                }
            };
        } catch (IOException e) {
            unused(socket);
            throw e;
        }
    }

    /** The listener of a port is closed. */
    private void unused(Socket socket) {
        socket.listenerClosed();
        listenerClosed = true;
    }

    @Override
    public void attach(ByteStream stream, StreamEvents events) {
        streams.attach(stream, events);
    }

    @Override
    public void detach(ByteStream stream) {
        streams.detach(stream);
    }
}
