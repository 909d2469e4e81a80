package io.verbena.rnic;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.fixture.SteppedProcessor;
import io.verbena.rnic.completion.Notified;
import io.verbena.rnic.completion.SoftCompletionQueue;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionTypes;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.Notification;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Modify CQ and Request Completion Notification. */
class NotificationRequestTest {

    private final ManualWorld world = new ManualWorld();

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void modifyCq_processorNeverServes_eventMovesToTheNewHandler() {
        SoftRnic rnic = world.rnic();
        SteppedProcessor stuck = new SteppedProcessor();
        SteppedProcessor there = new SteppedProcessor();
        List<Long> seen = new ArrayList<>();
        SoftCompletionQueue cq = Notified.cq(rnic, rnic.setCompletionHandler(any -> seen.add(-1L), stuck));
        cq.requestNotification(Notification.NEXT);
        Notified.push(cq, 1);
        cq.handler(Optional.of(rnic.setCompletionHandler(Notified.drains(seen), there)));
        assertEquals(1, there.run());
        assertEquals(List.of(1L), seen);
        stuck.run();
        assertEquals(List.of(1L), seen, "the earlier handler no longer runs");
    }

    @Test
    void modifyCq_toNoHandler_eventWaitsForTheNextOne() {
        SoftRnic rnic = world.rnic();
        SteppedProcessor processor = new SteppedProcessor();
        List<Long> seen = new ArrayList<>();
        CqHandlerId id = rnic.setCompletionHandler(Notified.drains(seen), processor);
        SoftCompletionQueue cq = Notified.cq(rnic, id);
        cq.requestNotification(Notification.NEXT);
        Notified.push(cq, 2);
        cq.handler(Optional.empty());
        assertEquals(Optional.empty(), cq.handler());
        processor.run();
        assertEquals(List.of(), seen);
        Notified.push(cq, 3);
        cq.handler(Optional.of(id));
        processor.run();
        assertEquals(List.of(2L, 3L), seen);
    }

    @Test
    void modifyCq_resizedAndMovedUnderTraffic_everyCompletionIsHandledOnce() throws IOException {
        Pair pair = new Pair(world).connect();
        List<Long> seen = new ArrayList<>();
        CqHandlerId first = pair.b.rnic.setCompletionHandler(Notified.drains(seen));
        CqHandlerId second = pair.b.rnic.setCompletionHandler(Notified.drains(seen));
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

    private AtomicInteger events(CompletionQueue cq) {
        AtomicInteger events = new AtomicInteger();
        cq.onReady(events::incrementAndGet);
        return events;
    }

    private Pair pair() throws IOException {
        Pair pair = new Pair(world).connect();
        for (int i = 0; i < 8; i++) {
            pair.b.queuePair.postReceive(i, pair.b.memory, 0, 8);
        }
        return pair;
    }

    private void send(Pair pair, WrFlags flags) {
        pair.a.queuePair.postSend(9, pair.a.memory, 0, 8, flags);
        world.settle();
    }

    @Test
    void noRequest_noEvent() throws IOException {
        Pair pair = pair();
        AtomicInteger events = events(pair.b.cq);
        send(pair, WrFlags.UNSIGNALLED.withSolicited());
        assertEquals(0, events.get());
    }

    @Test
    void nextRequested_oneEventForTheNextEntry() throws IOException {
        Pair pair = pair();
        AtomicInteger events = events(pair.b.cq);
        pair.b.cq.requestNotification(Notification.NEXT);
        send(pair, WrFlags.UNSIGNALLED);
        send(pair, WrFlags.UNSIGNALLED);
        assertEquals(1, events.get());
    }

    @Test
    void solicitedRequested_oneEventForASolicitedEntry() throws IOException {
        Pair pair = pair();
        AtomicInteger events = events(pair.b.cq);
        pair.b.cq.requestNotification(Notification.SOLICITED);
        send(pair, WrFlags.UNSIGNALLED);
        assertEquals(0, events.get(), "not solicited");
        send(pair, WrFlags.UNSIGNALLED.withSolicited());
        assertEquals(1, events.get());
        send(pair, WrFlags.UNSIGNALLED.withSolicited());
        assertEquals(1, events.get(), "one request, one event");
    }

    @Test
    void typesRequested_sendsOfTheSameCqAreSilent_theReceiveSignals() throws IOException {
        Pair pair = pair();
        AtomicInteger events = events(pair.b.cq);
        pair.a.queuePair.postReceive(1, pair.a.memory, 0, 8);
        pair.b.cq.requestNotification(CompletionTypes.of(CompletionOpcode.RECEIVE));
        pair.b.queuePair.postSend(9, pair.b.memory, 0, 8, WrFlags.SIGNALLED);
        world.settle();
        assertEquals(1, pair.b.cq.size(), "the Send is complete");
        assertEquals(0, events.get());
        send(pair, WrFlags.UNSIGNALLED);
        assertEquals(1, events.get());
    }

    @Test
    void workWithItsOwnRequest_oneEvent() throws IOException {
        Pair pair = pair();
        AtomicInteger events = events(pair.a.cq);
        send(pair, WrFlags.SIGNALLED);
        assertEquals(0, events.get());
        send(pair, WrFlags.SIGNALLED.withNotify());
        assertEquals(1, events.get());
        send(pair, WrFlags.SIGNALLED);
        assertEquals(1, events.get(), "only for this request");
    }

    @Test
    void request_workInError_satisfiesEveryRequest() throws IOException {
        Pair pair = new Pair(world).connect();
        AtomicInteger events = events(pair.b.cq);
        pair.b.queuePair.postReceive(1, pair.b.memory, 0, 8);
        pair.b.cq.moderate(1000, Duration.ofSeconds(1));
        pair.b.cq.requestNotification(Notification.SOLICITED);
        world.settle();
        pair.b.queuePair.modify(QueuePairChange.to(IwarpQueuePairState.ERROR));
        world.settle();
        assertEquals(
                1,
                events.get(),
                "an error is reported although it is not solicited and moderation has not reached its count");
        assertEquals(List.of("1 FLUSHED"), pair.b.polled());
    }
}
