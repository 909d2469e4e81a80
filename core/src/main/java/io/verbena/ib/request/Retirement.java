package io.verbena.ib.request;

import io.verbena.ib.endpoint.Failure;
import io.verbena.ib.endpoint.QueuePairWork;
import io.verbena.queue.WorkQueue;
import io.verbena.verbs.CompletionStatus;
import io.verbena.work.KeyWork;
import io.verbena.work.Moved;
import io.verbena.work.OutlivingWork;
import java.util.Optional;

/** Completes finished work in the order of its posting, until the first request that fails. */
final class Retirement {

    private final QueuePairWork owner;
    private final WorkQueue work;
    private final ReadInvalidation invalidation;
    private final Optional<OutlivingWork> outliving;
    private Optional<Failure> failure = Optional.empty();

    Retirement(QueuePairWork owner) {
        this.owner = owner;
        outliving = owner.outliving();
        work = owner.queues().send();
        invalidation = new ReadInvalidation(work, new KeyWork(owner.context()));
    }

    Optional<Failure> failure() {
        return failure;
    }

    boolean failed() {
        return failure.isPresent();
    }

    /** Whether a Read waits for the invalidation of its key. {@link #retire} continues. */
    boolean pending() {
        return invalidation.pending();
    }

    long stateDigest(long digest) {
        return invalidation.stateDigest(digest);
    }

    /** Completes what is before this element, as far as completion queues have space and keys are invalidated. */
    void retire(long end) {
        while (failure.isEmpty() && work.retired() < end) {
            Moved invalidated = invalidation.apply(work.retired());
            if (invalidated == Moved.REFUSED || invalidated == Moved.LOST) {
                failure = Optional.of(RequestFailures.BAD_INVALIDATION);
            }
            if (invalidated != Moved.DONE || !complete()) {
                return;
            }
        }
    }

    private boolean complete() {
        if (outliving.isEmpty()) {
            return owner.queues().completeSend(CompletionStatus.SUCCESS);
        }
        int retiring = outliving.get().retiring();
        boolean completed = owner.queues().completeSend(CompletionStatus.SUCCESS);
        if (completed) {
            outliving.get().onRetired(retiring);
        }
        return completed;
    }

    /** The element fails. Finished work before it completes first, and its failure counts if it has one. */
    void fail(Failure reason, long element) {
        retire(element);
        if (failure.isEmpty()) {
            failure = Optional.of(reason);
        }
    }
}
