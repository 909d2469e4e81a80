package io.verbena.messaging;

import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Makes progress while the program does something else (MPI's asynchronous progress). It never keeps the program waiting for long. */
final class ProgressThread implements Guard {

    private static final long SHORTEST_PAUSE_NS = 20_000;
    private static final long LONGEST_PAUSE_NS = 1_000_000;

    private final ReentrantLock lock = new ReentrantLock();
    private final Transport transport;
    private final Thread thread;
    private volatile boolean stopping;
    private @Nullable RuntimeException failure; // under the lock

    private ProgressThread(Transport transport, int rank) {
        this.transport = transport;
        thread = Thread.ofPlatform()
                .name("verbena-rank-" + rank + "-progress")
                .daemon()
                .unstarted(this::run);
    }

    static Guard start(Transport transport, int rank) {
        ProgressThread made = new ProgressThread(transport, rank);
        made.thread.start();
        return made;
    }

    private void run() {
        long pauseNs = SHORTEST_PAUSE_NS;
        while (!stopping) {
            if (progress()) {
                pauseNs = SHORTEST_PAUSE_NS;
            } else {
                pauseNs = Math.min(LONGEST_PAUSE_NS, pauseNs + pauseNs / 4);
            }
            LockSupport.parkNanos(pauseNs);
        }
    }

    private boolean progress() {
        if (!lock.tryLock()) {
            return false; // the program makes progress itself
        }
        try {
            return !stopping && transport.progress() > 0;
        } catch (RuntimeException e) {
            failure = e;
            stopping = true;
            return false;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void enter() {
        lock.lock();
        RuntimeException broken = failure;
        if (broken != null) {
            failure = null;
            lock.unlock();
            throw new MessagingException("The progress thread has failed: " + broken.getMessage(), broken);
        }
    }

    @Override
    public void leave() {
        lock.unlock();
    }

    @Override
    public void close() {
        stopping = true;
        LockSupport.unpark(thread);
        // It is outside when the lock can be had, and comes in no more.
        lock.lock();
        lock.unlock();
    }
}
