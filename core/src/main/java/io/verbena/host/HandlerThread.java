package io.verbena.host;

import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.HandlerProcessor;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The default handler processor: one daemon thread that runs handlers in the order they were signalled. What a handler
 * throws is told to the thread's handler of uncaught exceptions, and the next one runs. The queue keeps its memory, so
 * signalling allocates nothing once it has grown.
 */
final class HandlerThread implements HandlerProcessor {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition filled = lock.newCondition();
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private final Thread thread;
    private boolean closed;

    HandlerThread(String name) {
        thread = new Thread(this::run, name);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void signal(CqHandlerId handler, Runnable work) {
        lock.lock();
        try {
            if (!closed) {
                waiting.addLast(work);
                filled.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        Runnable work = take();
        while (work != null) {
            try {
                work.run();
            } catch (Throwable e) {
                thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
            }
            work = take();
        }
    }

    private @Nullable Runnable take() {
        lock.lock();
        try {
            while (waiting.isEmpty() && !closed) {
                filled.awaitUninterruptibly();
            }
            return closed ? null : waiting.pollFirst();
        } finally {
            lock.unlock();
        }
    }

    /** Drops what waits and ends the thread; false when a handler did not return in time. A handler may call this. */
    boolean close(long timeoutNs) {
        lock.lock();
        try {
            closed = true;
            waiting.clear();
            filled.signal();
        } finally {
            lock.unlock();
        }
        return Threads.join(thread, timeoutNs);
    }
}
