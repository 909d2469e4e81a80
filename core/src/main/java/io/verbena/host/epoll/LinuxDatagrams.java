package io.verbena.host.epoll;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.verbena.base.PacketList;
import io.verbena.base.PacketPath;
import io.verbena.host.socket.UdpPort;
import io.verbena.host.system.Linux;
import io.verbena.port.Addresses;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * sendmsg(2) and recvmsg(2) for the datagrams of one loop, with groups of packets per call (UDP_SEGMENT, UDP_GRO).
 *
 * <pre>
 *   msghdr    | name 8 | its length 4, 4 free | iovecs 8 | their number 8 | control 8 | its length 8 | flags 4, 4 free |
 *   cmsghdr   | length 8 | level 4 | type 4 | data, padded to 8 |
 * </pre>
 */
final class LinuxDatagrams {

    private static final ValueLayout.OfShort NET_SHORT = JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt NET_INT = JAVA_INT.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong NET_LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final int HEADER_BYTES = 56;
    private static final int NAME_LENGTH = 8;
    private static final int IOVECS = 16;
    private static final int IOVEC_COUNT = 24;
    private static final int CONTROL = 32;
    private static final int CONTROL_LENGTH = 40;
    private static final int FLAGS = 48;

    private static final int CONTROL_BYTES = 256;
    private static final int CONTROL_HEADER = 16;
    private static final int NAME_BYTES = 28;
    private static final int IN_BYTES = 16;
    private static final long IPV4_MAPPED = 0xffff_0000_0000L;

    /** Result of {@link #receive} for a datagram that was longer than the buffer. */
    static final int TRUNCATED = Integer.MIN_VALUE;

    private final MemorySegment state;
    private final MemorySegment iovecs;
    private final MemorySegment outHeader;
    private final MemorySegment outName;
    private final MemorySegment outControl;
    private final MemorySegment inHeader;
    private final MemorySegment inIovec;
    private final MemorySegment inName;
    private final MemorySegment inControl;
    private @Nullable ByteBuffer scratch;
    private @Nullable PacketPath namedPath;
    private boolean namedSix;
    private int namedScope;

    // The last datagram received.
    private int segmentBytes;
    private int trafficClass;
    private int error;

    /** With the errno state and the iovecs of a loop. */
    LinuxDatagrams(Arena arena, MemorySegment state, MemorySegment iovecs) {
        this.state = state;
        this.iovecs = iovecs;
        outHeader = header(arena);
        outName = arena.allocate(NAME_BYTES, Long.BYTES);
        outControl = arena.allocate(CONTROL_BYTES, Long.BYTES);
        inHeader = header(arena);
        inName = arena.allocate(NAME_BYTES, Long.BYTES);
        inIovec = arena.allocate(Linux.IOVEC_BYTES, Long.BYTES);
        inControl = arena.allocate(CONTROL_BYTES, Long.BYTES);
        outHeader.set(JAVA_LONG, 0, outName.address());
        outHeader.set(JAVA_LONG, IOVECS, iovecs.address());
        outHeader.set(JAVA_LONG, CONTROL, outControl.address());
        inHeader.set(JAVA_LONG, 0, inName.address());
        inHeader.set(JAVA_LONG, IOVECS, inIovec.address());
        inHeader.set(JAVA_LONG, IOVEC_COUNT, 1);
        inHeader.set(JAVA_LONG, CONTROL, inControl.address());
    }

    private static MemorySegment header(Arena arena) {
        return arena.allocate(HEADER_BYTES, Long.BYTES);
    }

    // Sending.

    /**
     * Sends consecutive packets of a list, all to one path, by one call.
     *
     * @param six whether the socket is one of IPv6
     * @param scope scope of the local address, used for link-local destinations
     * @return the number of bytes, or -errno
     */
    int send(int fd, boolean six, int scope, PacketList list, int first, int end) {
        PacketPath path = list.path(first);
        outHeader.set(JAVA_INT, NAME_LENGTH, name(path, six, scope));
        outHeader.set(JAVA_LONG, IOVEC_COUNT, pieces(list, first, end));
        int control = 0;
        if (path.trafficClass() != 0) {
            control = path.ipv4()
                    ? number(control, Linux.IPPROTO_IP, Linux.IP_TOS, path.trafficClass())
                    : number(control, Linux.IPPROTO_IPV6, Linux.IPV6_TCLASS, path.trafficClass());
        }
        if (end - first > 1) {
            control = segment(control, list.length(first));
        }
        outHeader.set(JAVA_LONG, CONTROL_LENGTH, control);
        return Linux.sendmsg(state, fd, outHeader, Linux.MSG_NOSIGNAL);
    }

    @SuppressWarnings("ReferenceEquality") // one flow has one path object
    private int name(PacketPath path, boolean six, int scope) {
        if (path != namedPath || six != namedSix || scope != namedScope) {
            outName.fill((byte) 0);
            outName.set(JAVA_SHORT, 0, (short) (six ? Linux.AF_INET6 : Linux.AF_INET));
            outName.set(NET_SHORT, 2, (short) path.port());
            if (six) {
                outName.set(NET_LONG, 8, path.addressHigh());
                outName.set(NET_LONG, 16, path.addressLow());
                outName.set(JAVA_INT, 24, path.addressHigh() >>> 54 == 0xfe80 >>> 6 ? scope : 0);
            } else {
                outName.set(NET_INT, 4, (int) path.addressLow());
            }
            namedPath = path;
            namedSix = six;
            namedScope = scope;
        }
        return six ? NAME_BYTES : IN_BYTES;
    }

    /** Lists the pieces of the packets; adjacent ones are joined. Returns their number. */
    private int pieces(PacketList list, int first, int end) {
        int from = list.firstPiece(first);
        int to = list.firstPiece(end);
        if (list.inSlab()) {
            iovecs.set(JAVA_LONG, 0, list.pieceAddress(from));
            iovecs.set(JAVA_LONG, Long.BYTES, list.bytes(first, end));
            return 1;
        }
        if (to - from > Linux.IOV_MAX) {
            return copied(list, first, end);
        }
        int count = 0;
        long nextAddress = 0;
        long length = 0;
        for (int i = from; i < to; i++) {
            long address = list.pieceAddress(i);
            if (count > 0 && address == nextAddress) {
                length += list.pieceLength(i);
            } else {
                count++;
                length = list.pieceLength(i);
                iovecs.set(JAVA_LONG, (count - 1L) * Linux.IOVEC_BYTES, address);
            }
            nextAddress = address + list.pieceLength(i);
            iovecs.set(JAVA_LONG, (count - 1L) * Linux.IOVEC_BYTES + Long.BYTES, length);
        }
        return count;
    }

    /** One piece with the bytes of all, for more pieces than a call takes. */
    private int copied(PacketList list, int first, int end) {
        ByteBuffer buffer = scratch;
        if (buffer == null) {
            buffer = ByteBuffer.allocateDirect(UdpPort.MAX_PAYLOAD_BYTES);
            scratch = buffer;
        }
        buffer.clear();
        for (int i = first; i < end; i++) {
            list.copyOut(i, buffer);
        }
        iovecs.set(JAVA_LONG, 0, MemorySegment.ofBuffer(buffer.flip()).address());
        iovecs.set(JAVA_LONG, Long.BYTES, buffer.remaining());
        return 1;
    }

    private int number(int at, int level, int type, int value) {
        outControl.set(JAVA_LONG, at, CONTROL_HEADER + Integer.BYTES);
        outControl.set(JAVA_INT, at + 8L, level);
        outControl.set(JAVA_INT, at + 12L, type);
        outControl.set(JAVA_INT, at + 16L, value);
        return at + CONTROL_HEADER + Long.BYTES;
    }

    private int segment(int at, int bytes) {
        number(at, Linux.IPPROTO_UDP, Linux.UDP_SEGMENT, 0);
        outControl.set(JAVA_LONG, at, CONTROL_HEADER + Short.BYTES);
        outControl.set(JAVA_SHORT, at + (long) CONTROL_HEADER, (short) bytes);
        return at + CONTROL_HEADER + Long.BYTES;
    }

    // Receiving.

    /**
     * Receives a datagram, or several of one length and one sender; see {@link #segmentBytes}.
     *
     * @return the number of bytes, {@link #TRUNCATED}, or -errno
     */
    int receive(int fd, long address, int bytes) {
        inIovec.set(JAVA_LONG, 0, address);
        inIovec.set(JAVA_LONG, Long.BYTES, bytes);
        int count = receive(fd, 0);
        if (count < 0) {
            return count;
        }
        readControl(count);
        return (inHeader.get(JAVA_INT, FLAGS) & Linux.MSG_TRUNC) != 0 ? TRUNCATED : count;
    }

    private int receive(int fd, int flags) {
        inHeader.set(JAVA_INT, NAME_LENGTH, NAME_BYTES);
        inHeader.set(JAVA_LONG, CONTROL_LENGTH, CONTROL_BYTES);
        return Linux.recvmsg(state, fd, inHeader, flags);
    }

    private void readControl(int bytes) {
        segmentBytes = bytes;
        trafficClass = 0;
        long end = Math.min(CONTROL_BYTES, inHeader.get(JAVA_LONG, CONTROL_LENGTH));
        long at = 0;
        while (at + CONTROL_HEADER < end) {
            long length = inControl.get(JAVA_LONG, at);
            if (length <= CONTROL_HEADER || at + length > end) {
                return;
            }
            read(inControl.get(JAVA_INT, at + 8), inControl.get(JAVA_INT, at + 12), at + CONTROL_HEADER, bytes);
            at += length + 7 & ~7L;
        }
    }

    private void read(int level, int type, long at, int bytes) {
        if (level == Linux.IPPROTO_UDP && type == Linux.UDP_GRO) {
            int segment = inControl.get(JAVA_INT, at);
            segmentBytes = segment > 0 && segment < bytes ? segment : bytes;
        } else if (level == Linux.IPPROTO_IP && type == Linux.IP_TOS) {
            trafficClass = inControl.get(ValueLayout.JAVA_BYTE, at) & 0xff; // one byte, unlike that of IPv6
        } else if (level == Linux.IPPROTO_IPV6 && type == Linux.IPV6_TCLASS) {
            trafficClass = inControl.get(JAVA_INT, at) & 0xff;
        } else if (level == Linux.IPPROTO_IP && type == Linux.IP_RECVERR
                || level == Linux.IPPROTO_IPV6 && type == Linux.IPV6_RECVERR) {
            error = inControl.get(JAVA_INT, at); // the first field of struct sock_extended_err
        }
    }

    /** Length of the datagrams that were received together; the last one may be shorter. */
    int segmentBytes() {
        return segmentBytes;
    }

    int trafficClass() {
        return trafficClass;
    }

    private boolean six() {
        return inName.get(JAVA_SHORT, 0) == Linux.AF_INET6;
    }

    long sourceHigh() {
        return six() ? inName.get(NET_LONG, 8) : 0;
    }

    long sourceLow() {
        return six() ? inName.get(NET_LONG, 16) : IPV4_MAPPED | inName.get(NET_INT, 4) & 0xffff_ffffL;
    }

    int sourcePort() {
        return inName.get(NET_SHORT, 2) & 0xffff;
    }

    /** The destination of a packet that the network could not deliver; empty if the error queue is empty. */
    Optional<InetSocketAddress> takeError(int fd) {
        inIovec.set(JAVA_LONG, Long.BYTES, 0);
        if (receive(fd, Linux.MSG_ERRQUEUE) < 0) {
            return Optional.empty();
        }
        error = 0;
        readControl(0);
        return Optional.of(new InetSocketAddress(Addresses.address(sourceHigh(), sourceLow()), sourcePort()));
    }

    /** Whether the last {@link #takeError} reported that no process has the port of the destination. */
    boolean refused() {
        return error == Linux.ECONNREFUSED;
    }
}
