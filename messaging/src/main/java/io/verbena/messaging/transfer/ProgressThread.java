package io.verbena.messaging.transfer;

import io.verbena.messaging.channel.MessagingException;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** Makes progress while the program computes (MPI's asynchronous progress). It holds the lock for one round of progress at a time. */
public final class ProgressThread implements Guard {

    private static final long MIN_PAUSE_NS = 20_000;
    private static final long MAX_PAUSE_NS = 1_000_000;

    private final ReentrantLock lock = new ReentrantLock();
    private final IntSupplier progress;
    private final Thread thread;
    private volatile boolean stopping;
    private @Nullable Throwable failure; // under the lock

    private ProgressThread(IntSupplier progress, int rank) {
        this.progress = progress;
        thread = Thread.ofPlatform()
                .name("verbena-rank-" + rank + "-progress")
                .daemon()
                .unstarted(this::run);
    }

    public static Guard start(IntSupplier progress, int rank) {
        ProgressThread progressThread = new ProgressThread(progress, rank);
        progressThread.thread.start();
        return progressThread;
    }

    private void run() {
        long pauseNs = MIN_PAUSE_NS;
        while (!stopping) {
            if (progress()) {
                pauseNs = MIN_PAUSE_NS;
            } else {
                pauseNs = Math.min(MAX_PAUSE_NS, pauseNs + pauseNs / 4);
            }
            LockSupport.parkNanos(pauseNs);
        }
    }

    private boolean progress() {
        if (!lock.tryLock()) {
            return false; // the program makes progress itself
        }
        try {
            return !stopping && progress.getAsInt() > 0;
        } catch (RuntimeException | Error e) {
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
        Throwable broken = failure;
        if (broken != null) {
            failure = null; // reported once; from now on only the calls of the program make progress
            lock.unlock();
            throw new MessagingException("The progress thread has failed: " + broken, broken);
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
        // Once the lock is acquired the thread is outside, and it does not enter again.
        lock.lock();
        lock.unlock();
    }
}
