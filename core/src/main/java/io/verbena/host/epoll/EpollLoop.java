package io.verbena.host.epoll;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import io.verbena.host.engine.EngineLoop;
import io.verbena.host.socket.SocketAcceptor;
import io.verbena.host.socket.SocketLoop;
import io.verbena.host.system.Linux;
import io.verbena.host.system.LinuxSockets;
import io.verbena.host.system.Machine;
import io.verbena.host.system.Sentences;
import io.verbena.port.ByteStream;
import io.verbena.port.PacketEvents;
import io.verbena.port.PacketPort;
import io.verbena.port.StreamEvents;
import io.verbena.port.StreamLoop;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The sockets of one engine by direct system calls of Linux (see {@link Linux}): epoll, and file descriptors.
 *
 * <p>Streams are watched edge-triggered, once, for both directions: neither a full socket nor back-pressure costs a
 * call, as the engine reads until nothing is available and writes until the socket is full. When reading is resumed,
 * the watch is re-armed, which reports the current state.
 *
 * <p>An epoll event contains a slot number and the generation of the slot: events for a previous user of the slot are
 * ignored.
 *
 * <pre>
 *   epoll_event.data   | generation 32 | slot 32 |      slot 0: the eventfd that ends a wait
 * </pre>
 */
public final class EpollLoop extends EngineLoop {

    private static final int MOST_EVENTS = 128;
    private static final int WAKE_SLOT = 0;

    /** struct epoll_event is packed on x86-64 only. */
    private static final int EVENT_BYTES = Machine.X86 ? 12 : 16;

    private static final int DATA_OFFSET = Machine.X86 ? 4 : 8;
    private static final int STREAM_EVENTS = Linux.EPOLLIN | Linux.EPOLLOUT | Linux.EPOLLRDHUP | Linux.EPOLLET;
    private static final int LAST_WORD = Linux.EPOLLRDHUP | Linux.EPOLLERR | Linux.EPOLLHUP;
    private static final int READABLE = Linux.EPOLLIN | LAST_WORD;
    private static final int WRITABLE = Linux.EPOLLOUT | Linux.EPOLLERR | Linux.EPOLLHUP;

    /** A timer of a thread expires up to this much late ({@code PR_SET_TIMERSLACK} in prctl(2)), so a shorter wait has no use. */
    private static final long TIMER_SLACK_NS = 50_000;

    private final int socketBufferBytes;
    private final LinuxSockets sockets = new LinuxSockets(Arena.ofAuto());
    private final MemorySegment events = Arena.ofAuto().allocate((long) EVENT_BYTES * MOST_EVENTS, Long.BYTES);
    private final MemorySegment iovecs = Arena.ofAuto().allocate((long) Linux.IOVEC_BYTES * Linux.IOV_MAX, Long.BYTES);
    private final MemorySegment counter = Arena.ofAuto().allocate(JAVA_LONG);
    private final MemorySegment change = Arena.ofAuto().allocate(EVENT_BYTES, Long.BYTES);
    private final MemorySegment timeout = Arena.ofAuto().allocate(Linux.TIMESPEC_BYTES, Long.BYTES);
    private final LinuxDatagrams datagrams = new LinuxDatagrams(Arena.ofAuto(), sockets.state(), iovecs);
    private final int epoll;
    private final List<EpollAcceptor> paused = new ArrayList<>();

    // Guarded by this: any thread may wake the loop, and listeners are opened and closed by any thread.
    private final int wake;
    private final MemorySegment wakeState = Linux.newState(Arena.ofAuto());
    private final MemorySegment one = Arena.ofAuto().allocate(JAVA_LONG);
    private @Nullable Watched[] slots = new Watched[16];
    private int[] generations = new int[16];
    private int lastTaken;

    /** Whether the system has epoll_pwait2, whose timeout is not a number of milliseconds. */
    private boolean fine = true;

    private boolean closed;

    /** Receives the events of a file descriptor. */
    abstract static sealed class Watched
            permits EpollAcceptor, EpollConnector, LinuxUdpSocket, StreamWatch, FramePort.Watch {
        int slot = -1;

        abstract int fd();
    }

    /** A stream that is attached. */
    static final class StreamWatch extends Watched {
        final EpollStream stream;

        StreamWatch(EpollStream stream) {
            this.stream = stream;
        }

        @Override
        int fd() {
            return stream.fd();
        }
    }

    /** Creates a loop whose sockets request buffers of this size; 0 leaves it to the system. */
    public EpollLoop(int socketBufferBytes) throws IOException {
        this.socketBufferBytes = socketBufferBytes;
        epoll = checked(Linux.epollCreate(sockets.state()), "epoll_create1");
        wake = Linux.eventfd(sockets.state());
        if (wake < 0) {
            sockets.close(epoll);
            throw LinuxSockets.exception(-wake, "eventfd");
        }
        one.set(JAVA_LONG, 0, 1);
        control(sockets.state(), change, Linux.EPOLL_CTL_ADD, wake, Linux.EPOLLIN, WAKE_SLOT);
    }

    /** A loop with buffers of this size for each socket, 0 for the system's choice: the faster kind that works here. */
    public static EngineLoop openFastest(int socketBufferBytes) throws IOException {
        return obstacle().isEmpty() ? new EpollLoop(socketBufferBytes) : new SocketLoop(socketBufferBytes);
    }

    /**
     * The reason why this loop cannot be used, one sentence; empty if it can. Called before {@link Linux} is
     * initialized, because the JVM prints a warning if native access is not enabled.
     */
    public static String obstacle() {
        String chosen = System.getProperty("io.verbena.sockets", "");
        if (chosen.equals("jdk")) {
            return "The property io.verbena.sockets selects the sockets of the JDK.";
        }
        return Machine.obstacleToLinux();
    }

    private static int checked(int outcome, String call) throws IOException {
        if (outcome < 0) {
            throw LinuxSockets.exception(-outcome, call);
        }
        return outcome;
    }

    // The round.

    @Override
    public long finestWaitNs() {
        return fine ? TIMER_SLACK_NS : NS_PER_MS;
    }

    @Override
    public void ask(long timeoutNs) {
        long mostNs = timeoutNs;
        if (!paused.isEmpty()) {
            long nowNs = System.nanoTime();
            paused.removeIf(acceptor -> acceptor.resume(nowNs));
            mostNs = paused.isEmpty() ? mostNs : Math.min(timeoutNs, SocketAcceptor.PAUSE_MS * NS_PER_MS);
        }
        int count = epollWait(mostNs);
        if (count < 0 && count != -Linux.EINTR) {
            throw new UncheckedIOException(LinuxSockets.exception(-count, "epoll_wait"));
        }
        for (int i = 0; i < count; i++) {
            long at = (long) i * EVENT_BYTES;
            try {
                tell(events.get(JAVA_LONG_UNALIGNED, at + DATA_OFFSET), events.get(JAVA_INT, at));
            } catch (InternalError e) {
                reported(afterLoss(e)); // the other events are not reported again
            }
        }
    }

    /** Linux before 5.11 does not have the finer call, and the filter of a container may refuse it. */
    private int epollWait(long mostNs) {
        if (fine && mostNs > 0) {
            int count = Linux.epollWait(sockets.state(), epoll, events, MOST_EVENTS, timeout, mostNs);
            if (count != -Linux.ENOSYS && count != -Linux.EPERM) {
                return count;
            }
            fine = false;
        }
        return Linux.epollWait(sockets.state(), epoll, events, MOST_EVENTS, (int) (mostNs / NS_PER_MS));
    }

    private void tell(long data, int ready) {
        if (data == WAKE_SLOT) {
            Linux.read(sockets.state(), wake, counter.address(), Long.BYTES);
            return;
        }
        switch (watched(data)) {
            case null -> {}
            case StreamWatch watch -> tell(watch.stream, ready);
            case EpollAcceptor acceptor -> reported(acceptor.accept());
            case LinuxUdpSocket socket -> tell(socket, ready);
            case FramePort.Watch watch -> tell(watch.port(), ready);
            case EpollConnector connector -> {
                reported(1);
                connector.finish();
            }
        }
    }

    private void tell(EpollStream stream, int ready) {
        StreamEvents listener = stream.events;
        if ((ready & LAST_WORD) != 0) {
            stream.onPeerEnded();
        }
        if ((ready & WRITABLE) != 0 && stream.wantsWritable()) {
            tellWritable(stream);
        }
        if ((ready & READABLE) != 0 && stream.events == listener) {
            tellReadable(stream);
        }
    }

    private void tell(LinuxUdpSocket socket, int ready) {
        LinuxUdpPort port = socket.port();
        if ((ready & Linux.EPOLLERR) != 0) {
            port.readErrors(socket.fd());
        }
        if ((ready & WRITABLE) != 0 && port.wantsWritable()) {
            tellWritable(port);
        }
        if ((ready & READABLE) != 0) {
            socket.ready(true);
            tellReadable(port);
        }
    }

    private void tell(FramePort port, int ready) {
        if ((ready & WRITABLE) != 0 && port.wantsWritable()) {
            tellWritable(port);
        }
        if ((ready & READABLE) != 0) {
            tellReadable(port);
        }
    }

    @Override
    public synchronized void wakeup() {
        if (!closed) {
            Linux.write(wakeState, wake, one.address(), Long.BYTES);
        }
    }

    // Watched descriptors.

    private synchronized @Nullable Watched watched(long data) {
        int slot = (int) data;
        return slot < slots.length && generations[slot] == (int) (data >>> Integer.SIZE) ? slots[slot] : null;
    }

    /** Starts to report these events. Any thread. */
    void watch(Watched who, int wanted) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            watch(who, wanted, Linux.newState(arena), arena.allocate(EVENT_BYTES, Long.BYTES));
        }
    }

    private synchronized void watch(Watched who, int wanted, MemorySegment state, MemorySegment event)
            throws IOException {
        if (closed) {
            throw new IOException("this RNIC is closed");
        }
        int slot = freeSlot();
        control(state, event, Linux.EPOLL_CTL_ADD, who.fd(), wanted, data(slot));
        slots[slot] = who;
        who.slot = slot;
    }

    private long data(int slot) {
        return (long) generations[slot] << Integer.SIZE | slot;
    }

    private int freeSlot() {
        for (int i = WAKE_SLOT + 1; i < slots.length; i++) {
            int slot = (lastTaken + i) % slots.length;
            if (slot != WAKE_SLOT && slots[slot] == null) {
                lastTaken = slot;
                return slot;
            }
        }
        int first = slots.length;
        slots = Arrays.copyOf(slots, 2 * first);
        generations = Arrays.copyOf(generations, 2 * first);
        lastTaken = first;
        return first;
    }

    /** Stops to report events. Any thread. */
    void unwatch(Watched who) {
        try (Arena arena = Arena.ofConfined()) {
            unwatch(who, Linux.newState(arena), arena.allocate(EVENT_BYTES, Long.BYTES));
        }
    }

    private synchronized void unwatch(Watched who, MemorySegment state, MemorySegment event) {
        if (who.slot < 0) {
            return;
        }
        slots[who.slot] = null;
        generations[who.slot]++;
        who.slot = -1;
        // This can fail for a descriptor that is already closed; the system has then removed it.
        Linux.epollCtl(state, epoll, Linux.EPOLL_CTL_DEL, who.fd(), event.address());
    }

    private void control(MemorySegment state, MemorySegment event, int operation, int fd, int wanted, long data)
            throws IOException {
        event.set(JAVA_INT, 0, wanted);
        event.set(JAVA_LONG_UNALIGNED, DATA_OFFSET, data);
        checked(Linux.epollCtl(state, epoll, operation, fd, event.address()), "epoll_ctl");
    }

    // Streams.

    @Override
    public void attach(ByteStream stream, StreamEvents listener) {
        EpollStream socket = (EpollStream) stream;
        if (socket.loop != null && socket.loop != this) {
            throw new IllegalStateException(socket + " is attached to another engine: detach it there first");
        }
        if (socket.watch != null) {
            unwatch(socket.watch);
        }
        socket.attached(this, listener);
        StreamWatch watch = new StreamWatch(socket);
        try {
            watch(watch, STREAM_EVENTS);
        } catch (IOException e) {
            throw new IllegalStateException(socket + " cannot be added to epoll: " + Sentences.reason(e), e);
        }
        socket.watch = watch;
        askSoon();
    }

    @Override
    public void detach(ByteStream stream) {
        EpollStream socket = (EpollStream) stream;
        if (socket.loop == this) {
            forget(socket);
            socket.loop = null;
        }
    }

    /** Stops to report events of the stream. */
    void forget(EpollStream stream) {
        stream.forgotten();
        cool(stream);
        StreamWatch watch = stream.watch;
        if (watch != null) {
            unwatch(watch);
            stream.watch = null;
        }
    }

    /** Reports the current state of the stream again. */
    void rearm(EpollStream stream) {
        StreamWatch watch = stream.watch;
        if (watch != null) {
            rewatch(watch, STREAM_EVENTS);
        }
    }

    /** Removes a descriptor from epoll for a while. Called by the owner; does not allocate. */
    void leave(Watched watch) {
        unwatch(watch, sockets.state(), change);
    }

    /** Adds the stream to epoll again, which reports its current state first. Called by the owner. */
    void rejoin(StreamWatch watch) {
        rejoin(watch, STREAM_EVENTS);
    }

    void rejoin(Watched watch, int wanted) {
        try {
            watch(watch, wanted, sockets.state(), change);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    LinuxSockets sockets() {
        return sockets;
    }

    // Packets.

    @Override
    public PacketPort open(InetSocketAddress local, PacketEvents listener) throws IOException {
        return LinuxUdpPort.open(this, local, listener);
    }

    LinuxDatagrams datagrams() {
        return datagrams;
    }

    /** Starts to report other events. Called by the owner; does not allocate. */
    synchronized void rewatch(Watched who, int wanted) {
        if (who.slot >= 0) {
            try {
                control(sockets.state(), change, Linux.EPOLL_CTL_MOD, who.fd(), wanted, data(who.slot));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Where a stream of this loop lists the pieces of a gathering call. */
    MemorySegment iovecs() {
        return iovecs;
    }

    // Connections.

    @Override
    public void connect(SocketAddress remote, ConnectEvents listener) {
        connect(Optional.empty(), remote, listener);
    }

    @Override
    public void connect(Optional<SocketAddress> local, SocketAddress remote, ConnectEvents listener) {
        new EpollConnector(this, local, remote, listener).start(socketBufferBytes);
    }

    @Override
    public StreamLoop.Acceptor listen(SocketAddress local, int backlog, AcceptEvents listener) throws IOException {
        return new EpollAcceptor(this, local, backlog, socketBufferBytes, listener);
    }

    /** An acceptor cannot accept for a while. */
    void pause(EpollAcceptor acceptor) {
        paused.add(acceptor);
    }

    /** Closes every watched socket. The loop must not be driven any more. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        gatherStreams();
        closed = true;
        for (Watched who : slots) {
            switch (who) {
                case null -> {}
                case StreamWatch watch -> watch.stream.close(false);
                case LinuxUdpSocket socket -> socket.port().close();
                case FramePort.Watch watch -> watch.port().close();
                default -> sockets.close(who.fd());
            }
        }
        sockets.close(wake);
        sockets.close(epoll);
    }
}
