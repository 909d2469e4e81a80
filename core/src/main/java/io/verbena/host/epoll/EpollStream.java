package io.verbena.host.epoll;

import io.verbena.base.TransmitList;
import io.verbena.host.engine.LoopStream;
import io.verbena.host.system.Linux;
import io.verbena.host.system.LinuxSockets;
import io.verbena.port.StreamEvents;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import org.jspecify.annotations.Nullable;

/**
 * A TCP connection by its file descriptor. Reading and writing is one system call each and does not allocate; a whole
 * list of pieces is sent with one call.
 */
public final class EpollStream extends LoopStream {

    private static final int CLOSED = -1;

    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private int fd;

    /** The loop this stream is attached to, and its place there. */
    @Nullable
    EpollLoop loop;

    EpollLoop.@Nullable StreamWatch watch;

    private boolean peerEnded;
    private boolean wantsReadable;
    private boolean wantsWritable;
    private boolean leftSystem;

    /** Whether the system drops what is not sent when the descriptor is closed, and resets the connection. */
    private boolean drops;

    /**
     * Whether the last write returned that the socket is full: then the system reports writability. A write that was
     * merely incomplete may also have met inaccessible memory, which only the next write shows.
     */
    private boolean full;

    /** Around a connected socket, which it owns: sets it up for small messages without delay. */
    public EpollStream(LinuxSockets sockets, int fd) throws IOException {
        this.fd = fd;
        sockets.set(fd, Linux.IPPROTO_TCP, Linux.TCP_NODELAY, 1);
        local = sockets.localAddress(fd);
        remote = sockets.remoteAddress(fd);
    }

    int fd() {
        return fd;
    }

    void attached(EpollLoop newLoop, StreamEvents listener) {
        loop = newLoop;
        events = listener;
        reportedRound = -1;
        leftSystem = false;
        wantsReadable = true;
        wantsWritable = false;
    }

    @Override
    public boolean wantsReadable() {
        return wantsReadable;
    }

    @Override
    public boolean wantsWritable() {
        return wantsWritable;
    }

    private LinuxSockets sockets() {
        EpollLoop currentLoop = loop;
        return currentLoop == null
                ? new LinuxSockets(Arena.ofAuto())
                : currentLoop.sockets(); // no thread shares those of a loop
    }

    private int open() throws IOException {
        if (fd == CLOSED) {
            throw new ClosedChannelException();
        }
        return fd;
    }

    // Bytes.

    @Override
    public int read(ByteBuffer target) throws IOException {
        MemorySegment memory = MemorySegment.ofBuffer(target);
        int count = read(target, memory.address());
        Reference.reachabilityFence(memory);
        return count;
    }

    @Override
    public int read(ByteBuffer target, long address) throws IOException {
        int room = target.remaining();
        if (room == 0) {
            return 0;
        }
        long count = Linux.recv(sockets().state(), open(), address, room);
        Reference.reachabilityFence(target);
        if (count > 0) {
            readBytes += count;
            target.position(target.position() + (int) count);
            return (int) count;
        }
        return count == 0 ? END : nothing((int) -count, "recv");
    }

    @Override
    public int read(ByteBuffer first, long firstAddress, ByteBuffer second, long secondAddress) throws IOException {
        EpollLoop currentLoop = loop;
        if (currentLoop == null || second.remaining() == 0) {
            return read(first, firstAddress);
        }
        MemorySegment iovecs = currentLoop.iovecs();
        Linux.iovec(iovecs, 0, firstAddress, first.remaining());
        Linux.iovec(iovecs, 1, secondAddress, second.remaining());
        long count = Linux.readv(currentLoop.sockets().state(), open(), iovecs, 2);
        Reference.reachabilityFence(first);
        Reference.reachabilityFence(second);
        if (count > 0) {
            readBytes += count;
            return (int) count;
        }
        return count == 0 ? END : nothing((int) -count, "readv");
    }

    @Override
    public boolean shortReadIsAll() {
        return !peerEnded;
    }

    /** The system has reported the end of the stream or an error: there is something to read after the last byte. */
    void onPeerEnded() {
        peerEnded = true;
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        MemorySegment memory = MemorySegment.ofBuffer(source);
        int count = write(source, memory.address());
        Reference.reachabilityFence(memory);
        return count;
    }

    @Override
    public int write(ByteBuffer source, long address) throws IOException {
        long count = Linux.send(sockets().state(), open(), address, source.remaining());
        Reference.reachabilityFence(source);
        full = count < 0;
        if (full) {
            count = nothing((int) -count, "send");
        }
        source.position(source.position() + (int) count);
        return (int) count;
    }

    @Override
    public boolean gathers() {
        return true;
    }

    @Override
    public int write(TransmitList list) throws IOException {
        EpollLoop currentLoop = loop;
        if (currentLoop == null) {
            return super.write(list);
        }
        int pieces = list.pieces();
        if (pieces == 1) {
            return write(list.piece(0), list.pieceAddress(0));
        }
        int written = 0;
        for (int first = 0; first < pieces; first += Linux.IOV_MAX) {
            int behind = Math.min(pieces, first + Linux.IOV_MAX);
            int asked = gather(list, first, behind, currentLoop.iovecs());
            long count = Linux.writev(currentLoop.sockets().state(), open(), currentLoop.iovecs(), behind - first);
            full = count < 0;
            if (full) {
                count = nothing((int) -count, "writev");
            }
            written += (int) count;
            if (count < asked) {
                break;
            }
        }
        Reference.reachabilityFence(list);
        return written;
    }

    private static int gather(TransmitList list, int first, int behind, MemorySegment iovecs) {
        int bytes = 0;
        for (int i = first; i < behind; i++) {
            int length = list.pieceLength(i);
            Linux.iovec(iovecs, i - first, list.pieceAddress(i), length);
            bytes += length;
        }
        return bytes;
    }

    /** 0 when it only would have to wait. */
    private static int nothing(int errno, String call) throws IOException {
        if (errno == Linux.EAGAIN || errno == Linux.EINTR) {
            return 0;
        }
        throw LinuxSockets.exception(errno, call);
    }

    // Readiness.

    @Override
    public void wantWritable(boolean wanted) {
        boolean news = wanted && !wantsWritable && !full;
        wantsWritable = wanted;
        if (wanted) {
            rejoinSystem();
        }
        EpollLoop currentLoop = loop;
        if (news && currentLoop != null) {
            currentLoop.rearm(this);
        }
    }

    @Override
    public void wantReadable(boolean wanted) {
        boolean news = wanted && !wantsReadable;
        wantsReadable = wanted;
        EpollLoop currentLoop = loop;
        if (news && currentLoop != null) {
            currentLoop.rearm(this);
        }
    }

    /** The loop does not report events of this stream any more. */
    void forgotten() {
        events = null;
        leftSystem = false;
    }

    @Override
    public void leaveSystem() {
        EpollLoop currentLoop = loop;
        if (currentLoop != null && watch != null && !wantsWritable) {
            leftSystem = true;
            currentLoop.leave(watch);
        }
    }

    @Override
    public void rejoinSystem() {
        EpollLoop currentLoop = loop;
        if (leftSystem && currentLoop != null && watch != null) {
            currentLoop.rejoin(watch);
        }
        leftSystem = false;
        busyRounds = 0;
    }

    @Override
    public void keepAlive(long boundNs) {
        if (fd == CLOSED) {
            return;
        }
        int step = probeStepS(boundNs); // options that the system refuses keep their values
        sockets().set(fd, Linux.SOL_SOCKET, Linux.SO_KEEPALIVE, boundNs > 0 ? 1 : 0);
        sockets().set(fd, Linux.IPPROTO_TCP, Linux.TCP_KEEPIDLE, step * SYSTEM_PROBES);
        sockets().set(fd, Linux.IPPROTO_TCP, Linux.TCP_KEEPINTVL, step);
        sockets().set(fd, Linux.IPPROTO_TCP, Linux.TCP_KEEPCNT, SYSTEM_PROBES);
    }

    @Override
    public void resetIfKilled(boolean reset) {
        if (fd != CLOSED && drops != reset) {
            drops = reset;
            sockets().dropOnClose(fd, reset);
        }
    }

    // Ends.

    /** The system reports the state of the connection: once the FIN is acknowledged, everything before it is. */
    @Override
    public boolean acknowledged() {
        return switch (fd == CLOSED ? 0 : sockets().number(fd, Linux.IPPROTO_TCP, Linux.TCP_INFO) & 0xff) {
            case Linux.TCP_ESTABLISHED,
                    Linux.TCP_FIN_WAIT1,
                    Linux.TCP_CLOSE_WAIT,
                    Linux.TCP_LAST_ACK,
                    Linux.TCP_CLOSING -> false;
            default -> true;
        };
    }

    @Override
    public void shutdownOutput() throws IOException {
        int outcome = Linux.shutdownOutput(sockets().state(), open());
        if (outcome < 0) {
            throw LinuxSockets.exception(-outcome, "shutdown");
        }
    }

    @Override
    public void close(boolean abortive) {
        if (fd == CLOSED) {
            return;
        }
        LinuxSockets sockets = sockets();
        EpollLoop from = loop;
        if (from != null) {
            from.forget(this);
        }
        int closing = fd;
        fd = CLOSED;
        if (abortive != drops) {
            sockets.dropOnClose(closing, abortive);
        }
        sockets.close(closing);
    }

    @Override
    public SocketAddress localAddress() {
        return local;
    }

    @Override
    public SocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public String toString() {
        return "socket " + local + " to " + remote;
    }
}
