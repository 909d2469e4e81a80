package io.verbena.rnic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.SteppedProcessor;
import io.verbena.rnic.completion.Notified;
import io.verbena.rnic.completion.SoftCompletionQueue;
import io.verbena.rnic.context.Limits;
import io.verbena.rnic.iwarp.IwarpTransport;
import io.verbena.verbs.CompletionQueueOptions;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.HandlerOptions;
import io.verbena.verbs.Notification;
import io.verbena.verbs.RnicOptions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Query RNIC, Set Completion Handler, and Create CQ with a handler. */
class HandlerVerbsTest {

    private static final RnicOptions SINGLE = RnicOptions.defaults().withSettings(Map.of("handlers", "1"));

    private final ManualWorld world = new ManualWorld();

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void queryRnic_returnsHandlersSupported() {
        assertEquals(1024, world.rnic().query().completionHandlers());
        assertEquals(1, world.rnic(SINGLE).query().completionHandlers());
        assertEquals(1, SoftRnic.attributes(SINGLE, new IwarpTransport()).completionHandlers());
    }

    @Test
    void queryRnic_countsHandlersInUse() {
        SoftRnic rnic = world.rnic();
        assertEquals(0, rnic.query().completionHandlersInUse());
        CqHandlerId id = rnic.setCompletionHandler(Notified.NOTHING);
        assertEquals(1, rnic.query().completionHandlersInUse());
        rnic.removeCompletionHandler(id);
        assertEquals(0, rnic.query().completionHandlersInUse());
    }

    @Test
    void rnicWithOneHandler_secondIsRefused_andAnIdentificationIsNeverUsedAgain() {
        SoftRnic rnic = world.rnic(SINGLE);
        CqHandlerId id = rnic.setCompletionHandler(Notified.NOTHING);
        IllegalStateException twice =
                assertThrows(IllegalStateException.class, () -> rnic.setCompletionHandler(Notified.NOTHING));
        assertTrue(String.valueOf(twice.getMessage()).contains("replace it"));
        rnic.removeCompletionHandler(id);
        assertNotEquals(id, rnic.setCompletionHandler(Notified.NOTHING));
    }

    @Test
    void invalidNumberOfHandlers_isRejected() {
        assertThrows(
                IllegalArgumentException.class,
                () -> Limits.handlers(RnicOptions.defaults().withSettings(Map.of("handlers", "none"))));
    }

    @Test
    void setSeveral_eachHasAnIdentification_alsoTheSameHandlerTwice() {
        SoftRnic rnic = world.rnic();
        Set<CqHandlerId> ids = new HashSet<>();
        ids.add(rnic.setCompletionHandler(Notified.NOTHING));
        ids.addAll(rnic.setCompletionHandlers(
                List.of(Notified.NOTHING, Notified.NOTHING), new SteppedProcessor(), HandlerOptions.defaults()));
        assertEquals(3, ids.size());
    }

    @Test
    void setSeveral_moreThanAvailable_noneIsSet() {
        SoftRnic rnic = world.rnic(RnicOptions.defaults().withSettings(Map.of("handlers", "4")));
        SteppedProcessor processor = new SteppedProcessor();
        rnic.setCompletionHandlers(
                List.of(Notified.NOTHING, Notified.NOTHING, Notified.NOTHING), processor, HandlerOptions.defaults());
        assertThrows(
                IllegalStateException.class,
                () -> rnic.setCompletionHandlers(
                        List.of(Notified.NOTHING, Notified.NOTHING), processor, HandlerOptions.defaults()));
        assertEquals(3, rnic.query().completionHandlersInUse());
    }

    @Test
    void handlerReplaced_theNewOneRuns() {
        SoftRnic rnic = world.rnic();
        List<Long> seen = new ArrayList<>();
        CqHandlerId id = rnic.setCompletionHandler(any -> seen.add(-1L));
        SoftCompletionQueue cq = Notified.cq(rnic, id);
        cq.requestNotification(Notification.NEXT);
        rnic.replaceCompletionHandler(id, Notified.drains(seen));
        Notified.push(cq, 5);
        world.settle();
        assertEquals(List.of(5L), seen);
    }

    @Test
    void handlerRemoved_itsIdentificationIsUnknown() {
        SoftRnic rnic = world.rnic();
        CqHandlerId id = rnic.setCompletionHandler(Notified.NOTHING);
        SoftCompletionQueue cq = Notified.cq(rnic, id);
        rnic.removeCompletionHandler(id);
        assertEquals(Optional.empty(), cq.handler());
        assertThrows(IllegalArgumentException.class, () -> rnic.replaceCompletionHandler(id, Notified.NOTHING));
        assertThrows(IllegalArgumentException.class, () -> rnic.removeCompletionHandler(id));
        assertThrows(IllegalArgumentException.class, () -> rnic.queryCompletionHandler(id));
        assertThrows(IllegalArgumentException.class, () -> cq.handler(Optional.of(id)));
    }

    @Test
    void createCq_withHandlerIdentification_oneHandlerServesMany() {
        SoftRnic rnic = world.rnic();
        SteppedProcessor processor = new SteppedProcessor();
        List<Integer> observed = new ArrayList<>();
        CqHandlerId id = rnic.setCompletionHandler(cq -> observed.add(((SoftCompletionQueue) cq).number()), processor);
        List<SoftCompletionQueue> all = new ArrayList<>();
        for (int i = 0; i < 100; i++) { // more than the capacity of the ring
            SoftCompletionQueue cq = Notified.cq(rnic, id);
            cq.requestNotification(Notification.NEXT);
            all.add(cq);
        }
        all.forEach(cq -> Notified.push(cq, 1));
        processor.run();
        assertEquals(100, observed.size());
        assertEquals(100, new HashSet<>(observed).size());
    }

    @Test
    void createCq_unknownIdentification_isRefused() {
        SoftRnic rnic = world.rnic();
        assertThrows(
                IllegalArgumentException.class,
                () -> rnic.createCompletionQueue(
                        CompletionQueueOptions.capacity(8).withHandler(new CqHandlerId(77))));
    }

    @Test
    void moreCqsThanRecords_allSignalledAllTheTime_noneStarves() {
        SoftRnic rnic = world.rnic();
        SteppedProcessor processor = new SteppedProcessor();
        Map<Integer, Integer> runs = new HashMap<>();
        CqHandlerId id = rnic.setCompletionHandler(
                cq -> {
                    runs.merge(((SoftCompletionQueue) cq).number(), 1, Integer::sum);
                    cq.requestNotification(Notification.NEXT); // its entry remains unpolled
                },
                processor);
        List<SoftCompletionQueue> all = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            all.add(Notified.cq(rnic, id));
        }
        Notified.signalAll(all);
        for (int i = 0; i < 5; i++) {
            processor.run();
        }
        assertEquals(100, runs.size());
        rnic.removeCompletionHandler(id);
    }
}
