package io.verbena.iwarp;

import io.verbena.base.Digest;
import io.verbena.base.Times;
import io.verbena.survival.RequestKind;

/**
 * When the responder of a surviving connection states how many requests it has executed. A statement of its own costs
 * both sides a system call, so the count waits a moment for a Send of this side, whose header has space for it, and for
 * more requests to be stated at once:
 *
 * <pre>
 *   what was executed last                        the count is stated
 *   ------------------------------------------    --------------------------------------------------
 *   a short Write, and no more has arrived        at once: its requester waits for nothing else
 *   a Send, or a long Write                       by the next Send of this side, or after 20 us
 *   8 requests, or 256 KiB                        at once
 *   stated by a Send only, which may be           after 1 ms, or 128 requests: a Send that arrives
 *   the last one                                  before its predecessors does not show its count
 * </pre>
 */
final class StatedCounts {

    /** The requester has no more to send than this, or its window is probably far from its end. */
    private static final int MOST_REQUESTS = 8;

    private static final long MOST_BYTES = 256 * 1024;

    /** Requests that only Sends have stated. */
    private static final int MOST_HINTED = 128;

    /** A shorter Write takes less time than the acknowledgment that it waits for. */
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

    private boolean shortWrite;
    private long dueNs = Times.NEVER;

    /** A request without an answer was executed. The bytes of a Send do not matter. */
    void onExecuted(RequestKind kind, long payload, long executed) {
        owed = executed;
        shortWrite = kind == RequestKind.WRITE && payload < LONG_WRITE;
        bytes += kind == RequestKind.WRITE ? payload : 0;
    }

    /** The stream was read within a turn. */
    void onRead(boolean more, long nowNs) {
        if (owed > Math.max(stated, hinted)) {
            dueNs = Times.earlier(dueNs, Times.after(nowNs, shortWrite && !more ? 0 : DELAY_NS));
        }
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
    void onStated(long count) {
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
        onStated(count);
    }

    long stateDigest() {
        long digest = Digest.mix(Digest.mix(owed, stated), Digest.mix(hinted, bytes));
        return Digest.mix(digest, owed > stated ? dueNs * 2 + (shortWrite ? 1 : 0) : 0);
    }
}
