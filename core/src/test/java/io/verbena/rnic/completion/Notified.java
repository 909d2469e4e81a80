package io.verbena.rnic.completion;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.queue.Cqe;
import io.verbena.rnic.SoftRnic;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueueOptions;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.CqHandler;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.Notification;
import java.util.List;

/** Completion queues and handlers for tests in which the test acts as the engine. */
public final class Notified {

    public static final CqHandler NOTHING = cq -> {};

    private Notified() {}

    /** A handler that polls all entries and requests notification again. */
    public static CqHandler drains(List<Long> seen) {
        return cq -> {
            CompletionCursor cursor = cq.cursor();
            while (cursor.next()) {
                seen.add(cursor.wrId());
            }
            cq.requestNotification(Notification.NEXT);
        };
    }

    /** A CQ with this handler, used by one queue of the first engine. */
    public static SoftCompletionQueue cq(SoftRnic rnic, CqHandlerId id) {
        SoftCompletionQueue cq = (SoftCompletionQueue)
                rnic.createCompletionQueue(CompletionQueueOptions.capacity(64).withHandler(id));
        cq.use(0);
        return cq;
    }

    /** Publishes an entry and settles. */
    public static void push(SoftCompletionQueue cq, long wrId) {
        push(cq, wrId, 0);
    }

    /** Publishes an entry with these causes and settles. */
    public static void push(SoftCompletionQueue cq, long wrId, int causes) {
        publish(cq, wrId, causes);
        cq.sides()[0].settle();
    }

    /** Publishes an entry without settling. */
    public static void publish(SoftCompletionQueue cq, long wrId, int causes) {
        Cqe cqe = new Cqe();
        CqSide side = cq.sides()[0];
        assertTrue(side.ring().claim(cqe));
        cqe.fill(wrId, CompletionStatus.SUCCESS, CompletionOpcode.SEND, 1, 0);
        side.ring().publish(causes);
    }

    /** Requests notification for each CQ and publishes an entry to it. */
    public static void signalAll(List<SoftCompletionQueue> cqs) {
        for (SoftCompletionQueue cq : cqs) {
            cq.requestNotification(Notification.NEXT);
            push(cq, 1);
        }
    }
}
