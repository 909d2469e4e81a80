package io.verbena.rnic.completion;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.notify.Moderator;
import io.verbena.queue.CompletionRing;
import io.verbena.queue.Cqe;
import io.verbena.rnic.ManualEnvironment;
import io.verbena.rnic.ManualWorld;
import io.verbena.rnic.SoftRnic;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.CompletionTypes;
import io.verbena.verbs.Notification;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Moderation of events by count and time, fixed and adaptive. */
class ModerationTest {

    private static final long US = 1_000;

    private final ManualWorld world = new ManualWorld();
    private final SoftRnic rnic = world.rnic();
    private final SoftCompletionQueue cq = (SoftCompletionQueue) rnic.createCompletionQueue(4096);
    private final AtomicInteger events = new AtomicInteger();
    private final Cqe cqe = new Cqe();

    ModerationTest() {
        ManualEnvironment.of(rnic).runsHandlersAtOnce = true;
        cq.use(0);
        cq.onReady(events::incrementAndGet);
    }

    @AfterEach
    void close() {
        world.close();
    }

    private void push(int cause) {
        CqSide side = cq.sides()[0];
        assertTrue(side.ring().claim(cqe));
        cqe.fill(1, CompletionStatus.SUCCESS, CompletionOpcode.SEND, 1, 0);
        side.ring().publish(cause);
        side.settle();
    }

    private void moderate(int count, Duration period) {
        cq.moderate(count, period);
        world.settle();
        cq.requestNotification(Notification.NEXT);
    }

    @Test
    void moderation_requestOfTypes_delaysTheirEventsOnly() {
        cq.moderate(4, Duration.ofMillis(1));
        world.settle();
        cq.requestNotification(CompletionTypes.of(CompletionOpcode.RECEIVE));
        push(CompletionRing.type(CompletionOpcode.SEND));
        world.advance(5_000 * US);
        assertEquals(0, events.get());
        push(CompletionRing.type(CompletionOpcode.RECEIVE));
        assertEquals(0, events.get(), "held back");
        world.advance(5_000 * US);
        assertEquals(1, events.get());
    }

    @Test
    void moderation_eventAfterTheCount() {
        moderate(4, Duration.ofMillis(1));
        for (int i = 0; i < 3; i++) {
            push(0);
        }
        assertEquals(0, events.get());
        push(0);
        assertEquals(1, events.get());
    }

    @Test
    void moderation_eventAfterThePeriod_fromTheFirst() {
        moderate(100, Duration.ofMillis(1));
        push(0);
        world.advance(900 * US);
        push(0);
        assertEquals(0, events.get());
        world.advance(99 * US);
        assertEquals(0, events.get());
        world.advance(2 * US);
        assertEquals(1, events.get());
        world.advance(5_000 * US);
        assertEquals(1, events.get(), "once");
    }

    @Test
    void moderation_errorAndOwnRequest_areReportedAtOnce() {
        moderate(100, Duration.ofMillis(1));
        push(0);
        push(CompletionRing.FAILED);
        assertEquals(1, events.get());
        push(CompletionRing.REQUESTED);
        assertEquals(2, events.get());
        world.advance(5_000 * US);
        assertEquals(2, events.get());
    }

    @Test
    void moderation_requestFindsEntries_reportedAtOnce_andTheTimerIsSilent() {
        moderate(100, Duration.ofMillis(1));
        push(0);
        cq.requestNotification(Notification.NEXT); // an entry is available
        assertEquals(1, events.get());
        assertTrue(cq.cursor().next());
        cq.requestNotification(Notification.NEXT);
        world.advance(5_000 * US);
        assertEquals(1, events.get(), "the delayed entry has been polled");
        push(0);
        world.advance(5_000 * US);
        assertEquals(2, events.get(), "the next one is not lost");
    }

    @Test
    void moderationEnded_delayedEventIsReported() {
        moderate(100, Duration.ofMillis(1));
        push(0);
        cq.moderate(1, Duration.ofMillis(1));
        world.settle();
        assertEquals(1, events.get());
        assertEquals(0, rnic.engine(0).members());
        cq.cursor().next();
        cq.requestNotification(Notification.NEXT);
        push(0);
        assertEquals(2, events.get());
    }

    @Test
    void moderation_unarmedEntries_startNothing() {
        cq.moderate(2, Duration.ofMillis(1));
        world.settle();
        push(0);
        push(0);
        push(0);
        world.advance(5_000 * US);
        assertEquals(0, events.get());
        cq.requestNotification(Notification.NEXT);
        assertEquals(1, events.get());
    }

    @Test
    void moderationOutOfRange_isRefused() {
        assertThrows(IllegalArgumentException.class, () -> cq.moderate(0, Duration.ofMillis(1)));
        assertThrows(IllegalArgumentException.class, () -> cq.moderate(2, Duration.ZERO));
        assertThrows(IllegalArgumentException.class, () -> cq.moderate(2, Duration.ofDays(1)));
        cq.leave();
        cq.close();
        assertThrows(IllegalStateException.class, () -> cq.moderate(2, Duration.ofMillis(1)));
    }

    @Test
    void adaptive_lowRateReportedAtOnce_highRateCombined() {
        Moderator slow = new Moderator(64, 100 * US, true);
        long nowNs = 0;
        for (int i = 0; i < 50; i++) {
            slow.observe(1, nowNs);
            assertFalse(slow.holds(1, nowNs), "one entry per millisecond");
            nowNs += 1_000 * US;
        }
        Moderator fast = new Moderator(64, 100 * US, true);
        int observed = 0;
        for (int i = 0; i < 10_000; i++) {
            fast.observe(1, nowNs);
            observed += fast.holds(1, nowNs) ? 0 : 1;
            nowNs += 2 * US;
        }
        assertEquals(50, fast.count(), 3);
        assertEquals(10_000 / 50, observed, 40);
    }

    @Test
    void adaptive_clockThatWraps_continues() {
        Moderator moderator = new Moderator(8, 100 * US, true);
        long nowNs = Long.MAX_VALUE - 50 * US;
        for (int i = 0; i < 1000; i++) {
            moderator.observe(1, nowNs);
            moderator.holds(1, nowNs);
            nowNs += US;
        }
        assertEquals(8, moderator.count());
    }
}
