package io.verbena.rnic.context;

import io.verbena.base.Log;
import io.verbena.base.WaitPoint;
import io.verbena.engine.EngineHost;
import io.verbena.memory.MemoryProvider;
import io.verbena.memory.OffHeapMemory;
import io.verbena.memory.vmm.PagingHost;
import io.verbena.verbs.HandlerProcessor;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * The services that an RNIC requires from its surroundings: those of its engines ({@link EngineHost}), wait points,
 * handler threads and files. The package {@code host} implements it in real time, the simulation in virtual time.
 */
public interface Environment extends EngineHost {

    /** Whether callers drive the engines. If so, polling and waiting call {@link #progress}. */
    boolean inline();

    /** Drives all INLINE engines of the calling thread once and returns a measure of the work done. */
    int progress();

    /**
     * A place in the program that polls. If callers drive the engines, it drives them as {@link #progress()} does, and may wait
     * for a short time when its own polls repeatedly found nothing.
     */
    default Poller newPoller() {
        return this::progress;
    }

    /**
     * Drives the engines once, or lets the calling thread drive them. If there was nothing to do, it may wait for work for at most
     * this time.
     */
    default int progress(long timeoutNs) {
        return progress();
    }

    /**
     * The same.
     *
     * @param seen whether a peer has written to memory what the caller waits for; also called when peers know that the
     *     thread sleeps
     */
    default int progress(long timeoutNs, BooleanSupplier seen) {
        return seen.getAsBoolean() ? progress() : progress(timeoutNs);
    }

    /** Ends the {@link #progress(long)} of other threads that wait, or the next one. Any thread. */
    default void wakeup() {}

    /** The calling thread drives no engine by {@link #progress(long)} for a while. */
    default void release() {}

    /** Assigns INLINE engines to the calling thread. */
    void adopt();

    /** A place where threads wait for an action of an engine. */
    WaitPoint newWaitPoint();

    /**
     * A place where threads wait for handlers to end, whether or not engines run and independent of the thread that
     * drives them.
     */
    default WaitPoint newHandlerWaitPoint() {
        return newWaitPoint();
    }

    /** Runs CQ handlers that were registered without a processor. */
    HandlerProcessor defaultProcessor();

    /**
     * Runs the application's listeners: for connections, asynchronous events and page faults. A listener that blocks
     * delays neither other listeners nor CQ handlers, unless everything runs in one thread (INLINE, a simulation).
     */
    default HandlerProcessor listenerProcessor() {
        return defaultProcessor();
    }

    /**
     * Records a finished run of a CQ handler.
     *
     * @param toHandlerNs time from the signal to the start of the handler
     * @param inHandlerNs run time of the handler
     * @param completions number of entries that the handler polled
     */
    default void onHandlerRun(int handler, int cq, long toHandlerNs, long inHandlerNs, long completions) {}

    /** What drives an engine has done; empty if it keeps no record of that. Any thread. */
    default Optional<EngineActivity> activity(int engine) {
        return Optional.empty();
    }

    /** Writes a sentence about peers to the system log for the operator. Called rarely. */
    default void notice(String sentence) {
        Log.notice(sentence);
    }

    /** Memory for regions that the RNIC allocates. */
    default MemoryProvider memory() {
        return new OffHeapMemory();
    }

    /** Files and threads for paging. */
    default PagingHost paging() {
        throw new UnsupportedOperationException("This environment does not support paging.");
    }

    /**
     * Whether {@link #close} in another thread waits for the calling thread: it runs an engine, a handler of the default
     * processor, or a listener.
     */
    default boolean closeAwaitsCaller() {
        return false;
    }

    /**
     * Stops driving the engines. After it returns, no engine, no handler of the default processor and no listener runs.
     */
    void close();
}
