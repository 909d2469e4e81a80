package io.verbena.rnic.completion;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.queue.CompletionRing;
import io.verbena.rnic.ManualEnvironment;
import io.verbena.rnic.SoftRnic;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueueOptions;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.CompletionTypes;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.Notification;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The events of a CQ: exactly one per request, never lost and never repeated. */
class NotificationTest extends CqWorld {

    /** Counts events as they are signalled; no handler runs. */
    private static AtomicInteger counted(SoftCompletionQueue cq) {
        ManualEnvironment.of((SoftRnic) cq.rnic()).runsHandlersAtOnce = true;
        AtomicInteger events = new AtomicInteger();
        cq.onReady(events::incrementAndGet);
        return events;
    }

    @Test
    void unarmed_entry_isSilent() {
        SoftCompletionQueue cq = cq();
        AtomicInteger events = counted(cq);
        push(cq, true);
        settle(cq);
        assertEquals(0, events.get());
    }

    @Test
    void armedNext_entries_signalOnce() {
        SoftCompletionQueue cq = cq();
        AtomicInteger events = counted(cq);
        cq.requestNotification(Notification.NEXT);
        assertEquals(0, events.get());
        push(cq, false);
        push(cq, false);
        settle(cq);
        push(cq, false);
        settle(cq);
        settle(cq);
        assertEquals(1, events.get());
    }

    @Test
    void entryBetweenLastPollAndArming_signalsAtOnce() {
        SoftCompletionQueue cq = cq();
        AtomicInteger events = counted(cq);
        CompletionCursor cursor = cq.cursor();
        push(cq, false);
        settle(cq);
        assertTrue(cursor.next());
        assertFalse(cursor.next());
        push(cq, false);
        settle(cq);
        cq.requestNotification(Notification.NEXT);
        assertEquals(1, events.get());
    }

    @Test
    void entryPublishedAndNotSettledWhenArmed_signalsOnce() {
        SoftCompletionQueue cq = cq();
        AtomicInteger events = counted(cq);
        push(cq, false);
        cq.requestNotification(Notification.NEXT);
        assertEquals(1, events.get());
        settle(cq);
        assertEquals(1, events.get());
    }

    @Test
    void everyOrderOfArmPushSettleAndPoll_losesNoEvent() {
        // Two entries, with the steps in every order that an engine and a poller can produce.
        List<String> orders = new ArrayList<>();
        interleave("PTPT", "APPA", "", orders);
        for (String order : orders) {
            SoftCompletionQueue cq = cq();
            AtomicInteger events = counted(cq);
            CompletionCursor cursor = cq.cursor();
            int taken = 0;
            for (int i = 0; i < order.length(); i++) {
                switch (order.charAt(i)) {
                    case 'P' -> push(cq, false);
                    case 'T' -> settle(cq);
                    case 'A' -> cq.requestNotification(Notification.NEXT);
                    case 'p' -> taken += cursor.next() ? 1 : 0;
                    default -> throw new AssertionError();
                }
            }
            // The poller's last step armed the CQ. Entries that were unpolled then, or arrived later, have been
            // signalled.
            assertTrue(taken == 2 || events.get() >= 1, order);
            assertTrue(events.get() <= 2, order + ": " + events.get());
        }
    }

    /** All interleavings of the two scripts; a P of the poller is a poll. */
    private static void interleave(String engine, String poller, String done, List<String> all) {
        if (engine.isEmpty() && poller.isEmpty()) {
            all.add(done);
            return;
        }
        if (!engine.isEmpty()) {
            interleave(engine.substring(1), poller, done + engine.charAt(0), all);
        }
        if (!poller.isEmpty()) {
            char step = poller.charAt(0) == 'P' ? 'p' : poller.charAt(0);
            interleave(engine, poller.substring(1), done + step, all);
        }
    }

    @Test
    void armedSolicited_plainEntries_areSilentUntilAnUrgentOne() {
        SoftCompletionQueue cq = cq();
        AtomicInteger events = counted(cq);
        cq.requestNotification(Notification.SOLICITED);
        push(cq, false);
        settle(cq);
        assertEquals(0, events.get());
        push(cq, true);
        settle(cq);
        assertEquals(1, events.get());
        cq.requestNotification(Notification.SOLICITED);
        assertEquals(2, events.get(), "the urgent event was signalled at once");
    }

    @Test
    void armedSolicited_urgentEntryPolledBefore_isSilent() {
        SoftCompletionQueue cq = cq();
        AtomicInteger events = counted(cq);
        push(cq, true);
        settle(cq);
        assertTrue(cq.cursor().next());
        cq.requestNotification(Notification.SOLICITED);
        push(cq, false);
        settle(cq);
        assertEquals(0, events.get());
    }

    @Test
    void armedNext_solicitedRequestedAsWell_staysNext() {
        SoftCompletionQueue cq = cq();
        AtomicInteger events = counted(cq);
        cq.requestNotification(Notification.NEXT);
        cq.requestNotification(Notification.SOLICITED);
        push(cq, false);
        settle(cq);
        assertEquals(1, events.get());
    }

    private void push(SoftCompletionQueue cq, int causes) {
        CqSide side = cq.sides()[0];
        assertTrue(side.ring().claim(cqe));
        cqe.fill(++lastId, CompletionStatus.SUCCESS, CompletionOpcode.SEND, 1, 0);
        side.ring().publish(causes);
        side.settle();
    }

    private static final int READ = CompletionRing.type(CompletionOpcode.READ);
    private static final int RECEIVE = CompletionRing.type(CompletionOpcode.RECEIVE);
    private static final CompletionTypes READS = CompletionTypes.of(CompletionOpcode.READ);
    private static final CompletionTypes ARRIVALS =
            CompletionTypes.of(CompletionOpcode.RECEIVE, CompletionOpcode.RECEIVE_IMMEDIATE);

    @Test
    void armedTypes_otherEntries_areSilentUntilOneOfThem() {
        SoftCompletionQueue cq = cq();
        AtomicInteger events = counted(cq);
        cq.requestNotification(ARRIVALS);
        push(cq, READ);
        push(cq, READ | CompletionRing.SOLICITED);
        assertEquals(0, events.get());
        push(cq, RECEIVE);
        assertEquals(1, events.get());
        push(cq, RECEIVE);
        assertEquals(1, events.get(), "one request, one event");
    }

    @Test
    void armedTypes_requestedEntryIsUnpolled_signalsAtOnce_polledBefore_isSilent() {
        SoftCompletionQueue cq = cq();
        AtomicInteger events = counted(cq);
        push(cq, RECEIVE);
        push(cq, READ);
        cq.requestNotification(ARRIVALS);
        assertEquals(1, events.get());
        assertTrue(cq.cursor().next());
        cq.requestNotification(ARRIVALS);
        assertEquals(1, events.get(), "the remaining entry is a Read");
        cq.requestNotification(READS);
        assertEquals(2, events.get());
    }

    @Test
    void armedTypes_entryInErrorOrWithItsOwnRequest_signals() {
        for (int cause : new int[] {CompletionRing.FAILED, CompletionRing.REQUESTED}) {
            SoftCompletionQueue cq = cq();
            AtomicInteger events = counted(cq);
            cq.requestNotification(ARRIVALS);
            push(cq, READ | cause);
            assertEquals(1, events.get());
            cq.requestNotification(ARRIVALS);
            assertEquals(2, events.get(), "the entry is still unpolled");
        }
    }

    @Test
    void requestsOfTypes_addUp_withSolicitedAndWithEachOther() {
        List<List<Consumer<SoftCompletionQueue>>> orders = List.of(
                List.of(
                        cq -> cq.requestNotification(READS),
                        cq -> cq.requestNotification(ARRIVALS),
                        cq -> cq.requestNotification(Notification.SOLICITED)),
                List.of(
                        cq -> cq.requestNotification(Notification.SOLICITED),
                        cq -> cq.requestNotification(READS),
                        cq -> cq.requestNotification(ARRIVALS)),
                List.of(cq -> cq.requestNotification(CompletionTypes.of(CompletionOpcode.READ, CompletionOpcode.RECEIVE)
                        .orSolicited())));
        for (List<Consumer<SoftCompletionQueue>> order : orders) {
            for (int cause : new int[] {READ, RECEIVE, CompletionRing.SOLICITED}) {
                SoftCompletionQueue cq = cq();
                AtomicInteger events = counted(cq);
                order.forEach(request -> request.accept(cq));
                push(cq, CompletionRing.type(CompletionOpcode.BIND));
                assertEquals(0, events.get());
                push(cq, cause);
                assertEquals(1, events.get());
            }
        }
    }

    @Test
    void armedTypesAndNext_isNext_andTypesDoNotNarrowIt() {
        SoftCompletionQueue cq = cq();
        AtomicInteger events = counted(cq);
        cq.requestNotification(ARRIVALS);
        cq.requestNotification(Notification.NEXT);
        cq.requestNotification(ARRIVALS);
        push(cq, READ);
        assertEquals(1, events.get());
        cq.cursor().next();
        cq.requestNotification(ARRIVALS);
        push(cq, READ);
        assertEquals(1, events.get(), "the earlier request was consumed");
    }

    @Test
    void types_withoutAnyOrWithUnknownBits_areRefused() {
        assertThrows(IllegalArgumentException.class, () -> new CompletionTypes(0, false));
        assertThrows(IllegalArgumentException.class, () -> new CompletionTypes(1 << 30, false));
        assertTrue(ARRIVALS.includes(CompletionOpcode.RECEIVE_IMMEDIATE));
        assertFalse(ARRIVALS.includes(CompletionOpcode.SEND));
    }

    @Test
    void solicitedAlwaysSignals_unarmed_signals() {
        SoftCompletionQueue cq = cq(CompletionQueueOptions.capacity(8).withSolicitedAlwaysSignals(true));
        AtomicInteger events = counted(cq);
        push(cq, false);
        settle(cq);
        assertEquals(0, events.get());
        push(cq, true);
        settle(cq);
        assertEquals(1, events.get());
    }

    @Test
    void armedWithoutAHandler_entry_isSignalledWhenAHandlerIsAssociated() {
        SoftCompletionQueue cq = cq();
        cq.requestNotification(Notification.NEXT);
        push(cq, false);
        settle(cq);
        AtomicInteger runs = new AtomicInteger();
        CqHandlerId id = rnic.setCompletionHandler(any -> runs.incrementAndGet());
        cq.handler(Optional.of(id));
        world.settle();
        assertEquals(1, runs.get());
    }
}
