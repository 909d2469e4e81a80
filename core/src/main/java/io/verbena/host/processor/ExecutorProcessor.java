package io.verbena.host.processor;

import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.HandlerProcessor;
import io.verbena.verbs.VerbsException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/** A handler processor that serves each handler in a thread of its own: handlers may block. */
public final class ExecutorProcessor implements HandlerProcessor {

    private static final long CLOSE_NS = 10_000_000_000L;

    /** The processor whose handler the thread runs. */
    private static final ThreadLocal<ExecutorProcessor> INSIDE = new ThreadLocal<>();

    private final String name;
    private final ExecutorService executor;

    private ExecutorProcessor(String name, ExecutorService executor) {
        this.name = name;
        this.executor = executor;
    }

    /** With virtual threads. */
    static ExecutorProcessor ofVirtualThreads(String name) {
        return new ExecutorProcessor(
                name,
                Executors.newThreadPerTaskExecutor(
                        Thread.ofVirtual().name(name + "-", 0).factory()));
    }

    /**
     * With threads of the system, which are reused. They run whatever the virtual threads of the program do: a program that computes in
     * virtual threads occupies their scheduler.
     */
    public static ExecutorProcessor ofPlatformThreads(String name) {
        return new ExecutorProcessor(
                name,
                Executors.newCachedThreadPool(
                        Thread.ofPlatform().daemon().name(name + "-", 0).factory()));
    }

    @Override
    public void signal(CqHandlerId handler, Runnable work) {
        try {
            executor.execute(() -> {
                INSIDE.set(this);
                work.run();
            });
        } catch (RejectedExecutionException e) {
            throw new IllegalStateException("the handler processor '" + name + "' has ended", e);
        }
    }

    /** Whether the calling thread runs a handler of this processor. */
    public boolean runsHere() {
        return INSIDE.get() == this;
    }

    @Override
    public void close() {
        if (!close(CLOSE_NS)) {
            throw new VerbsException(
                    "The handler processor '" + name + "' is closed, but a handler still runs on it after 10 seconds.");
        }
    }

    /**
     * Ends the processor, regardless of interrupts; returns false if a handler did not return in time. A handler may
     * call this.
     */
    public boolean close(long timeoutNs) {
        executor.shutdown();
        if (runsHere()) {
            return true; // it would wait for itself
        }
        boolean interrupted = false;
        long deadlineNs = System.nanoTime() + timeoutNs;
        try {
            while (true) {
                try {
                    return executor.awaitTermination(deadlineNs - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
