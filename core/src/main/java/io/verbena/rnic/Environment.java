package io.verbena.rnic;

import io.verbena.base.Log;
import io.verbena.base.WaitPoint;
import io.verbena.engine.EngineHost;
import io.verbena.memory.vmm.PagingHost;
import io.verbena.verbs.HandlerProcessor;

/**
 * What the outside gives to an RNIC: what its engines need ({@link EngineHost}), places to wait, threads for handlers, files. The
 * package {@code host} has the real one, the simulation a virtual one.
 */
public interface Environment extends EngineHost {

    /** Whether callers drive the engine: then polling and waiting call {@link #progress}. */
    boolean inline();

    /** Drives all INLINE engines of the calling thread once; returns a measure of work done. */
    int progress();

    /** The same; if there was nothing to do it may wait, at most this long, until there is. */
    default int progress(long timeoutNs) {
        return progress();
    }

    /** Gives INLINE engines to the calling thread. */
    void adopt();

    /** A place where threads wait for something that an engine does. */
    WaitPoint newWaitPoint();

    /** A place where threads wait for the end of handlers, whether engines live and whoever drives them. */
    default WaitPoint newHandlerWaitPoint() {
        return newWaitPoint();
    }

    /** Runs CQ handlers that were registered without a processor. */
    HandlerProcessor defaultProcessor();

    /**
     * Runs what the application listens with: for connections, asynchronous events, page faults. One that blocks delays neither
     * the others nor CQ handlers, unless everything runs in one thread (INLINE, a simulation).
     */
    default HandlerProcessor listenerProcessor() {
        return defaultProcessor();
    }

    /**
     * A CQ handler has run: what is known of it, for who records such things.
     *
     * @param toHandlerNs from the signal to its begin
     * @param inHandlerNs from its begin to its end
     * @param completions entries that it polled
     */
    default void onHandlerRun(int handler, int cq, long toHandlerNs, long inHandlerNs, long completions) {}

    /** What an operator should know about peers, a sentence; rare. It goes to the system's log. */
    default void notice(String sentence) {
        Log.notice(sentence);
    }

    /** Files and threads for paging. */
    default PagingHost paging() {
        throw new UnsupportedOperationException("Nobody pages here.");
    }

    /** Stops driving: after it returned no engine runs and no handler of the default processor and no listener runs. */
    void close();
}
