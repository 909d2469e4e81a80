package io.verbena.rnic.completion;

import io.verbena.objects.CompletionValues;
import io.verbena.queue.Cqe;
import io.verbena.rnic.context.NumberedQueuePair;
import io.verbena.rnic.context.RnicContext;
import io.verbena.verbs.QueuePair;
import org.jspecify.annotations.Nullable;

/**
 * Polls the rings of a CQ round-robin. An entry is copied to fields, so that its slot is free for the engine at once
 * and the values remain valid until the next poll.
 */
final class SoftCursor extends CompletionValues {

    private final SoftCompletionQueue cq;
    private final RnicContext context;
    private final boolean inline;
    private final Cqe cqe = new Cqe();
    private int at;

    SoftCursor(SoftCompletionQueue cq) {
        this.cq = cq;
        this.context = cq.context();
        this.inline = context.environment().inline();
    }

    @Override
    public boolean next() {
        if (take()) {
            return true;
        }
        if (!inline || context.closed()) {
            return false;
        }
        cq.poller().progress();
        return take();
    }

    private boolean take() {
        CqSide[] sides = cq.sides();
        for (int left = sides.length; left > 0; left--) {
            at = at + 1 < sides.length ? at + 1 : 0;
            CqSide side = sides[at];
            if (side.peek(cqe)) {
                load();
                side.release();
                return true;
            }
        }
        return false;
    }

    private void load() {
        wrId = cqe.wrId();
        status = cqe.status();
        opcode = cqe.opcode();
        queuePairNumber = cqe.queuePairNumber();
        byteCount = cqe.byteCount();
        hasImmediate = cqe.hasImmediate();
        immediate = cqe.immediate();
        hasInvalidatedKey = cqe.hasInvalidatedKey();
        invalidatedKey = cqe.invalidatedKey();
        solicited = cqe.solicited();
        hasGlobalHeader = cqe.hasGlobalHeader();
        boolean datagram = cqe.hasSource();
        sourceQueuePairNumber = datagram ? cqe.sourceQueuePairNumber() : 0;
        sourceLid = datagram ? cqe.sourceLid() : 0;
        sourceContextNumber = datagram && !hasGlobalHeader ? cqe.datagramDetails() : 0;
    }

    @Override
    protected @Nullable QueuePair find(int number) {
        return context.queuePairs().lookUp(number);
    }

    @Override
    protected String because() {
        NumberedQueuePair found = context.queuePairs().lookUp(queuePairNumber);
        return found == null ? "" : found.reason();
    }
}
