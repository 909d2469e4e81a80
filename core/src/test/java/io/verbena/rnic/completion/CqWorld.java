package io.verbena.rnic.completion;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.queue.CompletionRing;
import io.verbena.queue.Cqe;
import io.verbena.rnic.ManualWorld;
import io.verbena.rnic.SoftRnic;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueueOptions;
import io.verbena.verbs.CompletionStatus;
import org.junit.jupiter.api.AfterEach;

/** CQs of an RNIC whose entries the tests write. */
abstract class CqWorld {

    final ManualWorld world = new ManualWorld();
    final SoftRnic rnic = world.rnic();
    final Cqe cqe = new Cqe();
    long lastId;

    @AfterEach
    void close() {
        world.close();
    }

    SoftCompletionQueue cq(CompletionQueueOptions options) {
        SoftCompletionQueue cq = (SoftCompletionQueue) rnic.createCompletionQueue(options);
        cq.use(0);
        return cq;
    }

    SoftCompletionQueue cq() {
        return cq(CompletionQueueOptions.capacity(64));
    }

    void push(SoftCompletionQueue cq, boolean urgent) {
        CqSide side = cq.sides()[0];
        assertTrue(side.ring().claim(cqe));
        cqe.fill(++lastId, CompletionStatus.SUCCESS, CompletionOpcode.SEND, 1, 0);
        side.ring().publish(urgent ? CompletionRing.SOLICITED : 0);
    }

    void settle(SoftCompletionQueue cq) {
        cq.sides()[0].settle();
    }
}
