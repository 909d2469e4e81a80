package io.verbena.notify;

import io.verbena.base.WaitPoint;
import io.verbena.verbs.VerbsException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/** Where threads wait until CQ handlers that run have ended. The end of a run costs nothing while no thread waits. */
final class RunEnds {

    /** Maximum time to wait for the end of a handler that is removed while it runs. */
    static final long LONGEST_NS = 10_000_000_000L;

    private final NotificationHost host;
    private final WaitPoint ended;
    private final AtomicInteger waiting = new AtomicInteger();

    RunEnds(NotificationHost host) {
        this.host = host;
        this.ended = host.newHandlerWaitPoint();
    }

    /**
     * Waits until handlers have ended, whatever interrupts.
     *
     * @param done what has been done and what may still run: the beginning of a sentence
     * @throws VerbsException when they do not end, or this thread is one that cannot wait
     */
    void await(String done, BooleanSupplier over) {
        if (over.getAsBoolean()) {
            return;
        }
        if (host.mustNotWait()) {
            throw new VerbsException(done
                    + " runs in another thread. A callback inside the RNIC's engine cannot wait for its " + "end.");
        }
        waiting.incrementAndGet();
        try {
            if (!ended.awaitUninterruptibly(over, LONGEST_NS)) {
                throw new VerbsException(done + " still runs after " + LONGEST_NS / 1_000_000_000L + " seconds.");
            }
        } finally {
            waiting.decrementAndGet();
        }
    }

    /** A run is over. */
    void signal() {
        if (waiting.get() > 0) {
            ended.signal();
        }
    }
}
