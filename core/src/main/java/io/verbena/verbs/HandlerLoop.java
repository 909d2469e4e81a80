package io.verbena.verbs;

import java.time.Duration;

/**
 * A handler processor without a thread: handlers run when your own loop calls {@link #run}. One thread at a time does.
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

    /** A loop; close it when the handlers on it are removed. */
    static HandlerLoop open(ProcessorPolicy policy) {
        return ProcessorProvider.first().openLoop(policy);
    }

    /**
     * Runs handlers that are signalled, at most this many events, in the order that the policy says.
     *
     * @return how many events; 0 when none was signalled
     */
    int run(int most);

    /**
     * Waits until something is signalled. A platform thread spins briefly, a virtual one parks. False when it was not.
     *
     * @throws WaitInterruptedException when the thread is interrupted and nothing is signalled
     */
    boolean await(Duration timeout);

    /** Told, on a thread of the RNIC, when something is signalled after there was nothing. It must only wake your loop. */
    void onSignal(Runnable wake);
}
