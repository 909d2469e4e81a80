package io.verbena.host.system;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.verbena.port.StreamException;
import io.verbena.port.StreamException.Reason;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.BindException;
import java.net.ConnectException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.ByteOrder;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.nio.charset.StandardCharsets;

/**
 * Sockets by their descriptors: options, addresses, and errors as the exceptions that the JDK's channels throw. For one
 * thread at a time.
 *
 * <pre>
 *   sockaddr_in   | family 2 | port 2, big-endian | address 4 | zero 8 |
 *   sockaddr_in6  | family 2 | port 2, big-endian | flow 4 | address 16 | scope 4 |
 * </pre>
 */
public final class LinuxSockets {

    private static final ValueLayout.OfShort PORT = JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int IN_BYTES = 16;
    private static final int IN6_BYTES = 28;
    private static final int IN_ADDRESS = 4;
    private static final int IN6_ADDRESS = 8;
    private static final int IN6_SCOPE = 24;

    /**
     * The congestion control that every Linux system has and permits every user to select. Within one machine there is
     * no shared path, so the cost of a more complex algorithm is wasted: with BBR, which models and paces, 8 bytes take
     * 200 ns longer.
     */
    private static final byte[] RENO = "reno".getBytes(StandardCharsets.US_ASCII);

    private static final boolean CHOOSES_CONGESTION =
            !System.getProperty("io.verbena.loopback.congestion", "").equals("system");

    /** Whether the system supports IPv6 sockets; determined once. */
    private static final boolean IPV6 = hasIpv6();

    private final MemorySegment state;
    private final MemorySegment address;
    private final MemorySegment length;
    private final MemorySegment value;
    private final MemorySegment pair;
    private final MemorySegment name;

    public LinuxSockets(Arena arena) {
        state = Linux.newState(arena);
        address = arena.allocate(IN6_BYTES, 8);
        length = arena.allocate(JAVA_INT);
        value = arena.allocate(JAVA_INT);
        pair = arena.allocate(JAVA_INT, 2);
        name = arena.allocateFrom(JAVA_BYTE, RENO);
    }

    private static boolean hasIpv6() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = Linux.newState(arena);
            int fd = Linux.socket(state, Linux.AF_INET6);
            if (fd >= 0) {
                Linux.close(state, fd);
            }
            return fd >= 0;
        }
    }

    /** Where the calls of this object's thread leave their errno. */
    public MemorySegment state() {
        return state;
    }

    /** A socket that does not block, for an address. */
    public int open(SocketAddress where) throws IOException {
        boolean six = IPV6 && needsIpv6(inet(where).getAddress());
        int fd = checked(Linux.socket(state, six ? Linux.AF_INET6 : Linux.AF_INET), "socket");
        if (six) {
            // One socket for both address families, as in the JDK; if this is refused, the socket is for IPv6 only.
            set(fd, Linux.IPPROTO_IPV6, Linux.IPV6_V6ONLY, 0);
        }
        return fd;
    }

    /** A UDP socket that does not block. */
    public int openDatagram(boolean six) throws IOException {
        int fd = checked(Linux.datagramSocket(state, six ? Linux.AF_INET6 : Linux.AF_INET), "socket");
        if (six) {
            set(fd, Linux.IPPROTO_IPV6, Linux.IPV6_V6ONLY, 0);
        }
        return fd;
    }

    /** The wildcard is for both kinds. */
    private static boolean needsIpv6(InetAddress address) {
        return address instanceof Inet6Address || address.isAnyLocalAddress();
    }

    private static InetSocketAddress inet(SocketAddress where) {
        if (!(where instanceof InetSocketAddress inet)) {
            throw new UnsupportedAddressTypeException();
        }
        if (inet.isUnresolved()) {
            throw new UnresolvedAddressException();
        }
        return inet;
    }

    public void bind(int fd, SocketAddress local) throws IOException {
        int bytes = encode(fd, inet(local));
        checked(Linux.bind(state, fd, address, bytes), "bind");
    }

    public void listen(int fd, int backlog) throws IOException {
        checked(Linux.listen(state, fd, backlog > 0 ? backlog : 50), "listen");
    }

    /** Starts to connect; false when the outcome is not there yet. */
    public boolean connect(int fd, SocketAddress remote) throws IOException {
        int bytes = encode(fd, inet(remote));
        int outcome = Linux.connect(state, fd, address, bytes);
        if (outcome == -Linux.EINPROGRESS || outcome == -Linux.EINTR) {
            return false;
        }
        checked(outcome, "connect");
        return true;
    }

    /** The outcome of a connect that had to wait. */
    public void finishConnect(int fd) throws IOException {
        length.set(JAVA_INT, 0, Integer.BYTES);
        checked(Linux.option(state, fd, Linux.SOL_SOCKET, Linux.SO_ERROR, value, length), "getsockopt");
        checked(-value.get(JAVA_INT, 0), "connect");
    }

    /** The family of the socket decides about the form: an IPv4 address on an IPv6 socket is a mapped one. */
    private int encode(int fd, InetSocketAddress where) throws IOException {
        int family = family(fd);
        address.fill((byte) 0);
        address.set(JAVA_SHORT, 0, (short) family);
        address.set(PORT, 2, (short) where.getPort());
        byte[] bytes = where.getAddress().getAddress();
        if (family == Linux.AF_INET) {
            if (bytes.length != 4) {
                throw new SocketException("Network is unreachable");
            }
            MemorySegment.copy(bytes, 0, address, JAVA_BYTE, IN_ADDRESS, bytes.length);
            return IN_BYTES;
        }
        if (where.getAddress() instanceof Inet6Address six) {
            MemorySegment.copy(bytes, 0, address, JAVA_BYTE, IN6_ADDRESS, bytes.length);
            address.set(JAVA_INT, IN6_SCOPE, six.getScopeId());
        } else if (!where.getAddress().isAnyLocalAddress()) {
            address.set(JAVA_SHORT, IN6_ADDRESS + 10, (short) -1);
            MemorySegment.copy(bytes, 0, address, JAVA_BYTE, IN6_ADDRESS + 12, bytes.length);
        }
        return IN6_BYTES;
    }

    private int family(int fd) throws IOException {
        readName(fd, false);
        return address.get(JAVA_SHORT, 0);
    }

    public InetSocketAddress localAddress(int fd) throws IOException {
        readName(fd, false);
        return decode();
    }

    public InetSocketAddress remoteAddress(int fd) throws IOException {
        readName(fd, true);
        return decode();
    }

    private void readName(int fd, boolean peer) throws IOException {
        length.set(JAVA_INT, 0, IN6_BYTES);
        checked(Linux.name(state, fd, peer, address, length), peer ? "getpeername" : "getsockname");
    }

    private InetSocketAddress decode() throws UnknownHostException {
        int port = address.get(PORT, 2) & 0xffff;
        if (address.get(JAVA_SHORT, 0) == Linux.AF_INET) {
            byte[] four = address.asSlice(IN_ADDRESS, 4).toArray(JAVA_BYTE);
            return new InetSocketAddress(InetAddress.getByAddress(four), port);
        }
        byte[] sixteen = address.asSlice(IN6_ADDRESS, 16).toArray(JAVA_BYTE);
        int scope = address.get(JAVA_INT, IN6_SCOPE);
        InetAddress plain = InetAddress.getByAddress(sixteen); // an IPv4 address, if it is a mapped one
        return new InetSocketAddress(
                plain instanceof Inet6Address && scope != 0 ? Inet6Address.getByAddress("", sixteen, scope) : plain,
                port);
    }

    /** Sets an option to a number; an option that the system refuses keeps its value. */
    public boolean set(int fd, int level, int option, int number) {
        value.set(JAVA_INT, 0, number);
        return Linux.setOption(state, fd, level, option, value) >= 0;
    }

    /** The value of an option; 0 if the system does not have it. */
    public int number(int fd, int level, int option) {
        length.set(JAVA_INT, 0, Integer.BYTES);
        return Linux.option(state, fd, level, option, value, length) < 0 ? 0 : value.get(JAVA_INT, 0);
    }

    /** Whether the system has an option. */
    public boolean has(int fd, int level, int option) {
        length.set(JAVA_INT, 0, Integer.BYTES);
        return Linux.option(state, fd, level, option, value, length) >= 0;
    }

    /** Multicast packets of the socket leave through this interface; 0 for the choice of the system. */
    public void multicastThrough(int fd, boolean six, int interfaceIndex, int hops) {
        if (six) {
            set(fd, Linux.IPPROTO_IPV6, Linux.IPV6_MULTICAST_IF, interfaceIndex);
            set(fd, Linux.IPPROTO_IPV6, Linux.IPV6_MULTICAST_HOPS, hops);
            return;
        }
        set(fd, Linux.IPPROTO_IP, Linux.IP_MULTICAST_TTL, hops);
        if (interfaceIndex != 0) {
            MemorySegment choice = membership(new byte[4], interfaceIndex);
            Linux.setOption(state, fd, Linux.IPPROTO_IP, Linux.IP_MULTICAST_IF, choice);
        }
    }

    /** Joins a multicast group. */
    public void join(int fd, InetAddress group, int interfaceIndex) throws IOException {
        MemorySegment request = membership(group.getAddress(), interfaceIndex);
        checked(
                group instanceof Inet6Address
                        ? Linux.setOption(state, fd, Linux.IPPROTO_IPV6, Linux.IPV6_ADD_MEMBERSHIP, request)
                        : Linux.setOption(state, fd, Linux.IPPROTO_IP, Linux.IP_ADD_MEMBERSHIP, request),
                "setsockopt");
    }

    /** struct ip_mreqn: group, local address, interface; struct ipv6_mreq: group, interface. */
    private static MemorySegment membership(byte[] group, int interfaceIndex) {
        int index = group.length == 4 ? 8 : 16;
        MemorySegment request = Arena.ofAuto().allocate(index + Integer.BYTES, 8);
        MemorySegment.copy(group, 0, request, JAVA_BYTE, 0, group.length);
        request.set(JAVA_INT, index, interfaceIndex);
        return request;
    }

    /** Buffers of a size, 0 for the system's choice. */
    public void size(int fd, int bufferBytes) {
        if (bufferBytes > 0) {
            set(fd, Linux.SOL_SOCKET, Linux.SO_SNDBUF, bufferBytes);
            set(fd, Linux.SOL_SOCKET, Linux.SO_RCVBUF, bufferBytes);
        }
    }

    /**
     * Selects the simplest congestion control for connections to or from this address, if the address is on this
     * machine. Before the connection is established, because pacing, once started, remains.
     */
    public void simplestWithin(int fd, SocketAddress where) {
        if (CHOOSES_CONGESTION && inet(where).getAddress().isLoopbackAddress()) {
            Linux.setOption(state, fd, Linux.IPPROTO_TCP, Linux.TCP_CONGESTION, name);
        }
    }

    /** Sets whether closing, also by the end of this process, resets the connection. */
    public void dropOnClose(int fd, boolean drops) {
        pair.setAtIndex(JAVA_INT, 0, drops ? 1 : 0);
        pair.setAtIndex(JAVA_INT, 1, 0);
        Linux.setOption(state, fd, Linux.SOL_SOCKET, Linux.SO_LINGER, pair);
    }

    /** A second descriptor of the same open socket. */
    public int duplicate(int fd) throws IOException {
        return checked(Linux.duplicate(state, fd), "fcntl");
    }

    public void close(int fd) {
        // Linux has released the descriptor, whatever close returns.
        Linux.close(state, fd);
    }

    private static int checked(int outcome, String call) throws IOException {
        if (outcome < 0) {
            throw exception(-outcome, call);
        }
        return outcome;
    }

    /** The failure that an error number means, with the text that the JDK uses for it. */
    public static IOException exception(int errno, String call) {
        return switch (errno) {
            case Linux.ECONNREFUSED -> new StreamException(Reason.REFUSED, "Connection refused");
            case Linux.ETIMEDOUT -> new StreamException(Reason.PEER_SILENT, "Connection timed out");
            case Linux.EHOSTUNREACH -> new NoRouteToHostException("No route to host");
            case Linux.ENETUNREACH -> new ConnectException("Network is unreachable");
            case Linux.EADDRINUSE -> new BindException("Address already in use");
            case Linux.EADDRNOTAVAIL -> new BindException("Cannot assign requested address");
            case Linux.EPERM, Linux.EACCES -> new BindException("Permission denied");
            case Linux.ECONNRESET -> new StreamException(Reason.RESET, "Connection reset");
            case Linux.EPIPE -> new StreamException(Reason.PEER_ENDED, "Broken pipe");
            case Linux.EMFILE, Linux.ENFILE -> new SocketException("Too many open files");
            case Linux.ENOMEM, Linux.ENOBUFS -> new SocketException("The system is out of memory");
            case Linux.EFAULT -> new StreamException(Reason.MEMORY_GONE, "Bad address");
            case Linux.EBADFD, Linux.ENODEV -> new IOException("it was removed");
            case Linux.EAFNOSUPPORT -> new SocketException("Protocol family unavailable");
            default -> new IOException(call + " failed with error " + errno);
        };
    }
}
