package io.verbena.messaging;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The ranks of a test that outlive another one. They wait for each other before they close their communicators, because a new connection cannot
 * distinguish a rank that has closed its communicator from a dead one.
 *
 * <p>They go on to make progress meanwhile: a rank that was offered a long message answers inside the calls of this library only, and the
 * sender, whose collective operation has failed too, returns when the memory is not used any more.
 */
final class Survivors {

    private static final long MAX_WAIT_NS = TimeUnit.SECONDS.toNanos(60);

    private final CountDownLatch missing;

    Survivors(int number) {
        missing = new CountDownLatch(number);
    }

    /** A rank has done its part. Returns when all have. */
    void arriveAndAwait(Communicator world) throws InterruptedException {
        missing.countDown();
        long startNs = System.nanoTime();
        Status none = new Status();
        while (!missing.await(1, TimeUnit.MILLISECONDS)) {
            assertTrue(System.nanoTime() - startNs < MAX_WAIT_NS, () -> missing.getCount() + " ranks did not arrive");
            world.iprobe(Communicator.ANY_SOURCE, Communicator.ANY_TAG, none);
        }
    }

    /** Returns the number of ranks that have not arrived. */
    long missing() {
        return missing.getCount();
    }
}
