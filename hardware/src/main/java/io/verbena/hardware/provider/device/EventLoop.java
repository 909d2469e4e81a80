package io.verbena.hardware.provider.device;

import io.verbena.base.Log;
import io.verbena.hardware.abi.Native;
import io.verbena.hardware.abi.SystemCalls;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Waits for the descriptors of an RNIC: completion channels, asynchronous events, connection manager. One thread does so, or
 * with INLINE progress the owner of the RNIC whenever it waits.
 */
public final class EventLoop implements AutoCloseable {

    private static final int MOST = 256;
    private static final long JOIN_MS = 5_000;

    /** A descriptor and what happens when it is readable. */
    private record Source(int fd, Runnable ready) {}

    private final Arena arena = Arena.ofShared();
    private final long pollfds =
            arena.allocate((long) MOST * SystemCalls.POLLFD_BYTES, 8).address();
    private final long word = arena.allocate(Long.BYTES, 8).address();
    private final long one = arena.allocate(Long.BYTES, 8).address();
    private final List<Source> sources = new CopyOnWriteArrayList<>();
    private final int wake = SystemCalls.eventfd();
    private final Thread thread;
    private final ReentrantLock serving = new ReentrantLock();
    private volatile boolean closed;

    /** A loop with a thread of this name; the empty name is for a loop that its owner turns. */
    public EventLoop(String threadName) {
        Native.putLong(one, 1);
        thread = Thread.ofPlatform().name(threadName).daemon().unstarted(this::run);
        add(wake, () -> {
            long _ = SystemCalls.readLong(wake, word);
        });
        if (!threadName.isEmpty()) {
            thread.start();
        }
    }

    /** Has this run whenever the descriptor is readable. It reads what is there and does not wait. */
    public void add(int fd, Runnable ready) {
        SystemCalls.doNotWait(fd);
        sources.add(new Source(fd, ready));
        wake();
    }

    /** Forgets a descriptor, before it is closed. After the return nothing serves it. */
    public void remove(int fd) {
        sources.removeIf(each -> each.fd == fd);
        wake();
        awaitServed();
    }

    /** Waits until what is being served is done; returns at once in a method that is served. */
    public void awaitServed() {
        serving.lock();
        serving.unlock();
    }

    public void wake() {
        if (closed) {
            return;
        }
        long _ = SystemCalls.writeLong(wake, one);
    }

    private void run() {
        while (!closed) {
            turn(-1);
        }
    }

    /** Waits for at most this time and serves what is ready; negative: without limit. Returns the number of what was. */
    public synchronized int turn(int timeoutMs) {
        if (closed) {
            return 0;
        }
        List<Source> now = List.copyOf(sources);
        for (int i = 0; i < now.size(); i++) {
            long entry = pollfds + (long) i * SystemCalls.POLLFD_BYTES;
            Native.putInt(entry, now.get(i).fd);
            Native.putInt(entry + Integer.BYTES, SystemCalls.POLLIN);
        }
        int ready = SystemCalls.poll(pollfds, now.size(), timeoutMs);
        for (int i = 0; ready > 0 && i < now.size(); i++) {
            if (Native.shortAt(pollfds + (long) i * SystemCalls.POLLFD_BYTES + 6) != 0) {
                serve(now.get(i));
            }
        }
        return ready;
    }

    private void serve(Source source) {
        serving.lock();
        try {
            if (sources.contains(source)) {
                source.ready.run();
            }
        } catch (Throwable e) {
            Log.bug("serving an event of an adapter", e);
        } finally {
            serving.unlock();
        }
    }

    /** Ends the loop; returns when it serves nothing any more. */
    @Override
    public void close() {
        wake();
        closed = true;
        long _ = SystemCalls.writeLong(wake, one);
        try {
            if (thread.isAlive() && Thread.currentThread() != thread) {
                thread.join(JOIN_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        synchronized (this) {
            SystemCalls.close(wake);
            arena.close();
        }
    }

    /** Whether the calling thread is the one of the loop, which must not wait for events. */
    @SuppressWarnings("ReferenceEquality") // threads have no other equality
    public boolean inLoop() {
        return Thread.currentThread() == thread;
    }
}
