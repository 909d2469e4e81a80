package io.verbena.rnic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.CompletionQueueOptions;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.Figures;
import io.verbena.verbs.HandlerOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.RnicFigures;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The figures of an RNIC are what the test knows from its own calls. */
class FigureSamplerTest {

    private final ManualWorld world = new ManualWorld();

    @AfterEach
    void close() {
        world.close();
    }

    private static Figures queuePair(Pair.Side side) {
        return side.rnic.figures().parts("queue_pair").getFirst();
    }

    @Test
    void fresh_rnic_hasEnginesAndNothingElse() {
        Figures figures = world.rnic().figures();
        assertEquals("OPEN", figures.texts().get("state"));
        assertEquals(1, figures.parts("engine").size());
        assertEquals(0, figures.number(RnicFigures.QUEUE_PAIRS));
        assertEquals(List.of(), figures.parts("queue_pair"));
    }

    @Test
    void connected_operationsOfEachKind_areCountedWithTheirBytes() throws IOException {
        Pair pair = new Pair(world).connect();
        pair.b.queuePair.postReceive(1, pair.b.memory, 0, 4096);
        pair.a.queuePair.postSend(2, pair.a.memory, 0, 1000, WrFlags.SIGNALLED);
        pair.a.queuePair.postWrite(
                3, pair.a.memory, 0, 70_000, pair.b.memory.address(), pair.b.memory.rkey(), WrFlags.UNSIGNALLED);
        pair.a.queuePair.postRead(
                4, pair.a.memory, 0, 50, pair.b.memory.address(), pair.b.memory.rkey(), WrFlags.SIGNALLED);
        world.settle();
        Figures sender = queuePair(pair.a);
        assertEquals(1, sender.number(RnicFigures.OPERATIONS, "send"));
        assertEquals(1, sender.number(RnicFigures.OPERATIONS, "write"));
        assertEquals(1, sender.number(RnicFigures.OPERATIONS, "read"));
        assertEquals(71_000, sender.number(RnicFigures.IO, "transmit"));
        assertEquals(50, sender.number(RnicFigures.IO, "receive"));
        assertEquals(3, sender.number(RnicFigures.QUEUE_POSTED, "send"));
        assertEquals(0, sender.number(RnicFigures.QUEUE_OUTSTANDING, "send"));
        assertEquals("RTS", sender.texts().get("state"));
        assertEquals("ESTABLISHED", sender.texts().get("connection"));
        Figures receiver = queuePair(pair.b);
        assertEquals(1, receiver.number(RnicFigures.OPERATIONS, "receive"));
        assertEquals(1000, receiver.number(RnicFigures.IO, "receive"));
    }

    @Test
    void connected_accessesOfThePeer_areCountedWhereTheMemoryIs() throws IOException {
        Pair pair = new Pair(world).connect();
        long address = pair.b.memory.address();
        int key = pair.b.memory.rkey();
        pair.a.queuePair.postWrite(1, pair.a.memory, 0, 70_000, address, key, WrFlags.SIGNALLED);
        pair.a.queuePair.postWrite(2, pair.a.memory, 0, 8, address, key, WrFlags.SIGNALLED);
        pair.a.queuePair.postRead(3, pair.a.memory, 0, 5000, address, key, WrFlags.SIGNALLED);
        pair.a.queuePair.postFetchAndAdd(4, pair.a.memory, 0, address, key, 1, WrFlags.SIGNALLED);
        pair.a.queuePair.postCompareAndSwap(5, pair.a.memory, 0, address, key, 1, 2, WrFlags.SIGNALLED);
        world.settle();
        Figures responder = queuePair(pair.b);
        assertEquals(2, responder.number(RnicFigures.PEER_OPERATIONS, "write"));
        assertEquals(1, responder.number(RnicFigures.PEER_OPERATIONS, "read"));
        assertEquals(1, responder.number(RnicFigures.PEER_OPERATIONS, "fetch_and_add"));
        assertEquals(1, responder.number(RnicFigures.PEER_OPERATIONS, "compare_and_swap"));
        assertEquals(70_024, responder.number(RnicFigures.PEER_IO, "receive"));
        assertEquals(5000, responder.number(RnicFigures.PEER_IO, "transmit"));
        assertEquals(0, responder.number(RnicFigures.IO, "receive"));
        assertEquals(0, queuePair(pair.a).number(RnicFigures.PEER_IO, "receive"));
    }

    /** Connections that are shorter than the interval of a monitoring system are counted, too. */
    @Test
    void totals_afterQueuePairsAreClosed_areWhatTheyWere() throws IOException {
        Pair pair = new Pair(world).connect();
        pair.b.queuePair.postReceive(1, pair.b.memory, 0, 4096);
        pair.b.queuePair.postReceive(2, pair.b.memory, 0, 4096);
        pair.a.queuePair.postSend(3, pair.a.memory, 0, 1000, WrFlags.SIGNALLED);
        pair.a.queuePair.postRead(
                4, pair.a.memory, 0, 50, pair.b.memory.address(), pair.b.memory.rkey(), WrFlags.SIGNALLED);
        world.settle();
        pair.a.queuePair.close();
        pair.b.queuePair.close();
        Figures sender = pair.a.rnic.figures();
        assertEquals(List.of(), sender.parts("queue_pair"));
        assertEquals(1, sender.number(RnicFigures.QUEUE_PAIRS_CREATED));
        assertEquals(1000, sender.number(RnicFigures.ALL_IO, "transmit"));
        assertEquals(50, sender.number(RnicFigures.ALL_IO, "receive"));
        assertEquals(1, sender.number(RnicFigures.ALL_OPERATIONS, "read"));
        assertEquals(0, sender.number(RnicFigures.ALL_FAILURES, "flushed"));
        Figures receiver = pair.b.rnic.figures();
        assertEquals(50, receiver.number(RnicFigures.ALL_PEER_IO, "transmit"));
        assertEquals(1, receiver.number(RnicFigures.ALL_PEER_OPERATIONS, "read"));
        assertEquals(1, receiver.number(RnicFigures.ALL_FAILURES, "unused"));
        assertEquals(0, receiver.number(RnicFigures.ALL_FAILURES, "flushed"));
    }

    @Test
    void completionQueue_remembersItsHighestNumberOfEntries() throws IOException {
        Pair pair = new Pair(world).connect();
        for (int i = 0; i < 3; i++) {
            pair.b.queuePair.postReceive(i, pair.b.memory, 0, 64);
            pair.a.queuePair.postSend(i, pair.a.memory, 0, 8, WrFlags.SIGNALLED);
        }
        world.settle();
        for (int i = 0; i < 3; i++) {
            pair.b.polled();
        }
        Figures cq = pair.b.rnic.figures().parts("completion_queue").getFirst();
        assertEquals(0, cq.number(RnicFigures.ENTRIES));
        assertEquals(3, cq.number(RnicFigures.ENTRIES_HIGHEST));
    }

    @Test
    void connected_flushedAndFailedWork_isNoOperation() throws IOException {
        Pair pair = new Pair(world).connect();
        pair.a.queuePair.postReceive(1, pair.a.memory, 0, 64);
        pair.a.queuePair.postWrite(
                2, pair.a.memory, 0, 8, pair.b.memory.address(), pair.b.memory.rkey() ^ 1, WrFlags.SIGNALLED);
        world.settle();
        Figures figures = queuePair(pair.a);
        assertEquals(0, figures.number(RnicFigures.OPERATIONS, "receive"));
        assertEquals(1, figures.number(RnicFigures.FAILURES, "unused"));
        assertEquals(0, figures.number(RnicFigures.FAILURES, "flushed"));
        assertTrue(figures.texts().containsKey("reason"));
        Figures other = pair.b.rnic.figures();
        assertEquals(1, other.number(RnicFigures.VIOLATIONS));
        assertEquals(1, other.number(RnicFigures.EVENTS, "qp_access_error"));
        assertEquals(1, other.parts("event").size());
        assertEquals("qp_access_error", other.parts("event").getFirst().texts().get("type"));
    }

    @Test
    void connected_receivesAndEntries_showHowFullTheirQueuesAre() throws IOException {
        Pair pair = new Pair(world).connect();
        for (int i = 0; i < 5; i++) {
            pair.b.queuePair.postReceive(i, pair.b.memory, 0, 64);
        }
        pair.a.queuePair.postSend(9, pair.a.memory, 0, 8, WrFlags.SIGNALLED);
        world.settle();
        assertEquals(4, queuePair(pair.b).number(RnicFigures.QUEUE_OUTSTANDING, "receive"));
        Figures cq = pair.b.rnic.figures().parts("completion_queue").getFirst();
        assertEquals(1, cq.number(RnicFigures.ENTRIES));
        assertEquals(0, cq.number(RnicFigures.POLLED));
        pair.b.polled();
        cq = pair.b.rnic.figures().parts("completion_queue").getFirst();
        assertEquals(0, cq.number(RnicFigures.ENTRIES));
        assertEquals(1, cq.number(RnicFigures.POLLED));
    }

    @Test
    void handlers_areShownWithTheirProcessor_andTheirRuns() {
        SoftRnic rnic = world.rnic();
        CqHandlerId id = rnic.setCompletionHandler(_ -> {}, (_, work) -> work.run(), new HandlerOptions("bulk", 3));
        rnic.createCompletionQueue(CompletionQueueOptions.capacity(4).withHandler(id));
        Figures handler = rnic.figures().parts("handler").getFirst();
        assertEquals("1", handler.identity().get("number"));
        assertEquals("processor of the application", handler.texts().get("processor"));
        assertEquals("bulk", handler.texts().get("class"));
        assertEquals("3", handler.texts().get("priority"));
        assertEquals(0, handler.number(RnicFigures.RUNS));
        assertEquals(
                "1", rnic.figures().parts("completion_queue").getFirst().texts().get("handler"));
        rnic.removeCompletionHandler(id);
        assertEquals(List.of(), rnic.figures().parts("handler"));
    }

    @Test
    void listener_showsItsAddressAndPlaces() throws IOException {
        SoftRnic rnic = world.rnic();
        try (Listener listener = rnic.listen(world.address())) {
            Figures figures = rnic.figures().parts("listener").getFirst();
            assertEquals(0, figures.number(RnicFigures.WAITING));
            assertTrue(figures.number(RnicFigures.BACKLOG) > 0);
        }
        assertEquals(List.of(), rnic.figures().parts("listener"));
    }

    @Test
    void everyFigureOfASnapshot_isDefinedInTheTable() throws IOException {
        Pair pair = new Pair(world).connect();
        Set<String> defined = new HashSet<>();
        RnicFigures.all().forEach(figure -> assertTrue(defined.add(figure.name()), figure::name));
        Figures all = pair.a.rnic.figures();
        all.values().forEach(value -> assertTrue(RnicFigures.all().contains(value.figure())));
        all.parts()
                .forEach(part -> part.values()
                        .forEach(value -> assertTrue(RnicFigures.all().contains(value.figure()))));
    }

    @Test
    void closed_rnic_stillHasFigures() {
        SoftRnic rnic = world.rnic();
        rnic.close();
        assertEquals("CLOSED", rnic.figures().texts().get("state"));
    }
}
