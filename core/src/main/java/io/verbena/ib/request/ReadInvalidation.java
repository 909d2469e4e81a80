package io.verbena.ib.request;

import io.verbena.base.Digest;
import io.verbena.queue.WorkQueue;
import io.verbena.queue.Wqe;
import io.verbena.verbs.WorkOpcode;
import io.verbena.work.KeyWork;
import io.verbena.work.Moved;

/**
 * Invalidates the local key of each {@link WorkOpcode#READ_WITH_INVALIDATE} before its completion, once: the completion may still
 * have to wait for a place in the CQ, and by then the key may have been registered again.
 */
final class ReadInvalidation {

    private static final long NONE = -1;

    private final WorkQueue work;
    private final KeyWork keys;
    private final Wqe wqe = new Wqe();
    private long done = NONE;
    private boolean pending;

    ReadInvalidation(WorkQueue work, KeyWork keys) {
        this.work = work;
        this.keys = keys;
    }

    /** Invalidates the key of an element, if that has to be done and was not. After DONE the element may complete. */
    Moved apply(long index) {
        if (done == index || work.at(index, wqe).opcode() != WorkOpcode.READ_WITH_INVALIDATE) {
            return Moved.DONE;
        }
        Moved moved = keys.invalidate(wqe.otherKey());
        pending = moved == Moved.NOT_NOW;
        if (moved == Moved.DONE) {
            done = index;
        }
        return moved;
    }

    /** Whether the last one waits, since other engines may still be using the key. */
    boolean pending() {
        return pending;
    }

    long stateDigest(long digest) {
        return Digest.mix(digest, done << 1 | (pending ? 1 : 0));
    }
}
