package io.verbena.objects;

import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.QueuePair;
import org.jspecify.annotations.Nullable;

/**
 * The values of the entry at which a cursor stands. A back end copies an entry to these fields, so that its memory is free at once
 * and the values remain valid until the next poll.
 */
public abstract class CompletionValues implements CompletionCursor {

    protected long wrId;
    protected CompletionStatus status = CompletionStatus.SUCCESS;
    protected CompletionOpcode opcode = CompletionOpcode.SEND;
    protected int queuePairNumber;
    protected long byteCount;
    protected boolean hasImmediate;
    protected long immediate;
    protected boolean hasInvalidatedKey;
    protected int invalidatedKey;
    protected boolean solicited;
    protected boolean hasGlobalHeader;
    protected int sourceQueuePairNumber;
    protected int sourceLid;
    protected int sourceContextNumber;
    protected int pkeyIndex;
    protected int serviceLevel;
    protected int pathBits;

    /** The open queue pair with a number, or null. */
    protected abstract @Nullable QueuePair find(int number);

    /** What the back end knows of a failure besides its status, as a sentence; empty for nothing. */
    protected abstract String because();

    @Override
    public final long wrId() {
        return wrId;
    }

    @Override
    public final CompletionStatus status() {
        return status;
    }

    @Override
    public final CompletionOpcode opcode() {
        return opcode;
    }

    @Override
    public final int queuePairNumber() {
        return queuePairNumber;
    }

    @Override
    public final QueuePair queuePair() {
        QueuePair found = find(queuePairNumber);
        if (found == null) {
            throw new IllegalStateException("queue pair " + queuePairNumber
                    + " is closed; identify its earlier completions by the queue pair number");
        }
        return found;
    }

    @Override
    public final long byteCount() {
        return byteCount;
    }

    @Override
    public final boolean hasImmediate() {
        return hasImmediate;
    }

    @Override
    public final long immediate() {
        return immediate;
    }

    @Override
    public final boolean hasInvalidatedKey() {
        return hasInvalidatedKey;
    }

    @Override
    public final int invalidatedKey() {
        return invalidatedKey;
    }

    @Override
    public final boolean solicited() {
        return solicited;
    }

    // Datagrams.

    @Override
    public final int sourceQueuePairNumber() {
        return sourceQueuePairNumber;
    }

    @Override
    public final int sourceContextNumber() {
        return sourceContextNumber;
    }

    @Override
    public final int sourceLid() {
        return sourceLid;
    }

    @Override
    public final boolean hasGlobalHeader() {
        return hasGlobalHeader;
    }

    @Override
    public final int pkeyIndex() {
        return pkeyIndex;
    }

    @Override
    public final int serviceLevel() {
        return serviceLevel;
    }

    @Override
    public final int pathBits() {
        return pathBits;
    }

    @Override
    public final String reason() {
        if (ok()) {
            return "The work completed successfully.";
        }
        String because = because();
        return "The " + opcode + " failed because " + status.sentence() + "."
                + (because.isEmpty() ? "" : " " + because);
    }
}
