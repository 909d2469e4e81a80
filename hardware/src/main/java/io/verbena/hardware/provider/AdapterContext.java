package io.verbena.hardware.provider;

import io.verbena.base.WaitPoint;
import io.verbena.hardware.provider.device.Adapter;
import io.verbena.hardware.provider.device.AdapterFacts;
import io.verbena.hardware.provider.request.SharedSlots;
import io.verbena.hardware.provider.request.WorkId;
import io.verbena.notify.Handlers;
import io.verbena.notify.SerialRunner;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.WorkOpcode;
import java.net.InetAddress;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The RNIC as its objects see it. */
interface AdapterContext extends Rnic {

    Adapter adapter();

    AdapterFacts facts();

    Handlers handlers();

    WaitPoint newWaitPoint();

    /** Runs callbacks of the program one after the other. */
    SerialRunner newRunner();

    boolean closed();

    void checkOpen();

    /** The operations of its queue pairs. */
    Set<WorkOpcode> operations();

    ConnectionManager connections();

    void raise(AsyncEvent event);

    /** Takes the asynchronous events that the adapter has reported. On the event loop. */
    void readAsyncEvents();

    /** Whether this thread serves the adapter, so that no event comes while it waits. */
    boolean mustNotWait();

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

    /**
     * The path to a multicast group on an InfiniBand link, an ibv_ah_attr. The subnet manager states it to members.
     *
     * @throws IllegalStateException if no queue pair of the RNIC is a member
     */
    byte[] pathOf(InetAddress group);

    /** A queue pair was made; returns its number for {@link WorkId}. */
    int add(PostedWork queuePair);

    /** The same for an SRQ. */
    int add(SharedReceives queue);

    /** The adapter has given a queue pair another number. */
    void renumbered();

    /** An object was closed. */
    void forget(CompletionQueue cq);

    void forget(PostedWork queuePair);

    void forget(SharedReceives queue);

    void forget(ProtectionDomain domain);
}
