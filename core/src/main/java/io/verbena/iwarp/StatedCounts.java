package io.verbena.iwarp;

import io.verbena.base.Digest;
import io.verbena.base.Times;
import io.verbena.survival.RequestKind;

/**
 * When the responder of a surviving connection states how many requests it has executed. A statement of its own costs
 * both sides a system call, so the count waits a moment for work of this side, which takes it along, and for more
 * requests to be stated at once:
 *
 * <pre>
 *   what was executed last                        the count is stated
 *   ------------------------------------------    --------------------------------------------------
 *   a short message, no more has arrived, and     at once
 *   the last one was not answered by work
 *   another message                               with the next work of this side, or after 20 us
 *   8 requests, or 256 KiB                        at once
 *   stated by a Send only, which may be           after 1 ms, or 128 requests: a Send that arrives
 *   the last one                                  before its predecessors does not show its count
 * </pre>
 */
final class StatedCounts {

    private static final int MOST_REQUESTS = 8;

    private static final long MOST_BYTES = 256 * 1024;

    /** Requests that only Sends have stated. */
    private static final int MOST_HINTED = 128;

    /** The requester of a longer Write hardly notices the delay. */
    private static final int LONG_WRITE = 4096;

    private static final long DELAY_NS = 20_000;
    private static final long HINTED_DELAY_NS = 1_000_000;

    /** The count after the last request that has no answer. */
    private long owed;

    /** The count in the last acknowledgment, and the one that was stated last, perhaps by a Send. */
    private long stated;

    private long hinted;

    /** Bytes of Writes since the last acknowledgment. */
    private long bytes;

    private boolean isLong;
    private boolean fresh;

    /** Whether this side has answered by work of its own, within the delay, when it last had the opportunity. */
    private boolean answers = true;

    private long executedNs = Times.NEVER;
    private long dueNs = Times.NEVER;

    /** A request without an answer was executed. The bytes of a Send do not matter. */
    void onExecuted(RequestKind kind, long payload, long executed) {
        owed = executed;
        fresh = true;
        isLong = kind == RequestKind.WRITE && payload >= LONG_WRITE;
        bytes += kind == RequestKind.WRITE ? payload : 0;
    }

    /** The stream was read within a turn. */
    void onRead(boolean more, long nowNs) {
        if (unstated(0)) {
            executedNs = fresh ? nowNs : executedNs;
            fresh = false;
            dueNs = Times.earlier(dueNs, Times.after(nowNs, isLong || more || answers ? DELAY_NS : 0));
        }
    }

    /** Work of this side has left. */
    void onWorkSent(long nowNs) {
        if (executedNs != Times.NEVER) {
            answers = !Times.due(Times.after(executedNs, DELAY_NS), nowNs);
            executedNs = Times.NEVER;
        }
    }

    /** Whether a count after {@code included} was stated in no way. */
    boolean unstated(long included) {
        return owed > Math.max(Math.max(stated, hinted), included);
    }

    /** Whether the peer has to learn of a count after {@code included}, sooner or later. */
    boolean owes(long included) {
        return owed > Math.max(stated, included);
    }

    /** Whether the count is to be stated now, and {@code included} is not that count. */
    boolean due(long included, long nowNs) {
        return owes(included)
                && (owed - Math.max(stated, hinted) >= MOST_REQUESTS
                        || owed - stated >= MOST_HINTED
                        || bytes >= MOST_BYTES
                        || Times.due(dueNs, nowNs));
    }

    /** When {@link #due} becomes true by itself. */
    long dueNs() {
        return owed > stated ? dueNs : Times.NEVER;
    }

    /** An acknowledgment with this count has left. */
    void onStated(long count, long nowNs) {
        answers &= executedNs == Times.NEVER || isLong || !Times.due(Times.after(executedNs, DELAY_NS), nowNs);
        stated = count;
        bytes = 0;
        dueNs = Times.NEVER;
    }

    /** A Send with this count has left. */
    void onHinted(long count, long nowNs) {
        if (owed > stated && count > hinted) {
            hinted = count;
            dueNs = Times.after(nowNs, HINTED_DELAY_NS);
        }
    }

    /** A message of the resume exchange has stated this count. */
    void resume(long count) {
        owed = count;
        hinted = count;
        stated = count;
        bytes = 0;
        executedNs = Times.NEVER;
        dueNs = Times.NEVER;
    }

    long stateDigest() {
        long digest = Digest.mix(Digest.mix(owed, stated), Digest.mix(hinted, bytes));
        digest = Digest.mix(Digest.mix(digest, executedNs), Digest.flags(isLong, answers, fresh));
        return Digest.mix(digest, owed > stated ? dueNs : 0);
    }
}
