package io.verbena.messaging;

import io.verbena.messaging.channel.MessagingException;
import io.verbena.messaging.transfer.Guard;
import io.verbena.messaging.transfer.Operation;
import io.verbena.messaging.transfer.ProgressLoop;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** An {@link Operation} of a communicator, and the {@link Request} that a program holds. */
final class MessageRequest extends Operation implements Request {

    private final ProgressLoop loop;
    private final Status status = new Status();
    private @Nullable Group group; // of a communicator that has not all ranks

    MessageRequest(ProgressLoop loop) {
        this.loop = loop;
    }

    @Override
    public MessageRequest start(
            boolean isSend, MemorySegment memory, long at, long bytes, int rank, int tag, int context) {
        super.start(isSend, memory, at, bytes, rank, tag, context);
        group = null;
        return this;
    }

    /** Makes this an operation in a communicator of these ranks, in whose numbers its status is. */
    MessageRequest in(@Nullable Group ranks) {
        group = ranks;
        return this;
    }

    /** The ranks of the communicator of an operation; null for all. */
    static @Nullable Group groupOf(Operation operation) {
        return ((MessageRequest) operation).group;
    }

    @Override
    protected boolean concerns(int rank) {
        Group ranks = group;
        return ranks == null || ranks.contains(rank);
    }

    @Override
    protected void report(int rank, int tag, long bytes) {
        Group ranks = group;
        status.set(ranks == null ? rank : ranks.rankOf(rank), tag, bytes);
    }

    Status status() {
        return status;
    }

    // As a request.

    @Override
    public boolean done() {
        Guard guard = loop.guard();
        guard.enter();
        try {
            return isDone();
        } finally {
            guard.leave();
        }
    }

    @Override
    public boolean test() {
        Guard guard = loop.guard();
        guard.enter();
        try {
            if (!isDone()) {
                loop.progress();
                loop.failIfHopeless(this);
            }
            if (isDone()) {
                check();
            }
            return isDone();
        } finally {
            guard.leave();
        }
    }

    @Override
    public Status await() {
        Guard guard = loop.guard();
        guard.enter();
        try {
            loop.await(this);
            check();
            return status;
        } finally {
            guard.leave();
        }
    }

    @Override
    public void checkBounds(long startNs) {
        loop.waiter().checkBounds(this, startNs);
    }

    /** Throws what the operation failed with. */
    void check() {
        if (failure().isEmpty()) {
            return;
        }
        if (truncatedBytes() >= 0) {
            throw new TruncatedException(failure(), truncatedBytes());
        }
        if (revoked()) {
            throw new RevokedException(failure());
        }
        throw died().isEmpty() ? new MessagingException(failure()) : new RankFailedException(failure(), died());
    }
}
