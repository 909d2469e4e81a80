package io.verbena.rnic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.verbena.fixture.SteppedProcessor;
import io.verbena.notify.CqDispatch;
import io.verbena.notify.NotificationFlow.Event;
import io.verbena.queue.CompletionRing;
import io.verbena.rnic.completion.Notified;
import io.verbena.rnic.completion.SoftCompletionQueue;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueueOptions;
import io.verbena.verbs.CompletionTypes;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.EventAddress;
import io.verbena.verbs.EventSource;
import io.verbena.verbs.HandlerOptions;
import io.verbena.verbs.HandlerProcessor;
import io.verbena.verbs.Notification;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The content of an event record, and the time at which it is visible. */
class EventRecordTest {

    private final ManualWorld world = new ManualWorld();

    @AfterEach
    void close() {
        world.close();
    }

    /** The content of the record as seen by the run of the handler. */
    private record Observed(int datum, Event cause, long signalledNs, int entries) {}

    private CqHandlerId recording(SoftRnic rnic, List<Observed> observed, HandlerProcessor processor) {
        return rnic.setCompletionHandler(
                which -> {
                    SoftCompletionQueue cq = (SoftCompletionQueue) which;
                    CqDispatch record = cq.dispatch();
                    observed.add(new Observed(
                            record.datum(), Event.values()[record.cause()], record.signalledNs(), cq.size()));
                },
                processor);
    }

    @Test
    void eventRecord_namesTheHandlerOfItsCq() {
        SoftRnic rnic = world.rnic();
        SteppedProcessor processor = new SteppedProcessor();
        List<Observed> observed = new ArrayList<>();
        CqHandlerId first = recording(rnic, observed, processor);
        CqHandlerId second = recording(rnic, observed, processor);
        Notified.signalAll(List.of(Notified.cq(rnic, second), Notified.cq(rnic, first)));
        processor.run();
        assertEquals(
                List.of(second.value(), first.value()),
                observed.stream().map(Observed::datum).toList());
    }

    @Test
    void eventRecord_hasTheTimeOfItsSignal() {
        SoftRnic rnic = world.rnic();
        SteppedProcessor processor = new SteppedProcessor();
        List<Observed> observed = new ArrayList<>();
        SoftCompletionQueue cq = Notified.cq(rnic, recording(rnic, observed, processor));
        cq.requestNotification(Notification.NEXT);
        long signalledNs = world.nowNs;
        Notified.push(cq, 1);
        world.pass(700);
        processor.run();
        assertEquals(signalledNs, observed.getFirst().signalledNs());
    }

    @Test
    void eventRecord_hasTheKindOfItsEntry() {
        Map<Integer, Event> kinds = Map.of(
                0,
                Event.WANTED_ENTRY,
                CompletionRing.SOLICITED,
                Event.WANTED_ENTRY,
                CompletionRing.FAILED,
                Event.FAILED_ENTRY,
                CompletionRing.REQUESTED,
                Event.REQUESTED_ENTRY,
                CompletionRing.REQUESTED | CompletionRing.FAILED,
                Event.REQUESTED_ENTRY);
        kinds.forEach((cause, kind) -> {
            SoftRnic rnic = world.rnic();
            SteppedProcessor processor = new SteppedProcessor();
            List<Observed> observed = new ArrayList<>();
            SoftCompletionQueue cq = Notified.cq(rnic, recording(rnic, observed, processor));
            cq.requestNotification(CompletionTypes.of(CompletionOpcode.SEND));
            Notified.push(cq, 1, cause | CompletionRing.type(CompletionOpcode.SEND));
            processor.run();
            assertEquals(kind, observed.getFirst().cause());
        });
    }

    @Test
    void eventRecord_nextAndSolicitedRequested_hasKindsPlainAndSolicited() {
        SoftRnic rnic = world.rnic();
        SteppedProcessor processor = new SteppedProcessor();
        List<Observed> observed = new ArrayList<>();
        SoftCompletionQueue cq = Notified.cq(rnic, recording(rnic, observed, processor));
        cq.requestNotification(Notification.NEXT);
        Notified.push(cq, 1);
        processor.run();
        cq.requestNotification(Notification.SOLICITED);
        Notified.push(cq, 2, CompletionRing.SOLICITED);
        processor.run();
        assertEquals(
                List.of(Event.PLAIN_ENTRY, Event.SOLICITED_ENTRY),
                observed.stream().map(Observed::cause).toList());
    }

    @Test
    void severalEntriesInOneService_areVisibleAndShareOneRecord() {
        SoftRnic rnic = world.rnic();
        SteppedProcessor processor = new SteppedProcessor();
        List<Observed> observed = new ArrayList<>();
        SoftCompletionQueue cq = Notified.cq(rnic, recording(rnic, observed, processor));
        cq.requestNotification(Notification.NEXT);
        Notified.publish(cq, 1, 0);
        Notified.publish(cq, 2, 0);
        cq.sides()[0].settle();
        assertEquals(List.of(), observed, "the handler runs on its processor, not in the engine");
        assertEquals(1, processor.run());
        assertEquals(2, observed.getFirst().entries());
        assertEquals(0, processor.run());
    }

    @Test
    void processorIsSignalled_theRecordAndItsEntriesAreThere() {
        SoftRnic rnic = world.rnic();
        List<Observed> observed = new ArrayList<>();
        // A processor that serves an event as soon as it is signalled.
        HandlerProcessor eager = new HandlerProcessor() {
            @Override
            public void signal(CqHandlerId handler, Runnable work) {
                throw new AssertionError("processors of this test assign addresses");
            }

            @Override
            public Optional<EventAddress> attach(CqHandlerId handler, HandlerOptions options, EventSource source) {
                return Optional.of(new EventAddress() {
                    @Override
                    public void signal() {
                        assertFalse(source.serve(), "one record");
                    }

                    @Override
                    public void options(HandlerOptions changed) {}

                    @Override
                    public void detach() {}
                });
            }
        };
        CqHandlerId id = recording(rnic, observed, eager);
        SoftCompletionQueue cq = Notified.cq(rnic, id);
        cq.requestNotification(Notification.NEXT);
        Notified.push(cq, 1);
        assertEquals(List.of(new Observed(id.value(), Event.PLAIN_ENTRY, world.nowNs, 1)), observed);
    }

    @Test
    void solicitedEntryUnarmed_leavesOnlyTheEntry() {
        assertEquals(0, runsForASolicitedEntryUnarmed(false));
    }

    @Test
    void solicitedEntryUnarmed_withTheOption_signals() {
        assertEquals(1, runsForASolicitedEntryUnarmed(true));
    }

    private int runsForASolicitedEntryUnarmed(boolean always) {
        SoftRnic rnic = world.rnic();
        SteppedProcessor processor = new SteppedProcessor();
        AtomicInteger runs = new AtomicInteger();
        CqHandlerId id = rnic.setCompletionHandler(any -> runs.incrementAndGet(), processor);
        SoftCompletionQueue cq = (SoftCompletionQueue) rnic.createCompletionQueue(
                CompletionQueueOptions.capacity(8).withHandler(id).withSolicitedAlwaysSignals(always));
        cq.use(0);
        Notified.push(cq, 1, CompletionRing.SOLICITED);
        processor.run();
        return runs.get();
    }
}
