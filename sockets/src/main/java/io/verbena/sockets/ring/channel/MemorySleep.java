package io.verbena.sockets.ring.channel;

import io.verbena.sockets.ring.RingSleep;
import io.verbena.verbs.HostMemory;
import io.verbena.verbs.HostWait;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The threads of one side that sleep in the shared memory: the peer wakes them by one call of the system, where a byte on the TCP connection is sent, waited for and read. The
 * price is that such a thread learns nothing from the connection, which a {@link LineWatch} reads for it.
 *
 * <p>A peer that cannot wake threads in memory, because it has no native access, sends a byte all the same. Then the watch ends, and begins with the next sleep; after {@link
 * #MOST_WATCHES} of them, threads of this side wait for the connection.
 */
final class MemorySleep {

    static final int MOST_WATCHES = 16;

    private final RingSocket socket;
    private final AtomicInteger watches = new AtomicInteger();
    private final AtomicBoolean watched = new AtomicBoolean();
    private volatile @Nullable LineWatch watch;

    // Each is made by the one thread that reads or writes; any thread wakes.
    private volatile @Nullable HostWait reader;
    private volatile @Nullable HostWait writer;

    MemorySleep(RingSocket socket) {
        this.socket = socket;
    }

    void watchBy(LineWatch by) {
        watch = by;
    }

    /** Whether threads can sleep in the memory. */
    boolean possible() {
        return watch != null && watches.get() < MOST_WATCHES;
    }

    /** The wait of the calling thread; null if it waits for the connection. */
    @Nullable
    HostWait waitFor(boolean bytes) {
        LineWatch watching = watch;
        if (watching == null || !possible() || Thread.currentThread().isVirtual()) {
            return null; // a virtual thread would keep its carrier
        }
        HostWait wait = bytes ? reader : writer;
        if (wait != null) {
            return wait;
        }
        Optional<HostWait> own = watching.newWait();
        if (own.isEmpty()) {
            watch = null;
            return null;
        }
        if (bytes) {
            reader = own.get();
        } else {
            writer = own.get();
        }
        return own.get();
    }

    /**
     * Adds a word, and announces the sleep by it unless that was done before. Returns whether it was not: then the caller looks after a fence.
     */
    static boolean add(HostWait wait, HostMemory.Mapping memory, RingSleep sleep) {
        int value = sleep.value();
        boolean fresh = (value & RingSleep.BY_MEMORY) == 0;
        wait.add(memory, sleep.at(), fresh ? sleep.announce(RingSleep.BY_MEMORY) : value);
        return fresh;
    }

    /** A thread is about to sleep. */
    void watch() {
        LineWatch watching = watch;
        if (watching != null && !watched.get() && watched.compareAndSet(false, true)) {
            watches.incrementAndGet();
            watching.watch(socket);
        }
    }

    /** The watch has found bytes. */
    void unwatched() {
        watched.set(false);
    }

    /** The threads that wait look again. */
    void signal() {
        HostWait reads = reader;
        if (reads != null) {
            reads.wake();
        }
        HostWait writes = writer;
        if (writes != null) {
            writes.wake();
        }
    }

    void onClosed() {
        LineWatch watching = watch;
        if (watching != null && watches.get() > 0) {
            watching.forget();
        }
    }
}
