package io.verbena.host.system;

import io.verbena.base.Log;
import java.lang.foreign.Arena;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Unmaps memory of peers. The system takes 0.3 to 1 ms per MiB to free the page tables and references of large memory, and an engine
 * that waited for it would delay all its connections: a thread of its own does it. The thread ends after a second without work.
 */
public final class Unmapping {

    /** Smaller memory is unmapped by the caller: waking a thread would take longer. */
    public static final int LATER_BYTES = 1 << 20;

    private static final ThreadPoolExecutor THREAD = new ThreadPoolExecutor(
            1,
            1,
            1,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            job -> Thread.ofPlatform().daemon().name("verbena-unmap").unstarted(job));

    static {
        THREAD.allowCoreThreadTimeOut(true);
    }

    private Unmapping() {}

    /** Unmaps the memory of an arena that nothing accesses any more; now or soon. */
    public static void unmap(Arena arena, long bytes) {
        if (bytes < LATER_BYTES) {
            arena.close();
        } else {
            later(arena);
        }
    }

    /**
     * Unmaps the memory of an arena soon. To close one, the JVM waits for each of its threads that has work to do: on a machine with much load
     * that takes the time slices of other processes.
     */
    public static void later(Arena arena) {
        Runnable once = new Once(arena);
        try {
            THREAD.execute(once);
        } catch (OutOfMemoryError e) {
            once.run(); // the system starts no more threads
        }
    }

    /** Closes an arena, once: the executor may keep a job although it could not start a thread for it. */
    private static final class Once implements Runnable {

        private final Arena arena;
        private final AtomicBoolean begun = new AtomicBoolean();

        Once(Arena arena) {
            this.arena = arena;
        }

        @Override
        public void run() {
            if (begun.compareAndSet(false, true)) {
                try {
                    arena.close();
                } catch (RuntimeException | Error e) {
                    Log.bug("unmapping memory of a peer", e);
                }
            }
        }
    }
}
