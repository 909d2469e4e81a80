package io.verbena.host.segment;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import io.verbena.host.system.FileMapping;
import io.verbena.host.system.Linux;
import io.verbena.host.system.Machine;
import io.verbena.host.system.Threads;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * Waits for the sockets of shared segments in one thread, which exists while there are any. What belongs to the sockets is
 * guarded by the monitor of this object.
 */
final class SegmentLoop {

    /** struct epoll_event is packed on x86-64 only. */
    private static final int EVENT_BYTES = Machine.X86 ? 12 : 16;

    private static final int DATA_OFFSET = Machine.X86 ? 4 : 8;
    private static final int MOST_EVENTS = 16;

    private static final long RETRY_NS = 100_000_000L;

    /** Identifies the eventfd that ends a wait. */
    private static final long WAKE = 0;

    /** What happens when a socket has something to read, or has ended. Called under the monitor; does not block. */
    @FunctionalInterface
    interface Ready {
        void ready();
    }

    /** The descriptors of a running thread. */
    private record Waiting(int epoll, int wake) {}

    private final String name;
    private final Map<Long, Ready> watched = new HashMap<>();
    private Optional<Waiting> waiting = Optional.empty();
    private long last;

    /** @param name begins the name of the thread */
    SegmentLoop(String name) {
        this.name = name;
    }

    /** Calls {@code who} from now on, whenever there is something to read. Returns a number to end that with. */
    long watch(int fd, Ready who) throws IOException {
        return watch(fd, Linux.EPOLLIN | Linux.EPOLLRDHUP, who);
    }

    /**
     * Calls {@code who} from now on for each connection that arrives. One that cannot be accepted, because there are no descriptors, is
     * seen again with the next one, and does not keep the thread busy.
     */
    long watchListener(int fd, Ready who) throws IOException {
        return watch(fd, Linux.EPOLLIN | Linux.EPOLLET, who);
    }

    private synchronized long watch(int fd, int wanted, Ready who) throws IOException {
        long id = ++last;
        boolean done = false;
        try (Arena arena = Arena.ofConfined()) {
            control(arena, waiting.isPresent() ? waiting.get().epoll : start(arena).epoll, fd, wanted, id);
            watched.put(id, who);
            done = true;
            return id;
        } finally {
            if (!done) {
                unwatch(id);
            }
        }
    }

    private static void control(Arena arena, int epoll, int fd, int wanted, long id) throws IOException {
        MemorySegment event = arena.allocate(EVENT_BYTES, Long.BYTES);
        event.set(JAVA_INT, 0, wanted);
        event.set(JAVA_LONG_UNALIGNED, DATA_OFFSET, id);
        FileMapping.check(
                Linux.epollCtl(Linux.newState(arena), epoll, Linux.EPOLL_CTL_ADD, fd, event.address()), "epoll_ctl");
    }

    private Waiting start(Arena arena) throws IOException {
        MemorySegment state = Linux.newState(arena);
        int epoll = (int) FileMapping.check(Linux.epollCreate(state), "epoll_create");
        int wake = Linux.eventfd(state);
        boolean started = false;
        try {
            FileMapping.check(wake, "eventfd");
            control(arena, epoll, wake, Linux.EPOLLIN, WAKE);
            Waiting created = new Waiting(epoll, wake);
            Thread thread = new Thread(() -> run(created), name + "-segments");
            thread.setDaemon(true);
            thread.start();
            waiting = Optional.of(created);
            started = true;
            return created;
        } finally {
            if (!started) {
                SegmentSocket.closeDescriptor(epoll);
                SegmentSocket.closeDescriptor(wake);
            }
        }
    }

    /** Ends a watch; the caller then closes the socket. The thread ends with the last one. */
    synchronized void unwatch(long id) {
        watched.remove(id);
        if (watched.isEmpty() && waiting.isPresent()) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment one = arena.allocateFrom(JAVA_LONG, 1L);
                Linux.write(Linux.newState(arena), waiting.get().wake, one.address(), Long.BYTES);
            }
        }
    }

    private void run(Waiting in) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = Linux.newState(arena);
            MemorySegment events = arena.allocate((long) EVENT_BYTES * MOST_EVENTS, Long.BYTES);
            MemorySegment count = arena.allocate(JAVA_LONG);
            while (true) {
                int ready = Linux.epollWait(state, in.epoll, events, MOST_EVENTS, -1);
                boolean failed = false;
                synchronized (this) {
                    for (int i = 0; i < ready; i++) {
                        failed |= !notifyOf(events.get(JAVA_LONG_UNALIGNED, (long) i * EVENT_BYTES + DATA_OFFSET));
                    }
                    if (watched.isEmpty()) {
                        waiting = Optional.empty();
                        return;
                    }
                    Linux.read(state, in.wake, count.address(), Long.BYTES); // stays otherwise, for a later end
                }
                if (failed) {
                    LockSupport.parkNanos(RETRY_NS);
                }
            }
        } finally {
            SegmentSocket.closeDescriptor(in.epoll);
            SegmentSocket.closeDescriptor(in.wake);
        }
    }

    /** Returns false if the call failed, for example because there is no memory: it is repeated after a pause. */
    private boolean notifyOf(long id) {
        Ready who = watched.get(id);
        if (who == null) {
            return true;
        }
        try {
            who.ready();
            return true;
        } catch (Throwable e) {
            Threads.uncaught(e);
            return false;
        }
    }
}
