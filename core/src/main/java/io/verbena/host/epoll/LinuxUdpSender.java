package io.verbena.host.epoll;

import io.verbena.base.PacketList;
import io.verbena.base.PacketPath;
import io.verbena.host.socket.UdpPort;
import io.verbena.host.system.Linux;
import io.verbena.host.system.LinuxSockets;
import io.verbena.port.Addresses;
import io.verbena.port.PacketSender;
import io.verbena.verbs.ConnectionOptions;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Consumer;

/** Sends groups of packets from a UDP socket by direct system calls, and reads the reports about those that were not delivered. */
final class LinuxUdpSender implements PacketSender {

    /** Segments of one call that every kernel with UDP_SEGMENT accepts. */
    private static final int GROUP_PACKETS = 64;

    private static final int MOST_ERRORS = 16;
    private static final int NOT_OPENED = -1;

    private final LinuxSockets sockets;
    private final LinuxDatagrams datagrams;
    private final int fd;
    private final boolean six;
    private final int scope;
    private final Reports reports;
    private int groupPackets;
    private boolean closed;

    /** Sockets with other source ports, by the entropy of paths; made at the first packet. */
    private final int[] pathSockets = new int[ConnectionOptions.MOST_PATHS];

    private final int[] pathPorts = new int[ConnectionOptions.MOST_PATHS];

    /**
     * What the system reports about destinations.
     *
     * @param unreachable receives destinations that cannot be reached
     * @param refused receives destinations whose system reports that no process has the port
     */
    record Reports(Consumer<InetSocketAddress> unreachable, Consumer<InetSocketAddress> refused) {}

    /**
     * A sender with the errno state and the buffers of one thread.
     *
     * @param scope scope of the local address, used for link-local destinations
     */
    LinuxUdpSender(LinuxSockets sockets, LinuxDatagrams datagrams, int fd, boolean six, int scope, Reports reports) {
        this.sockets = sockets;
        this.datagrams = datagrams;
        this.fd = fd;
        this.six = six;
        this.scope = scope;
        this.reports = reports;
        Arrays.fill(pathPorts, NOT_OPENED);
        groupPackets = sockets.has(fd, Linux.IPPROTO_UDP, Linux.UDP_SEGMENT) ? GROUP_PACKETS : 1;
    }

    /** A sender for another thread, with a descriptor of its own. */
    LinuxUdpSender share(Consumer<InetSocketAddress> listener) throws IOException {
        Arena arena = Arena.ofAuto();
        LinuxSockets own = new LinuxSockets(arena);
        LinuxDatagrams calls = new LinuxDatagrams(
                arena, own.state(), arena.allocate((long) Linux.IOVEC_BYTES * Linux.IOV_MAX, Long.BYTES));
        return new LinuxUdpSender(own, calls, own.duplicate(fd), six, scope, new Reports(listener, listener));
    }

    @Override
    public int sourcePort(int entropy) {
        if (entropy <= 0 || entropy >= pathPorts.length || closed) {
            return 0;
        }
        if (pathPorts[entropy] == NOT_OPENED) {
            pathPorts[entropy] = openPath(entropy);
        }
        return pathPorts[entropy];
    }

    /** Opens a socket on a free port, which only sends. Returns the port, or 0 if there is none: then the path is that of the port itself. */
    private int openPath(int entropy) {
        try {
            InetSocketAddress any =
                    new InetSocketAddress(sockets.localAddress(fd).getAddress(), 0);
            int socket = LinuxUdpSocket.open(sockets, any, false);
            pathSockets[entropy] = socket;
            return sockets.localAddress(socket).getPort();
        } catch (IOException e) {
            return 0;
        }
    }

    /** The socket of a path. */
    private int socketOf(PacketPath path) {
        return sourcePort(path.entropy()) == 0 ? fd : pathSockets[path.entropy()];
    }

    @Override
    public int groupPackets() {
        return groupPackets;
    }

    @Override
    public int groupBytes() {
        return UdpPort.MAX_PAYLOAD_BYTES;
    }

    @Override
    public int send(PacketList list, int from) throws IOException {
        int packet = from;
        while (packet < list.packets()) {
            int end = list.groupEnd(packet);
            if (!sendGroup(list, packet, end)) {
                return packet;
            }
            packet = end;
        }
        return packet;
    }

    /** Sends packets by one call; false if the socket accepts none now. */
    private boolean sendGroup(PacketList list, int first, int end) throws IOException {
        if (six || list.path(first).ipv4()) {
            int errno = trySend(list, first, end);
            if (errno == 0) {
                return true;
            }
            if (full(errno)) {
                return false;
            }
            if (errno == Linux.EBADF) {
                throw LinuxSockets.exception(errno, "sendmsg");
            }
            if (end - first > 1
                    && (errno == Linux.EIO || errno == Linux.EINVAL)
                    && trySend(list, first, first + 1) == 0) {
                // The interface has no such groups, for example because it computes no checksums. The ICRC of the other
                // packets covers their identification in the group, so they are lost, and are sent again.
                groupPackets = 1;
                return true;
            }
        }
        reports.unreachable()
                .accept(new InetSocketAddress(
                        Addresses.address(
                                list.path(first).addressHigh(), list.path(first).addressLow()),
                        list.path(first).port()));
        return true;
    }

    /** Whether a call that failed with this errno succeeds later. */
    static boolean full(int errno) {
        return errno == Linux.EAGAIN || errno == Linux.ENOBUFS || errno == Linux.ENOMEM;
    }

    /** Sends packets by one call. Returns 0 or errno. */
    private int trySend(PacketList list, int first, int end) {
        int socket = socketOf(list.path(first));
        int outcome = datagrams.send(socket, six, scope, list, first, end);
        for (int i = 0; outcome < 0 && i < MOST_ERRORS && retry(socket, -outcome, i); i++) {
            outcome = datagrams.send(socket, six, scope, list, first, end);
        }
        return Math.max(0, -outcome);
    }

    /**
     * Whether a call failed because of a signal or of an earlier packet, whose failure the socket reports once. The
     * system also reports a packet that is too long, which fails again.
     */
    private boolean retry(int socket, int errno, int repeated) {
        return switch (errno) {
            case Linux.EINTR -> true;
            case Linux.EAGAIN -> false;
            default -> (errno != Linux.EMSGSIZE || repeated == 0) && readErrors(socket) > 0;
        };
    }

    /** Reads the reports of the network about packets of a socket that were not delivered. Returns their number. */
    int readErrors(int socket) {
        for (int i = 0; i < MOST_ERRORS; i++) {
            Optional<InetSocketAddress> destination = datagrams.takeError(socket);
            if (destination.isEmpty()) {
                return i;
            }
            (datagrams.refused() ? reports.refused() : reports.unreachable()).accept(destination.get());
        }
        return MOST_ERRORS;
    }

    /** Closes the sockets of paths; the socket of the port stays open. */
    void closePaths() {
        for (int i = 0; i < pathPorts.length; i++) {
            if (pathPorts[i] > 0) {
                sockets.close(pathSockets[i]);
            }
            pathPorts[i] = 0;
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closePaths();
            closed = true;
            sockets.close(fd);
        }
    }
}
