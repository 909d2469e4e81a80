package io.verbena.queue;

import java.util.Optional;

/**
 * Where an engine finds receives for the messages of one queue pair: its own queue, filled by its poster, or filled here
 * from a shared one as messages begin. So the n-th message of the queue pair always has the n-th slot.
 */
public final class ReceiveQueue {

    private final WorkQueue own;
    private final Optional<WorkQueue> shared;
    private final Wqe from = new Wqe();
    private final Wqe to = new Wqe();
    private long takenFromShared;

    /** With a queue of its own. */
    public ReceiveQueue(WorkQueue own) {
        this.own = own;
        this.shared = Optional.empty();
    }

    /** Filled from a shared queue; {@code own} has room for the messages that are under way, and the same stride. */
    public ReceiveQueue(WorkQueue own, WorkQueue shared) {
        assert own.stride() == shared.stride();
        this.own = own;
        this.shared = Optional.of(shared);
    }

    /** Whether the element of this index is there, after taking from the shared queue if need be. */
    public boolean has(long index) {
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

    /** Index behind the last element that is here, taken from the shared queue or posted. */
    public long posted() {
        return own.posted();
    }

    public Wqe at(long index, Wqe wqe) {
        return own.at(index, wqe);
    }

    public void retire() {
        own.retire();
    }

    /** Elements taken from a shared queue so far. */
    public long takenFromShared() {
        return takenFromShared;
    }

    /** Whether receives come from a shared queue. */
    public boolean isShared() {
        return shared.isPresent();
    }
}
