package io.verbena.hardware.provider;

import io.verbena.base.WaitPoint;
import io.verbena.notify.Handlers;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Rnic;
import org.jspecify.annotations.Nullable;

/** The RNIC as its completion queues and timers see it. */
interface AdapterContext extends Rnic {

    Adapter adapter();

    AdapterFacts facts();

    Handlers handlers();

    WaitPoint newWaitPoint();

    boolean closed();

    /** The time of the clock by which threads wait. */
    long nowNs();

    /** Has this run once after a time, by a thread that must not wait. */
    void after(long timeNs, Runnable work);

    /** The queue pair with this number of {@link WorkId}; null if it is closed. */
    @Nullable
    PostedWork queuePair(int id);

    /** The queue pair with a number of the adapter; null if it is closed. */
    @Nullable
    PostedWork withNumber(int number);

    /** The slots of the SRQ with this number of {@link WorkId}; null if it is closed. */
    @Nullable
    SharedSlots sharedSlots(int id);

    /** A CQ is closed. */
    void forget(CompletionQueue cq);
}
