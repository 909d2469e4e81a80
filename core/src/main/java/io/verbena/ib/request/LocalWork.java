package io.verbena.ib.request;

import io.verbena.base.Digest;
import io.verbena.base.Times;
import io.verbena.ib.endpoint.QueuePairWork;
import io.verbena.queue.Wqe;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.WorkOpcode;
import io.verbena.work.KeyWork;

/** Work of a send queue that sends no packet: delays, and work on keys. */
public final class LocalWork {

    /** The result of an attempt. */
    public enum Attempt {
        DONE,
        /** The delay has not elapsed. */
        WAITS,
        /** The work waits for memory, or for other engines. */
        NOT_NOW,
        /** The work failed; see {@link #status}. */
        FAILED
    }

    private final KeyWork keys;
    private boolean delaying;
    private long delayUntilNs;
    private CompletionStatus status = CompletionStatus.SUCCESS;
    private String sentence = "";

    public LocalWork(QueuePairWork owner) {
        keys = new KeyWork(owner.context());
    }

    /** Whether a delay is in progress. */
    public boolean delays(long nowNs) {
        return delaying && !Times.due(delayUntilNs, nowNs);
    }

    /** Executes the work, or continues it. */
    public Attempt attempt(Wqe wqe, long nowNs) {
        return wqe.opcode() == WorkOpcode.DELAY ? delay(wqe, nowNs) : workOnKeys(wqe);
    }

    private Attempt delay(Wqe wqe, long nowNs) {
        if (!delaying) {
            delaying = true;
            delayUntilNs = Times.after(nowNs, wqe.operand1());
        }
        if (delays(nowNs)) {
            return Attempt.WAITS;
        }
        delaying = false;
        return Attempt.DONE;
    }

    private Attempt workOnKeys(Wqe wqe) {
        return switch (keys.work(wqe)) {
            case DONE -> Attempt.DONE;
            case NOT_NOW -> Attempt.NOT_NOW;
            case LOST, REFUSED -> {
                if (wqe.opcode() == WorkOpcode.LOCAL_INVALIDATE) {
                    status = CompletionStatus.LOCAL_OPERATION;
                    sentence = "The key to invalidate is not valid or belongs to another protection domain.";
                } else {
                    status = CompletionStatus.BIND_FAILED;
                    sentence = "A key cannot be bound or unbound: "
                            + keys.verdict().sentence();
                }
                yield Attempt.FAILED;
            }
        };
    }

    /** The reason why the last attempt failed. */
    public CompletionStatus status() {
        return status;
    }

    String sentence() {
        return sentence;
    }

    /** The end of the delay in progress, or {@link Times#NEVER}. */
    public long nextDeadlineNs() {
        return delaying ? delayUntilNs : Times.NEVER;
    }

    public long stateDigest(long digest) {
        return Digest.mix(digest, delaying ? delayUntilNs : 0);
    }
}
