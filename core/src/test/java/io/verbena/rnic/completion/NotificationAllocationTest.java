package io.verbena.rnic.completion;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.verbena.fixture.SteppedProcessor;
import io.verbena.notify.HandlerArbiter;
import io.verbena.queue.Cqe;
import io.verbena.rnic.ManualWorld;
import io.verbena.rnic.SoftRnic;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueueOptions;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.Notification;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The path from an entry to its handler and back to the request allocates nothing, with and without moderation. */
class NotificationAllocationTest {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final ManualWorld world = new ManualWorld();
    private final SteppedProcessor processor = new SteppedProcessor();
    private final HandlerArbiter arbiter = processor.arbiter;
    private final LongSupplier clock = () -> world.nowNs;
    private final Cqe cqe = new Cqe();

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void warmedUp_notifyHandlePollRequest_allocatesNothing() {
        assertEquals(0, leastAllocated(false));
    }

    @Test
    void warmedUp_moderated_allocatesNothing() {
        assertEquals(0, leastAllocated(true));
    }

    private long leastAllocated(boolean moderated) {
        SoftRnic rnic = world.rnic();
        CompletionCursor[] cursor = new CompletionCursor[1];
        CqHandlerId id = rnic.setCompletionHandler(
                cq -> {
                    while (cursor[0].next()) {
                        assertTrue(cursor[0].ok());
                    }
                    cq.requestNotification(Notification.NEXT);
                },
                processor);
        SoftCompletionQueue cq = (SoftCompletionQueue)
                rnic.createCompletionQueue(CompletionQueueOptions.capacity(64).withHandler(id));
        cq.use(0);
        cursor[0] = cq.cursor();
        if (moderated) {
            cq.moderate(4, Duration.ofMillis(1));
            world.settle();
        }
        cq.requestNotification(Notification.NEXT);
        rounds(cq, 30_000);
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 6 && least > 0; i++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            rounds(cq, 5_000);
            least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
        }
        assertTrue(rnic.queryCompletionHandler(id).events() > 5_000);
        return least;
    }

    private void rounds(SoftCompletionQueue cq, int count) {
        CqSide side = cq.sides()[0];
        for (int i = 0; i < count; i++) {
            assertTrue(side.ring().claim(cqe));
            cqe.fill(i, CompletionStatus.SUCCESS, CompletionOpcode.SEND, 1, 0);
            side.ring().publish(0);
            side.settle();
            world.pass(100);
            side.engine().turn(world.nowNs);
            arbiter.run(8, clock);
        }
    }
}
