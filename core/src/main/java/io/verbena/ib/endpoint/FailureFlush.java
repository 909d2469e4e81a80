package io.verbena.ib.endpoint;

import io.verbena.base.Digest;
import io.verbena.queue.Arrival;
import io.verbena.queue.WorkQueues;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionStatus;

/** Completes the remaining work of a failed queue pair. Continues with the next call if a CQ is full. */
public final class FailureFlush {

    private final WorkQueues queues;
    private final PendingEvents events;
    private boolean receiveCompleted;
    private boolean done;

    public FailureFlush(WorkQueues queues, PendingEvents events) {
        this.queues = queues;
        this.events = events;
    }

    /**
     * Completes the oldest receive and the oldest send with their own status, and all other work as flushed.
     *
     * @param receiveStatus status of the oldest receive; FLUSHED if it did not cause the failure
     * @return false when a CQ is full
     */
    public boolean flush(CompletionStatus receiveStatus, CompletionStatus sendStatus) {
        if (!receiveCompleted
                && receiveStatus != CompletionStatus.FLUSHED
                && !queues.completeReceive(receiveStatus, new Arrival().of(CompletionOpcode.RECEIVE, 0, false))) {
            return false;
        }
        receiveCompleted = true;
        if (!queues.flush(sendStatus)) {
            return false;
        }
        if (!done && queues.receive().isShared()) {
            events.raise(AsyncEventType.LAST_WQE_REACHED);
        }
        done = true;
        return true;
    }

    /** What has been completed. */
    public long stateDigest(long digest) {
        return Digest.mix(digest, Digest.flags(receiveCompleted, done));
    }
}
