package io.verbena.host.epoll;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.verbena.host.system.Linux;
import io.verbena.host.system.LinuxSockets;
import io.verbena.host.system.SystemInterface;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.NetworkInterface;
import java.net.SocketException;

/**
 * The frames of a network interface through a packet socket (AF_PACKET): this side is a station of its own beside that of the system, on
 * the same wire. The system itself cannot be reached this way, because it does not receive what it sends out.
 *
 * <pre>
 *   struct sockaddr_ll | 17 2 | protocol 2, big endian | index 4 | ... 20
 *   struct packet_mreq | index 4 | type 2 | length 2 | address 8
 * </pre>
 */
public final class PacketSocket implements FrameDevice {

    private static final int AF_PACKET = 17;
    private static final int SOL_PACKET = 263;
    private static final int PACKET_ADD_MEMBERSHIP = 1;
    private static final int PACKET_VNET_HDR = 15;
    private static final int PACKET_IGNORE_OUTGOING = 23;
    private static final int PROMISCUOUS = 1;
    private static final int SO_SNDBUFFORCE = 32;
    private static final int SO_RCVBUFFORCE = 33;
    private static final short ALL_PROTOCOLS_BIG_ENDIAN = 0x0300;
    private static final int ADDRESS_BYTES = 20;
    private static final int MEMBERSHIP_BYTES = 16;

    /** Requested buffers. The system accounts more than the bytes of a frame. */
    private static final int BUFFER_BYTES = 16 << 20;

    private final Arena arena = Arena.ofAuto();
    private final MemorySegment state = Linux.newState(arena);
    private final SystemInterface system;
    private final boolean offloads;
    private final int receiveBufferBytes;
    private final int fd;
    private boolean closed;

    /**
     * Opens the frames of an interface.
     *
     * @param large whether large segments are wanted
     * @throws IOException with a sentence that says what to do
     */
    public PacketSocket(String name, boolean large) throws IOException {
        system = SystemInterface.find(
                name, "--device must name one that 'ip link' shows, such as eth0, or an end of a veth pair");
        fd = Linux.packetSocket(state, AF_PACKET);
        if (fd == -Linux.EPERM || fd == -Linux.EACCES) {
            throw new IOException(
                    "this user may not open a packet socket: the privilege CAP_NET_RAW is missing. Run as root,"
                            + " or in a network namespace of your own ('unshare -Urn')");
        }
        if (fd < 0) {
            throw LinuxSockets.exception(-fd, "socket");
        }
        boolean opened = false;
        try {
            // Large segments of the system arrive only with this header.
            check(option(SOL_PACKET, PACKET_VNET_HDR, 1), "PACKET_VNET_HDR");
            option(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1);
            receiveBufferBytes = enlargeBuffers();
            bind();
            promiscuous();
            offloads = large;
            opened = true;
        } finally {
            if (!opened) {
                Linux.close(state, fd);
            }
        }
    }

    private int option(int level, int option, int value) {
        try (Arena local = Arena.ofConfined()) {
            return Linux.setOption(state, fd, level, option, local.allocateFrom(JAVA_INT, value));
        }
    }

    private static void check(int outcome, String call) throws IOException {
        if (outcome < 0) {
            throw LinuxSockets.exception(-outcome, call);
        }
    }

    /** Returns the bytes of the receive buffer. */
    private int enlargeBuffers() {
        for (int[] each : new int[][] {{Linux.SO_RCVBUF, SO_RCVBUFFORCE}, {Linux.SO_SNDBUF, SO_SNDBUFFORCE}}) {
            if (option(Linux.SOL_SOCKET, each[1], BUFFER_BYTES) < 0) {
                option(Linux.SOL_SOCKET, each[0], BUFFER_BYTES);
            }
        }
        try (Arena local = Arena.ofConfined()) {
            MemorySegment value = local.allocate(JAVA_INT);
            MemorySegment length = local.allocateFrom(JAVA_INT, Integer.BYTES);
            int outcome = Linux.option(state, fd, Linux.SOL_SOCKET, Linux.SO_RCVBUF, value, length);
            return outcome < 0 ? BUFFER_BYTES / 64 : value.get(JAVA_INT, 0);
        }
    }

    private void bind() throws IOException {
        try (Arena local = Arena.ofConfined()) {
            MemorySegment address = local.allocate(ADDRESS_BYTES, Integer.BYTES);
            address.set(JAVA_SHORT, 0, (short) AF_PACKET);
            address.set(JAVA_SHORT, 2, ALL_PROTOCOLS_BIG_ENDIAN);
            address.set(JAVA_INT, 4, system.index());
            check(Linux.bind(state, fd, address, ADDRESS_BYTES), "bind");
        }
    }

    /** Frames for another hardware address than that of the interface arrive. Ends with the socket. */
    private void promiscuous() throws IOException {
        try (Arena local = Arena.ofConfined()) {
            MemorySegment membership = local.allocate(MEMBERSHIP_BYTES, Integer.BYTES);
            membership.set(JAVA_INT, 0, system.index());
            membership.set(JAVA_SHORT, 4, (short) PROMISCUOUS);
            check(Linux.setOption(state, fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, membership), "PACKET_ADD_MEMBERSHIP");
        }
    }

    @Override
    public String name() {
        return system.name();
    }

    @Override
    public boolean ethernet() {
        return true;
    }

    @Override
    public int mtu() {
        return system.mtu();
    }

    @Override
    public boolean offloads() {
        return offloads;
    }

    @Override
    public int receiveBufferBytes() {
        return receiveBufferBytes;
    }

    @Override
    public int fd() {
        return fd;
    }

    @Override
    public long read(long to, long bytes) {
        long outcome = Linux.read(state, fd, to, bytes);
        return outcome == -Linux.ENETDOWN ? down() : outcome;
    }

    /** An interface that is down may come back; one that was removed does not. */
    private long down() {
        try {
            return NetworkInterface.getByIndex(system.index()) == null ? -Linux.ENODEV : -Linux.EAGAIN;
        } catch (SocketException e) {
            return -Linux.ENODEV;
        }
    }

    @Override
    public long write(long from, long bytes) {
        return Linux.write(state, fd, from, bytes);
    }

    @Override
    public long write(MemorySegment pieces, int count) {
        return Linux.writev(state, fd, pieces, count);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            Linux.close(state, fd);
        }
    }
}
