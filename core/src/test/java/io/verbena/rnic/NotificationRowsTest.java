package io.verbena.rnic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.queue.CompletionRing;
import io.verbena.queue.Cqe;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionGroup;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueueOptions;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.CqHandler;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.EventAddress;
import io.verbena.verbs.EventSource;
import io.verbena.verbs.HandlerFigures;
import io.verbena.verbs.HandlerOptions;
import io.verbena.verbs.HandlerProcessor;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.Notification;
import io.verbena.verbs.ProcessorPolicy;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.Spread;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The rows N1 to N12 of what notification owes, over real RNICs whose time stands still. Named by their row; long, for one
 * page has them all.
 */
class NotificationRowsTest {

    private final ManualWorld world = new ManualWorld();

    @AfterEach
    void close() {
        world.close();
    }

    /** A handler that polls all there is and asks again. */
    private static CqHandler drains(List<Long> seen) {
        return cq -> {
            CompletionCursor cursor = cq.cursor();
            while (cursor.next()) {
                seen.add(cursor.wrId());
            }
            cq.requestNotification(Notification.NEXT);
        };
    }

    private static final CqHandler NOTHING = cq -> {};

    /** A processor that runs nothing until it is told to, with addresses of its own. */
    private static final class Stepped implements HandlerProcessor {
        private final HandlerArbiter arbiter;
        private long nowNs;

        Stepped() {
            this(ProcessorPolicy.defaults());
        }

        Stepped(ProcessorPolicy policy) {
            arbiter = new HandlerArbiter("stepped", policy, () -> {}, e -> {});
        }

        int run() {
            return arbiter.run(1_000, () -> nowNs++);
        }

        @Override
        public void signal(CqHandlerId handler, Runnable work) {
            arbiter.notice(work);
        }

        @Override
        public Optional<EventAddress> attach(CqHandlerId handler, HandlerOptions options, EventSource source) {
            return Optional.of(arbiter.attach(handler, options, source));
        }

        @Override
        public void close() {
            arbiter.close();
        }
    }

    static void push(SoftCompletionQueue cq, long wrId) {
        Cqe cqe = new Cqe();
        CqSide side = cq.sides()[0];
        assertTrue(side.ring().claim(cqe));
        cqe.fill(wrId, CompletionStatus.SUCCESS, CompletionOpcode.SEND, 1, 0);
        side.ring().publish(0);
        side.settle();
    }

    private static SoftCompletionQueue cq(SoftRnic rnic, CqHandlerId id) {
        SoftCompletionQueue cq = (SoftCompletionQueue)
                rnic.createCompletionQueue(CompletionQueueOptions.capacity(64).withHandler(id));
        cq.use(0);
        return cq;
    }

    @Test
    void n1_queryRnic_tellsHandlersSupportedAndInUse() {
        SoftRnic many = world.rnic();
        assertEquals(1024, many.query().completionHandlers());
        assertEquals(0, many.query().completionHandlersInUse());
        many.setCompletionHandler(NOTHING);
        assertEquals(1, many.query().completionHandlersInUse());

        RnicOptions single = RnicOptions.defaults().withSettings(Map.of("handlers", "1"));
        SoftRnic one = world.rnic(single);
        assertEquals(1, one.query().completionHandlers());
        assertEquals(1, SoftRnic.attributes(single).completionHandlers());
        CqHandlerId id = one.setCompletionHandler(NOTHING);
        IllegalStateException twice =
                assertThrows(IllegalStateException.class, () -> one.setCompletionHandler(NOTHING));
        assertTrue(String.valueOf(twice.getMessage()).contains("replace it"));
        one.removeCompletionHandler(id);
        assertNotEquals(id, one.setCompletionHandler(NOTHING), "an identification is never used again");
        assertThrows(
                IllegalArgumentException.class,
                () -> Limits.handlers(RnicOptions.defaults().withSettings(Map.of("handlers", "none"))));
    }

    @Test
    void n2_setCompletionHandler_oneOrSeveral_replacedAndRemoved() {
        SoftRnic rnic = world.rnic(RnicOptions.defaults().withSettings(Map.of("handlers", "4")));
        Set<CqHandlerId> ids = new HashSet<>();
        ids.add(rnic.setCompletionHandler(NOTHING));
        Stepped processor = new Stepped();
        ids.addAll(rnic.setCompletionHandlers(List.of(NOTHING, NOTHING), processor, new HandlerOptions("bulk", 0)));
        assertEquals(3, ids.size(), "each has an identification of its own, also the same handler set twice");
        assertThrows(
                IllegalStateException.class,
                () -> rnic.setCompletionHandlers(List.of(NOTHING, NOTHING), processor, HandlerOptions.defaults()));
        assertEquals(3, rnic.query().completionHandlersInUse(), "all or none");

        List<Long> seen = new ArrayList<>();
        CqHandlerId id = ids.iterator().next();
        rnic.replaceCompletionHandler(id, drains(seen));
        SoftCompletionQueue cq = cq(rnic, id);
        cq.requestNotification(Notification.NEXT);
        push(cq, 5);
        world.settle();
        processor.run();
        assertEquals(List.of(5L), seen);
        rnic.removeCompletionHandler(id);
        assertThrows(IllegalArgumentException.class, () -> rnic.replaceCompletionHandler(id, NOTHING));
        assertThrows(IllegalArgumentException.class, () -> rnic.removeCompletionHandler(id));
        assertThrows(IllegalArgumentException.class, () -> rnic.queryCompletionHandler(id));
        assertThrows(IllegalArgumentException.class, () -> cq.handler(Optional.of(id)));
    }

    @Test
    void n3_createCq_withHandlerIdentification_oneHandlerServesMany() {
        SoftRnic rnic = world.rnic();
        Stepped processor = new Stepped();
        List<Integer> told = new ArrayList<>();
        CqHandlerId id = rnic.setCompletionHandler(cq -> told.add(((SoftCompletionQueue) cq).number()), processor);
        List<SoftCompletionQueue> all = new ArrayList<>();
        for (int i = 0; i < 100; i++) { // more than its ring has records
            SoftCompletionQueue cq = cq(rnic, id);
            cq.requestNotification(Notification.NEXT);
            all.add(cq);
        }
        all.forEach(cq -> push(cq, 1));
        processor.run();
        assertEquals(100, told.size());
        assertEquals(100, new HashSet<>(told).size());
        assertThrows(
                IllegalArgumentException.class,
                () -> rnic.createCompletionQueue(
                        CompletionQueueOptions.capacity(8).withHandler(new CqHandlerId(77))));
    }

    @Test
    void n3_moreCqsThanRecords_allSignalledAllTheTime_noneStarves() {
        SoftRnic rnic = world.rnic();
        Stepped processor = new Stepped();
        Map<Integer, Integer> runs = new HashMap<>();
        CqHandlerId id = rnic.setCompletionHandler(
                cq -> {
                    runs.merge(((SoftCompletionQueue) cq).number(), 1, Integer::sum);
                    cq.requestNotification(Notification.NEXT); // its entry stays
                },
                processor);
        List<SoftCompletionQueue> all = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            all.add(cq(rnic, id));
        }
        signalAll(all);
        for (int i = 0; i < 5; i++) {
            processor.run();
        }
        assertEquals(100, runs.size());
        rnic.removeCompletionHandler(id);
    }

    @Test
    void n4_modifyCq_eventUnderWay_movesToTheNewHandlerOrWaits() {
        SoftRnic rnic = world.rnic();
        Stepped stuck = new Stepped();
        Stepped there = new Stepped();
        List<Long> seen = new ArrayList<>();
        SoftCompletionQueue cq = cq(rnic, rnic.setCompletionHandler(any -> seen.add(-1L), stuck));
        CqHandlerId other = rnic.setCompletionHandler(drains(seen), there);
        cq.requestNotification(Notification.NEXT);
        push(cq, 1);
        cq.handler(Optional.of(other)); // its processor never gets to it
        assertEquals(1, there.run());
        assertEquals(List.of(1L), seen);
        assertEquals(0, stuck.run() - 1, "what was signalled is looked at, and there is nothing");
        assertEquals(List.of(1L), seen);

        push(cq, 2);
        cq.handler(Optional.empty());
        assertEquals(Optional.empty(), cq.handler());
        there.run();
        assertEquals(List.of(1L), seen, "without a handler nobody is told");
        push(cq, 3);
        cq.handler(Optional.of(other));
        there.run();
        assertEquals(List.of(1L, 2L, 3L), seen, "and the event waited");
    }

    @Test
    void n4_modifyCq_resizedAndMovedUnderTraffic_everyCompletionIsHandledOnce() throws IOException {
        Pair pair = new Pair(world).connect();
        List<Long> seen = new ArrayList<>();
        CqHandlerId first = pair.b.rnic.setCompletionHandler(drains(seen));
        CqHandlerId second = pair.b.rnic.setCompletionHandler(drains(seen));
        pair.b.cq.handler(Optional.of(first));
        pair.b.cq.requestNotification(Notification.NEXT);
        int messages = 200;
        for (int i = 0; i < messages; i++) {
            pair.b.queuePair.postReceive(i, pair.b.memory, 0, 64);
            pair.a.queuePair.postSend(i, pair.a.memory, 0, 64, WrFlags.UNSIGNALLED);
            if (i % 7 == 0) {
                pair.b.cq.handler(Optional.of(i % 2 == 0 ? second : first));
            }
            if (i % 11 == 0) {
                pair.b.cq.resize(64 + i);
            }
            if (i % 13 == 0) {
                pair.b.cq.handler(Optional.empty());
                world.round();
                pair.b.cq.handler(Optional.of(first));
            }
            world.round();
        }
        world.settle();
        assertEquals(messages, seen.size());
        assertEquals(messages, new HashSet<>(seen).size());
    }

    @Test
    void n5_request_nextSolicitedOrCarriedByWork_eachForItsEntry() throws IOException {
        Pair pair = new Pair(world).connect();
        AtomicInteger events = new AtomicInteger();
        pair.b.cq.onReady(events::incrementAndGet);
        for (int i = 0; i < 8; i++) {
            pair.b.queuePair.postReceive(i, pair.b.memory, 0, 8);
        }
        send(pair, WrFlags.UNSIGNALLED);
        assertEquals(0, events.get(), "nobody asked");
        pair.b.polled();
        pair.b.cq.requestNotification(Notification.SOLICITED);
        send(pair, WrFlags.UNSIGNALLED);
        assertEquals(0, events.get(), "not solicited");
        send(pair, WrFlags.UNSIGNALLED.withSolicited());
        assertEquals(1, events.get());
        send(pair, WrFlags.UNSIGNALLED.withSolicited());
        assertEquals(1, events.get(), "one request, one event");
        pair.b.polled();
        pair.b.cq.requestNotification(Notification.NEXT);
        send(pair, WrFlags.UNSIGNALLED);
        assertEquals(2, events.get());

        AtomicInteger own = new AtomicInteger();
        pair.a.cq.onReady(own::incrementAndGet);
        send(pair, WrFlags.SIGNALLED);
        assertEquals(0, own.get());
        send(pair, WrFlags.SIGNALLED.withNotify());
        assertEquals(1, own.get(), "this work asked for its own event");
        send(pair, WrFlags.SIGNALLED);
        assertEquals(1, own.get(), "and only this one");
    }

    private void send(Pair pair, WrFlags flags) {
        pair.a.queuePair.postSend(9, pair.a.memory, 0, 8, flags);
        world.settle();
    }

    @Test
    void n5_request_workInError_satisfiesEveryRequest() throws IOException {
        Pair pair = new Pair(world).connect();
        AtomicInteger events = new AtomicInteger();
        pair.b.cq.onReady(events::incrementAndGet);
        pair.b.queuePair.postReceive(1, pair.b.memory, 0, 8);
        pair.b.cq.moderate(1000, Duration.ofSeconds(1));
        pair.b.cq.requestNotification(Notification.SOLICITED);
        world.settle();
        pair.b.queuePair.modify(QueuePairChange.to(IwarpQueuePairState.ERROR));
        assertEquals(1, events.get(), "in error, though neither solicited nor as many as moderation wants");
        assertEquals(List.of("1 FLUSHED"), pair.b.polled());
    }

    @Test
    void n6_flowOfFig4_eventRecordThenHandler_theEntryIsThereAndTheRecordNamesTheHandler() {
        SoftRnic rnic = world.rnic();
        Stepped processor = new Stepped();
        List<Integer> sizes = new ArrayList<>();
        CqHandlerId id = rnic.setCompletionHandler(
                cq -> {
                    sizes.add(cq.size());
                    cq.requestNotification(Notification.NEXT);
                },
                processor);
        SoftCompletionQueue cq = cq(rnic, id);
        cq.requestNotification(Notification.NEXT);
        push(cq, 1);
        push(cq, 2);
        assertEquals(List.of(), sizes, "the handler runs on its processor, not in the engine");
        processor.run();
        assertEquals(2, sizes.getFirst(), "both entries are visible, one event stands for them");
    }

    @Test
    void n6_bothOptions_solicitedEntryUnarmed() {
        SoftRnic rnic = world.rnic();
        for (boolean always : new boolean[] {false, true}) {
            Stepped processor = new Stepped();
            AtomicInteger runs = new AtomicInteger();
            CqHandlerId id = rnic.setCompletionHandler(any -> runs.incrementAndGet(), processor);
            SoftCompletionQueue cq = (SoftCompletionQueue) rnic.createCompletionQueue(
                    CompletionQueueOptions.capacity(8).withHandler(id).withSolicitedAlwaysSignals(always));
            cq.use(0);
            Cqe cqe = new Cqe();
            assertTrue(cq.sides()[0].ring().claim(cqe));
            cq.sides()[0].ring().publish(CompletionRing.SOLICITED);
            cq.sides()[0].settle();
            processor.run();
            assertEquals(always ? 1 : 0, runs.get());
        }
    }

    @Test
    void n7_processor_twoRnicsWithEqualIdentifications_tellsThemApartByAddress() {
        Stepped processor = new Stepped();
        List<String> ran = new ArrayList<>();
        List<CqHandlerId> ids = new ArrayList<>();
        List<SoftCompletionQueue> cqs = new ArrayList<>();
        for (String name : List.of("first", "second")) {
            SoftRnic rnic = world.rnic();
            CqHandlerId id = rnic.setCompletionHandler(any -> ran.add(name), processor);
            ids.add(id);
            SoftCompletionQueue cq = cq(rnic, id);
            cq.requestNotification(Notification.NEXT);
            cqs.add(cq);
        }
        assertEquals(ids.getFirst(), ids.getLast());
        push(cqs.getLast(), 1);
        processor.run();
        assertEquals(List.of("second"), ran);
        push(cqs.getFirst(), 1);
        processor.run();
        assertEquals(List.of("second", "first"), ran);
    }

    @Test
    void n8_priorities_lowLatencyGoesBeforeBulk_andChangesAtRunTime() {
        SoftRnic rnic = world.rnic();
        Stepped processor = new Stepped();
        List<String> ran = new ArrayList<>();
        CqHandlerId bulk = rnic.setCompletionHandler(any -> ran.add("bulk"), processor, new HandlerOptions("bulk", 0));
        CqHandlerId fast =
                rnic.setCompletionHandler(any -> ran.add("fast"), processor, new HandlerOptions("low latency", 7));
        List<SoftCompletionQueue> cqs = List.of(cq(rnic, bulk), cq(rnic, bulk), cq(rnic, fast));
        signalAll(cqs);
        processor.run();
        assertEquals(List.of("fast", "bulk", "bulk"), ran);
        ran.clear();
        signalAll(cqs);
        rnic.modifyCompletionHandler(bulk, new HandlerOptions("urgent", 9));
        processor.run();
        assertEquals(List.of("bulk", "bulk", "fast"), ran, "what was signalled already goes by the new class");
    }

    private static void signalAll(List<SoftCompletionQueue> cqs) {
        for (SoftCompletionQueue cq : cqs) {
            cq.requestNotification(Notification.NEXT);
            push(cq, 1);
        }
    }

    @Test
    void n9_completionGroup_queuePairCompletesOnItsProcessor_spreadAsAsked() {
        SoftRnic rnic = world.rnic();
        List<Stepped> processors = List.of(new Stepped(), new Stepped(), new Stepped());
        List<Long> seen = new ArrayList<>();
        CompletionGroup turns = rnic.createCompletionGroup(16, drains(seen), processors, Spread.ROUND_ROBIN);
        InetSocketAddress peer = new InetSocketAddress("10.0.0.1", 1000);
        Set<CompletionQueue> chosen = new HashSet<>();
        for (int i = 0; i < 3; i++) {
            chosen.add(turns.choose(peer));
        }
        assertEquals(new HashSet<>(turns.queues()), chosen);
        SoftCompletionQueue second = (SoftCompletionQueue) turns.queues().get(1);
        second.use(0);
        push(second, 4);
        assertEquals(0, processors.get(0).run());
        assertEquals(1, processors.get(1).run());
        assertEquals(List.of(4L), seen);
        assertThrows(IllegalStateException.class, turns::close, "in use");
        second.leave();
        turns.close();
        assertEquals(0, rnic.query().completionHandlersInUse());

        CompletionGroup least = rnic.createCompletionGroup(16, NOTHING, processors, Spread.LEAST_LOADED);
        for (int i = 0; i < 6; i++) {
            ((SoftCompletionQueue) least.choose(peer)).use(0);
        }
        for (CompletionQueue cq : least.queues()) {
            assertEquals(2, ((SoftCompletionQueue) cq).users());
        }
        CompletionGroup hashed = rnic.createCompletionGroup(16, NOTHING, processors, Spread.PEER_HASH);
        assertEquals(hashed.choose(peer), hashed.choose(new InetSocketAddress("10.0.0.1", 2000)));
        Set<CompletionQueue> used = new HashSet<>();
        for (int i = 0; i < 64; i++) {
            used.add(hashed.choose(new InetSocketAddress("10.0.0." + i, 1)));
        }
        assertEquals(3, used.size());
        assertThrows(
                IllegalArgumentException.class,
                () -> rnic.createCompletionGroup(16, NOTHING, List.of(), Spread.ROUND_ROBIN));
    }

    @Test
    void n10_closeWithGrace_takesNoWork_finishesWhatItHas_handlersSeeAll() throws IOException {
        Pair pair = new Pair(world).connect();
        List<Long> seen = new ArrayList<>();
        pair.a.cq.handler(Optional.of(pair.a.rnic.setCompletionHandler(drains(seen))));
        pair.a.cq.requestNotification(Notification.NEXT);
        for (int i = 0; i < 20; i++) {
            pair.b.queuePair.postReceive(i, pair.b.memory, 0, 4096);
            pair.a.queuePair.postSend(i, pair.a.memory, 0, 4096, WrFlags.SIGNALLED);
        }
        pair.a.queuePair.postReceive(100, pair.a.memory, 0, 8);
        pair.a.rnic.close(Duration.ofSeconds(5));
        assertEquals(21, seen.size(), "all sends, and the receive that was flushed: " + seen);
        List<String> arrived = pair.b.polled();
        assertEquals(
                20, arrived.stream().filter(each -> each.endsWith("SUCCESS")).count());
        assertThrows(
                IllegalStateException.class,
                () -> pair.a.queuePair.postSend(1, pair.a.memory, 0, 8, WrFlags.SIGNALLED));
        world.settle();
        assertEquals(21, seen.size(), "no handler runs after the close");
    }

    @Test
    void n10_removedWhileEventsWait_noHandlerRunsAfterwards() {
        SoftRnic rnic = world.rnic();
        Stepped processor = new Stepped();
        AtomicInteger runs = new AtomicInteger();
        CqHandlerId id = rnic.setCompletionHandler(any -> runs.incrementAndGet(), processor);
        SoftCompletionQueue removed = cq(rnic, id);
        SoftCompletionQueue closed = cq(rnic, id);
        signalAll(List.of(removed, closed));
        closed.leave();
        closed.close();
        rnic.removeCompletionHandler(id);
        processor.run();
        assertEquals(0, runs.get());
        assertTrue(closed.dispatch().idle());
        List<Long> seen = new ArrayList<>();
        removed.handler(Optional.of(rnic.setCompletionHandler(drains(seen), processor)));
        processor.run();
        assertEquals(List.of(1L), seen, "the event was not lost with the handler");
        assertThrows(IllegalStateException.class, () -> closed.handler(Optional.empty()));
    }

    @Test
    void n10_cqDestroyedAndMovedInItsOwnHandler_isDefined() {
        SoftRnic rnic = world.rnic();
        Stepped processor = new Stepped();
        List<String> ran = new ArrayList<>();
        CqHandlerId id = rnic.setCompletionHandler(
                cq -> {
                    ran.add("destroys");
                    ((SoftCompletionQueue) cq).leave();
                    cq.close();
                },
                processor);
        SoftCompletionQueue cq = cq(rnic, id);
        signalAll(List.of(cq));
        processor.run();
        assertEquals(List.of("destroys"), ran);
        assertTrue(cq.closed());
        rnic.removeCompletionHandler(id);

        CqHandlerId second = rnic.setCompletionHandler(any -> ran.add("second"), processor);
        CqHandlerId first = rnic.setCompletionHandler(
                any -> {
                    ran.add("moves");
                    any.handler(Optional.of(second));
                    any.requestNotification(Notification.NEXT);
                },
                processor);
        signalAll(List.of(cq(rnic, first)));
        processor.run();
        assertEquals(List.of("destroys", "moves", "second"), ran);
    }

    @Test
    void n11_twoConsumersOnOneRnic_eachOnItsHandlerAndProcessor() throws IOException {
        SoftRnic rnic = world.rnic();
        SoftRnic peer = world.rnic();
        Stepped messaging = new Stepped();
        Stepped storage = new Stepped();
        List<Long> messages = new ArrayList<>();
        List<Long> blocks = new ArrayList<>();
        SoftCompletionQueue first =
                cq(rnic, rnic.setCompletionHandler(drains(messages), messaging, new HandlerOptions("ipc", 7)));
        SoftCompletionQueue second =
                cq(rnic, rnic.setCompletionHandler(drains(blocks), storage, new HandlerOptions("iser", 0)));
        first.requestNotification(Notification.NEXT);
        second.requestNotification(Notification.NEXT);
        Pair.Side far = new Pair.Side(peer, 64, options -> options);
        Pair.Side near = new Pair.Side(rnic, 64, options -> QueuePairOptions.of(first));
        Pair.Side nearToo = new Pair.Side(rnic, 64, options -> QueuePairOptions.of(second));
        Pair.Side farToo = new Pair.Side(peer, 64, options -> options);
        Pair.connect(world, near, far);
        Pair.connect(world, nearToo, farToo);
        near.queuePair.postReceive(1, near.memory, 0, 8);
        nearToo.queuePair.postReceive(2, nearToo.memory, 0, 8);
        far.queuePair.postSend(1, far.memory, 0, 8, WrFlags.UNSIGNALLED);
        farToo.queuePair.postSend(1, farToo.memory, 0, 8, WrFlags.UNSIGNALLED);
        world.settle();
        assertEquals(1, messaging.run());
        assertEquals(List.of(1L), messages);
        assertEquals(List.of(), blocks);
        assertEquals(1, storage.run());
        assertEquals(List.of(2L), blocks);
    }

    @Test
    void n12_figures_countEventsCompletionsTimesAndFailures() {
        SoftRnic rnic = world.rnic();
        Stepped processor = new Stepped();
        CqHandlerId id = rnic.setCompletionHandler(
                cq -> {
                    world.nowNs += 500;
                    drains(new ArrayList<>()).onCompletion(cq);
                },
                processor);
        SoftCompletionQueue cq = cq(rnic, id);
        cq.requestNotification(Notification.NEXT);
        push(cq, 1);
        push(cq, 2);
        push(cq, 3);
        world.nowNs += 1000;
        processor.run();
        HandlerFigures figures = rnic.queryCompletionHandler(id);
        assertEquals(1, figures.events());
        assertEquals(3, figures.completions());
        assertEquals(3.0, figures.completionsAnEvent());
        assertEquals(0, figures.failures());
        assertEquals(1000, figures.toHandlerMaxNs());
        assertEquals(1000, figures.toHandlerP99Ns());
        assertEquals(500, figures.inHandlerNs());
        rnic.replaceCompletionHandler(id, any -> {
            throw new IllegalStateException("a handler that throws, as this test wants");
        });
        push(cq, 4);
        processor.run();
        assertEquals(1, rnic.queryCompletionHandler(id).failures());
    }

    @Test
    void n12_processorEnds_eventsGoBack_anAsyncEventTells_anotherHandlerTakesOver() {
        SoftRnic rnic = world.rnic();
        Stepped dying = new Stepped();
        CqHandlerId id = rnic.setCompletionHandler(NOTHING, dying);
        SoftCompletionQueue cq = cq(rnic, id);
        cq.requestNotification(Notification.NEXT);
        push(cq, 1);
        dying.close();
        push(cq, 2);
        List<AsyncEvent> told = rnic.pollAsyncEvents(Duration.ZERO);
        assertEquals(
                List.of(AsyncEventType.HANDLER_PROCESSOR_FAILED),
                told.stream().map(AsyncEvent::type).toList(),
                "once");
        assertThrows(IllegalStateException.class, () -> rnic.setCompletionHandler(NOTHING, dying));
        Stepped living = new Stepped();
        List<Long> seen = new ArrayList<>();
        cq.handler(Optional.of(rnic.setCompletionHandler(drains(seen), living)));
        living.run();
        assertEquals(List.of(1L, 2L), seen);
        rnic.removeCompletionHandler(id);
    }

    @Test
    void n12_reArmStorm_handlerThatNeverPolls_othersAreServed() {
        SoftRnic rnic = world.rnic();
        Stepped processor = new Stepped();
        AtomicInteger storm = new AtomicInteger();
        CqHandlerId mad = rnic.setCompletionHandler(
                cq -> {
                    storm.incrementAndGet();
                    cq.requestNotification(Notification.NEXT); // its entry is still there
                },
                processor,
                new HandlerOptions("storm", 9));
        List<Long> seen = new ArrayList<>();
        CqHandlerId calm = rnic.setCompletionHandler(drains(seen), processor, new HandlerOptions("calm", 0));
        signalAll(List.of(cq(rnic, mad), cq(rnic, calm)));
        processor.nowNs += 20_000_000; // longer than anybody's patience
        processor.arbiter.run(8, () -> processor.nowNs += 20_000_000);
        assertEquals(List.of(1L), seen);
        assertTrue(storm.get() >= 3, "and the storm goes on");
        rnic.removeCompletionHandler(mad);
        int before = storm.get();
        processor.run();
        assertEquals(before, storm.get());
    }

    @Test
    void n12_handlerThatThrows_harmsNobodyElse() {
        SoftRnic rnic = world.rnic();
        Stepped processor = new Stepped();
        List<Long> seen = new ArrayList<>();
        CqHandlerId bad = rnic.setCompletionHandler(
                any -> {
                    throw new StackOverflowError("as this test wants");
                },
                processor);
        CqHandlerId good = rnic.setCompletionHandler(drains(seen), processor);
        signalAll(List.of(cq(rnic, bad), cq(rnic, good)));
        processor.run();
        assertEquals(List.of(1L), seen);
    }

    @Test
    void v5_queryQp_showsTheWholeContext() throws IOException {
        Pair pair = new Pair(world).connect();
        CqHandlerId id = pair.a.rnic.setCompletionHandler(NOTHING);
        pair.a.cq.handler(Optional.of(id));
        QueuePairAttributes context = pair.a.queuePair.query();
        assertEquals(pair.a.domain, pair.a.queuePair.protectionDomain());
        assertEquals(pair.a.queuePair.number(), context.number());
        assertEquals(Optional.of(id), context.sendCqHandler());
        assertEquals(Optional.of(id), context.receiveCqHandler());
        assertEquals(pair.a.cq, context.options().sendCq());
        assertFalse(context.remoteRights().isEmpty());
        assertTrue(context.localPort().isPresent());
        assertTrue(context.remotePort().isPresent());
        assertInstanceOf(IwarpQueuePairState.class, context.state());
        assertEquals(Map.of(), pair.a.rnic.options().settings());
    }
}
