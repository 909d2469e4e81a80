package io.verbena.web;

import io.verbena.base.Times;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Runs each request in a virtual thread with a deadline. A thread that misses its deadline is interrupted, which closes the channel
 * that it reads or writes: the client has stopped sending or receiving.
 */
final class RequestThreads implements Executor, AutoCloseable {

    private static final long LOOK_MS = 50;

    private final long patienceNs;
    private final Map<Thread, Long> deadlines = new ConcurrentHashMap<>();
    private final CountDownLatch closed = new CountDownLatch(1);

    RequestThreads(Duration patience) {
        patienceNs = Times.nanos(patience);
        Thread.ofVirtual().name("verbena-web-deadlines").start(this::watch);
    }

    @Override
    public void execute(Runnable request) {
        if (closed.getCount() == 0) {
            throw new RejectedExecutionException("The server is closed.");
        }
        Thread.ofVirtual().name("verbena-web-request").start(() -> {
            try {
                extend();
                request.run();
            } finally {
                deadlines.remove(Thread.currentThread());
            }
        });
    }

    /** The request of the calling thread makes progress: its deadline begins again. */
    void extend() {
        deadlines.put(Thread.currentThread(), System.nanoTime() + patienceNs);
    }

    /** Waits, and returns whether the server is closed meanwhile. */
    boolean closedWithin(Duration time) throws InterruptedException {
        return closed.await(Times.nanos(time), TimeUnit.NANOSECONDS);
    }

    private void watch() {
        try {
            while (!closed.await(LOOK_MS, TimeUnit.MILLISECONDS)) {
                long nowNs = System.nanoTime();
                deadlines.forEach((thread, deadlineNs) -> {
                    if (nowNs - deadlineNs > 0) {
                        thread.interrupt();
                    }
                });
            }
        } catch (InterruptedException e) {
            throw new AssertionError("No thread interrupts this one.", e);
        }
    }

    /** Rejects further requests, and ends those that run. */
    @Override
    public void close() {
        closed.countDown();
        deadlines.keySet().forEach(Thread::interrupt);
    }
}
