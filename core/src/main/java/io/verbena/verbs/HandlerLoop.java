package io.verbena.verbs;

import java.time.Duration;

/**
 * A handler processor without a thread: handlers run when the application calls {@link #run}. One thread at a time may
 * call {@link #run} and {@link #await}.
 *
 * <pre>{@code
 * HandlerLoop loop = HandlerLoop.open(ProcessorPolicy.defaults());
 * CqHandlerId id = rnic.setCompletionHandler(handler, loop);
 * while (working) {
 *     if (loop.run(64) == 0) loop.await(Duration.ofMillis(100));
 * }
 * }</pre>
 */
public interface HandlerLoop extends HandlerProcessor {

    /** Opens a loop. Close it after its handlers have been removed. */
    static HandlerLoop open(ProcessorPolicy policy) {
        return ProcessorProvider.first().openLoop(policy);
    }

    /**
     * Runs the handlers of pending signals, for at most {@code most} events, in the order given by the policy.
     *
     * @return the number of events served; 0 if none was pending
     */
    int run(int most);

    /**
     * Waits until a signal is pending. A platform thread spins briefly first, a virtual thread parks.
     *
     * @return false if the timeout expired
     * @throws WaitInterruptedException if the thread is interrupted and no signal is pending
     */
    boolean await(Duration timeout);

    /**
     * Sets the action to run, on a thread of the RNIC, when a signal becomes pending and none was before. It must only
     * wake the loop of the application.
     */
    void onSignal(Runnable wake);
}
