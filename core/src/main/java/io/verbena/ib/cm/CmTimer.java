package io.verbena.ib.cm;

import io.verbena.base.Times;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * Something with a deadline: a connection or a resolution. All timers of a port are in one index, ordered by deadline.
 */
abstract class CmTimer {

    /** The timers of a port that have a deadline. */
    static final class Index {
        private final TreeSet<CmTimer> pending = new TreeSet<>(CmTimer::order);

        /** The earliest deadline, or {@link Times#NEVER}. */
        long nextDeadlineNs() {
            return pending.isEmpty() ? Times.NEVER : pending.first().deadlineNs;
        }

        /** Removes the timers whose deadline has passed, in the order of their deadlines. */
        List<CmTimer> expired(long nowNs) {
            List<CmTimer> due = new ArrayList<>();
            while (Times.due(nextDeadlineNs(), nowNs)) {
                CmTimer first = pending.first();
                first.deadline(Times.NEVER);
                due.add(first);
            }
            return due;
        }

        /** The timers that have a deadline, in the order of their deadlines. */
        List<CmTimer> pending() {
            return List.copyOf(pending);
        }

        /** Number of timers that have a deadline. */
        int size() {
            return pending.size();
        }
    }

    private final Index index;
    private final int localId;
    private long deadlineNs = Times.NEVER;

    CmTimer(Index index, int localId) {
        this.index = index;
        this.localId = localId;
    }

    private static int order(CmTimer one, CmTimer other) {
        int byDeadline = Long.signum(one.deadlineNs - other.deadlineNs);
        return byDeadline != 0 ? byDeadline : Integer.compare(one.localId, other.localId);
    }

    /** Number of the connection or resolution, unique on its port. */
    final int localId() {
        return localId;
    }

    /** Sets the deadline, or removes it with {@link Times#NEVER}. */
    final void deadline(long newDeadlineNs) {
        if (deadlineNs != Times.NEVER) {
            index.pending.remove(this);
        }
        deadlineNs = newDeadlineNs;
        if (deadlineNs != Times.NEVER) {
            index.pending.add(this);
        }
    }

    final long deadlineNs() {
        return deadlineNs;
    }

    /** The deadline has passed. */
    abstract void onDeadline(long nowNs);
}
