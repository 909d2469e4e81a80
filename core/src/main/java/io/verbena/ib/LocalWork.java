package io.verbena.ib;

import io.verbena.base.Digest;
import io.verbena.base.Times;
import io.verbena.queue.Wqe;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.WorkOpcode;
import io.verbena.work.KeyWork;

/** Work of a send queue that has no packet: delays, and work on keys. */
final class LocalWork {

    /** How an attempt went. */
    enum Attempt {
        DONE,
        /** Its time has not come. */
        WAITS,
        /** Memory is awaited. */
        NOT_NOW,
        /** It failed; see {@link #status}. */
        FAILED
    }

    private final KeyWork keys;
    private boolean delaying;
    private long delayUntilNs;
    private CompletionStatus status = CompletionStatus.SUCCESS;
    private String sentence = "";

    LocalWork(QueuePairWork owner) {
        keys = new KeyWork(owner.context());
    }

    /** Whether a delay that has begun goes on. */
    boolean delays(long nowNs) {
        return delaying && !Times.due(delayUntilNs, nowNs);
    }

    /** Does the work, or goes on with it. */
    Attempt attempt(Wqe wqe, long nowNs) {
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
                    sentence = "the key to invalidate is not ours or not valid";
                } else {
                    status = CompletionStatus.BIND_FAILED;
                    sentence = "a key cannot be bound or unbound: "
                            + keys.verdict().sentence();
                }
                yield Attempt.FAILED;
            }
        };
    }

    /** Why the last attempt failed. */
    CompletionStatus status() {
        return status;
    }

    String sentence() {
        return sentence;
    }

    /** When a delay is over, or {@link Times#NEVER}. */
    long nextDeadlineNs() {
        return delaying ? delayUntilNs : Times.NEVER;
    }

    long stateDigest(long digest) {
        return Digest.mix(digest, delaying ? delayUntilNs : 0);
    }
}
