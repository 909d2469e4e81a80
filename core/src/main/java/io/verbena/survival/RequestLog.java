package io.verbena.survival;

import io.verbena.base.Digest;
import java.util.List;

/**
 * The outstanding requests of one side of an association, numbered from 1 on in the order of posting. It says which
 * request is sent next over the current queue pair: after a failover first the Reads that the peer has executed and
 * whose data did not arrive, then what the peer has not executed. Requests complete in order.
 *
 * <p>No method allocates, except {@link #resume} and {@link #agreesWith}.
 */
public final class RequestLog implements ResumableRequests {

    /** No request. */
    public static final long NONE = 0;

    private final RequestKind[] kinds;

    /** Results that the peer remembered, at {@code number % length} of requests; valid up to {@link #executed}. */
    private final long[] recovered;

    /** Requests that an earlier queue pair executed and that need no data. */
    private final boolean[] executedEarlier;

    /** Requests that are sent after the answers of all earlier ones. */
    private final boolean[] fenced;

    private final int depth;

    private long posted;
    private long taken;
    private long completed;

    /** Requests up to this one are known to be executed; of them only Reads can be incomplete. */
    private long executed;

    /** The last request that was sent over the current queue pair. */
    private long sent;

    /** The last request that was sent over any queue pair. */
    private long everSent;

    /** Requests with an answer among those sent over any queue pair that are not complete. */
    private int unanswered;

    /**
     * The last request that was executed before the current queue pair; those up to it are repeated if they are
     * Reads.
     */
    private long executedBefore;

    /**
     * @param capacity maximum number of requests between the oldest whose completion was not taken and the last one
     * @param depth maximum number of Reads and atomics that were sent and are not complete: the size of the record of
     *     the peer
     */
    public RequestLog(int capacity, int depth) {
        if (capacity < 1 || depth < 1) {
            throw new IllegalArgumentException(
                    "capacity and depth must be 1 or more, not " + capacity + " and " + depth);
        }
        kinds = new RequestKind[capacity];
        recovered = new long[capacity];
        executedEarlier = new boolean[capacity];
        fenced = new boolean[capacity];
        this.depth = depth;
    }

    /**
     * Accepts a request; returns its number, or {@link #NONE} if the log is full.
     *
     * @param afterAnswers whether it is sent only when all earlier Reads and atomics are complete (the fence flag of
     *     a request)
     */
    public long post(RequestKind kind, boolean afterAnswers) {
        if (posted - taken == kinds.length) {
            return NONE;
        }
        posted++;
        int slot = slot(posted);
        kinds[slot] = kind;
        fenced[slot] = afterAnswers;
        executedEarlier[slot] = false;
        return posted;
    }

    private int slot(long number) {
        return (int) (number % kinds.length);
    }

    /** The kind of a request whose completion was not taken. */
    public RequestKind kind(long number) {
        if (number <= taken || number > posted) {
            throw new IllegalArgumentException(
                    "request " + number + " is not outstanding: " + (taken + 1) + " to " + posted + " are");
        }
        return kinds[slot(number)];
    }

    /**
     * The request that is sent next, which counts as sent; {@link #NONE} if there is none, or too many await an
     * answer.
     */
    public long send() {
        long next = following(sent);
        if (next > posted || next > everSent && mustWait(next)) {
            return NONE;
        }
        sent = next;
        if (next > everSent) {
            everSent = next;
            unanswered += kind(next).answered() ? 1 : 0;
        }
        return next;
    }

    private boolean mustWait(long number) {
        return fenced[slot(number)] ? unanswered > 0 : kind(number).answered() && unanswered == depth;
    }

    /** The request after this one in the order in which the current queue pair carries them. */
    private long following(long number) {
        long next = Math.max(number, completed) + 1;
        while (next <= executedBefore && kind(next) != RequestKind.READ) {
            next++;
        }
        return next;
    }

    /**
     * The current queue pair has completed its next request: the peer has executed it, and its data are in place.
     * Returns its number.
     *
     * @throws IllegalStateException if none was sent
     */
    public long done() {
        long number = following(completed);
        if (number > sent) {
            throw new IllegalStateException("the queue pair has completed a request that was not sent: " + number);
        }
        executed = Math.max(executed, number);
        complete(number);
        completeExecuted();
        return number;
    }

    private void complete(long upTo) {
        while (completed < upTo) {
            completed++;
            unanswered -= kind(completed).answered() ? 1 : 0;
        }
    }

    /** Completes what is executed and needs no data: everything before the next Read. */
    private void completeExecuted() {
        while (completed < executed && kind(completed + 1) != RequestKind.READ) {
            complete(completed + 1);
        }
    }

    /** The next completed request, which can be taken once; {@link #NONE} if there is none. */
    public long take() {
        return taken < completed ? ++taken : NONE;
    }

    /**
     * Whether a request that was {@linkplain #take taken} last completed because of what the peer remembered, and not
     * by a queue pair. If it is an atomic operation, {@link #recovered} has its result.
     */
    public boolean wasRecovered(long number) {
        return executedEarlier[slot(number)];
    }

    /** The original value of an atomic operation that was recovered. */
    public long recovered(long number) {
        return recovered[slot(number)];
    }

    @Override
    public boolean agreesWith(ResumePoint peer) {
        if (peer.executed() < executed || peer.executed() > everSent) {
            return false;
        }
        for (long number = completed + 1; number <= peer.executed(); number++) {
            if (kind(number) == RequestKind.ATOMIC && find(peer.results(), number) < 0) {
                return false;
            }
        }
        return true;
    }

    private static int find(List<RecordedResult> results, long number) {
        for (int i = 0; i < results.size(); i++) {
            if (results.get(i).number() == number) {
                return i;
            }
        }
        return -1;
    }

    @Override
    public void resume(ResumePoint peer) {
        assert agreesWith(peer) : peer;
        for (RecordedResult result : peer.results()) {
            if (result.number() > completed && result.number() <= peer.executed()) {
                recovered[slot(result.number())] = result.original();
            }
        }
        executed = peer.executed();
        executedBefore = executed;
        for (long number = completed + 1; number <= executed; number++) {
            executedEarlier[slot(number)] = kind(number) != RequestKind.READ;
        }
        completeExecuted();
        sent = completed;
    }

    /** Number of requests that were accepted. */
    public long posted() {
        return posted;
    }

    @Override
    public long completed() {
        return completed;
    }

    /** Number of requests that this side knows to be executed. */
    public long executed() {
        return executed;
    }

    @Override
    public long stateDigest() {
        long digest = Digest.mix(Digest.mix(Digest.mix(posted, taken), completed), executed);
        digest = Digest.mix(Digest.mix(Digest.mix(digest, sent), everSent), executedBefore);
        for (long number = taken + 1; number <= posted; number++) {
            int slot = slot(number);
            digest = Digest.mix(digest, kind(number).ordinal());
            digest = Digest.mix(digest, Digest.flags(fenced[slot], executedEarlier[slot]));
            digest = Digest.mix(digest, executedEarlier[slot] ? recovered[slot] : 0);
        }
        return digest;
    }
}
