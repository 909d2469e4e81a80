package io.verbena.queue;

import java.util.Optional;

/**
 * The receives of one queue pair: its own queue, which the poster fills, or which this class fills from a shared receive queue
 * when a message begins. In both cases the n-th message of the queue pair uses the n-th slot.
 */
public final class ReceiveQueue {

    private final WorkQueue own;
    private final Optional<WorkQueue> shared;
    private final Wqe from = new Wqe();
    private final Wqe to = new Wqe();
    private long takenFromShared;
    private Optional<EarlyArrivals> arrivals = Optional.empty();

    /** Receives that are posted to the queue pair. */
    public ReceiveQueue(WorkQueue own) {
        this.own = own;
        this.shared = Optional.empty();
    }

    /** Receives from a shared queue. {@code own} holds those of the messages in progress and has the same stride. */
    public ReceiveQueue(WorkQueue own, WorkQueue shared) {
        assert own.stride() == shared.stride();
        this.own = own;
        this.shared = Optional.of(shared);
    }

    /** Takes elements from the shared queue up to this index, if needed. Returns false if the element does not exist. */
    public boolean provide(long index) {
        if (index < own.posted()) {
            return true;
        }
        if (shared.isEmpty()) {
            return false;
        }
        WorkQueue source = shared.get();
        while (own.posted() <= index) {
            long next = source.retired();
            if (next >= source.posted() || !own.claim(to)) {
                return false;
            }
            source.at(next, from);
            to.copyFrom(from, own.stride() - Wqe.HEADER_BYTES);
            source.retire();
            takenFromShared++;
            own.written();
            own.publish();
        }
        return true;
    }

    /** Index of the oldest element that is not complete. */
    public long retired() {
        return own.retired();
    }

    /** Index after the last element, whether it was posted or taken from the shared queue. */
    public long posted() {
        return own.posted();
    }

    public Wqe at(long index, Wqe wqe) {
        return own.at(index, wqe);
    }

    /** What the completions of early Sends need: created when the first one arrives. */
    public EarlyArrivals arrivals() {
        if (arrivals.isEmpty()) {
            arrivals = Optional.of(new EarlyArrivals(own.slots()));
        }
        return arrivals.get();
    }

    public void retire() {
        own.retire();
    }

    /** Number of elements taken from the shared queue so far. */
    public long takenFromShared() {
        return takenFromShared;
    }

    /** Whether the receives come from a shared queue. */
    public boolean isShared() {
        return shared.isPresent();
    }
}
