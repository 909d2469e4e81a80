package io.verbena.hardware.fake;

import io.verbena.hardware.fake.FakeQueues.Qp;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Paths that break while requests are under way, one after the other. */
final class FakeCut {

    /** What becomes of a request. */
    enum Step {
        /** It is executed and answered. */
        ANSWERED,
        /** It is executed, and its answer is lost. */
        EXECUTED,
        /** The path is broken. */
        BROKEN
    }

    private static final int FLUSHED = 5;
    private static final int RETRY_EXCEEDED = 12;

    /** One break: after some answered requests, and some more whose answers are lost. */
    private record Plan(int answered, int lost) {}

    private final ArrayDeque<Plan> plans = new ArrayDeque<>();
    private final Set<Qp> waiting = new LinkedHashSet<>();
    private int steps;

    void add(int answered, int lost) {
        plans.addLast(new Plan(answered, lost));
    }

    Step next() {
        Plan plan = plans.peekFirst();
        if (plan == null) {
            return Step.ANSWERED;
        }
        int at = steps++;
        if (at < plan.answered()) {
            return Step.ANSWERED;
        }
        if (at < plan.answered() + plan.lost()) {
            return Step.EXECUTED;
        }
        plans.removeFirst();
        steps = 0;
        return Step.BROKEN;
    }

    /** A queue pair has no answer to a request. */
    void unanswered(Qp qp, long wrId) {
        qp.unanswered.addLast(wrId);
        waiting.add(qp);
    }

    /** The time is over for which queue pairs wait for lost answers. */
    void timeOut() {
        if (waiting.stream().anyMatch(each -> !each.unanswered.isEmpty())) {
            plans.removeFirst();
            steps = 0;
            List.copyOf(waiting).forEach(this::breakPath);
        }
    }

    /** The path of a queue pair breaks, which its oldest unanswered request notices. */
    void breakPath(Qp qp) {
        Qp peer = qp.peer;
        if (peer != null) {
            peer.peer = null;
        }
        qp.peer = null;
        waiting.remove(qp);
        int status = RETRY_EXCEEDED;
        while (!qp.unanswered.isEmpty()) {
            FakeAdapter.completed(qp, qp.unanswered.removeFirst(), status, 0, 0);
            status = FLUSHED;
        }
        qp.state(Qp.ERR);
    }
}
