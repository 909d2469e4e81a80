package io.verbena.rnic.completion;

import io.verbena.queue.Cqe;
import io.verbena.rnic.context.NumberedQueuePair;
import io.verbena.rnic.context.RnicContext;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.QueuePair;

/**
 * Polls the rings of a CQ round-robin. An entry is copied to fields, so that its slot is free for the engine at once
 * and the values remain valid until the next poll.
 */
final class SoftCursor implements CompletionCursor {

    private final SoftCompletionQueue cq;
    private final RnicContext context;
    private final boolean inline;
    private final Cqe cqe = new Cqe();
    private int at;

    private long wrId;
    private CompletionStatus status = CompletionStatus.SUCCESS;
    private CompletionOpcode opcode = CompletionOpcode.SEND;
    private int queuePairNumber;
    private long byteCount;
    private boolean hasImmediate;
    private long immediate;
    private boolean hasInvalidatedKey;
    private int invalidatedKey;
    private boolean solicited;
    private boolean hasGlobalHeader;
    private int sourceQueuePairNumber;
    private int sourceLid;
    private int sourceContextNumber;

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
    public long wrId() {
        return wrId;
    }

    @Override
    public CompletionStatus status() {
        return status;
    }

    @Override
    public CompletionOpcode opcode() {
        return opcode;
    }

    @Override
    public int queuePairNumber() {
        return queuePairNumber;
    }

    @Override
    public QueuePair queuePair() {
        NumberedQueuePair found = context.queuePairs().lookUp(queuePairNumber);
        if (found == null) {
            throw new IllegalStateException("queue pair " + queuePairNumber
                    + " is closed; identify its earlier completions by the queue pair number");
        }
        return found;
    }

    @Override
    public long byteCount() {
        return byteCount;
    }

    @Override
    public boolean hasImmediate() {
        return hasImmediate;
    }

    @Override
    public long immediate() {
        return immediate;
    }

    @Override
    public boolean hasInvalidatedKey() {
        return hasInvalidatedKey;
    }

    @Override
    public int invalidatedKey() {
        return invalidatedKey;
    }

    @Override
    public boolean solicited() {
        return solicited;
    }

    // Datagrams.

    @Override
    public int sourceQueuePairNumber() {
        return sourceQueuePairNumber;
    }

    @Override
    public int sourceContextNumber() {
        return sourceContextNumber;
    }

    @Override
    public int sourceLid() {
        return sourceLid;
    }

    @Override
    public boolean hasGlobalHeader() {
        return hasGlobalHeader;
    }

    @Override
    public int pkeyIndex() {
        return 0;
    }

    @Override
    public int serviceLevel() {
        return 0;
    }

    @Override
    public int pathBits() {
        return 0;
    }

    @Override
    public String reason() {
        if (ok()) {
            return "The work completed successfully.";
        }
        NumberedQueuePair found = context.queuePairs().lookUp(queuePairNumber);
        String because = found == null ? "" : found.reason();
        return "The " + opcode + " failed because " + status.sentence() + "."
                + (because.isEmpty() ? "" : " " + because);
    }
}
