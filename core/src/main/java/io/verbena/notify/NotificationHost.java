package io.verbena.notify;

import io.verbena.base.WaitPoint;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.HandlerProcessor;

/** What a provider gives to notification: time, a place to wait, a default processor; and what it wants reported. */
public interface NotificationHost {

    /** Now, in nanoseconds. Only differences of instants have a meaning. */
    long nowNs();

    /** A place where threads wait for the end of handlers. */
    WaitPoint newHandlerWaitPoint();

    /** Runs CQ handlers that were registered without a processor. */
    HandlerProcessor defaultProcessor();

    /** Whether the calling thread is one that handlers may need to end, so that it must not wait for them. */
    boolean mustNotWait();

    /**
     * A CQ handler has run.
     *
     * @param toHandlerNs time from the signal to the begin of the run
     * @param inHandlerNs time from its begin to its end
     * @param completions entries that it polled
     */
    void onHandlerRun(int handler, int cq, long toHandlerNs, long inHandlerNs, long completions);

    /** The processor of a handler has ended or failed; the handler does not run from then on. */
    void onProcessorFailed(CqHandlerId handler, String sentence);
}
