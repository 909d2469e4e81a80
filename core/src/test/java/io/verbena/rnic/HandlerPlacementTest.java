package io.verbena.rnic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.SteppedProcessor;
import io.verbena.rnic.completion.Notified;
import io.verbena.rnic.completion.SoftCompletionQueue;
import io.verbena.verbs.CompletionGroup;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.HandlerOptions;
import io.verbena.verbs.Notification;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Spread;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The processor and the order in which handlers run. */
class HandlerPlacementTest {

    private final ManualWorld world = new ManualWorld();

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void processor_twoRnicsWithEqualIdentifications_distinguishesThemByAddress() {
        SteppedProcessor processor = new SteppedProcessor();
        List<String> ran = new ArrayList<>();
        List<CqHandlerId> ids = new ArrayList<>();
        List<SoftCompletionQueue> cqs = new ArrayList<>();
        for (String name : List.of("first", "second")) {
            SoftRnic rnic = world.rnic();
            CqHandlerId id = rnic.setCompletionHandler(any -> ran.add(name), processor);
            ids.add(id);
            SoftCompletionQueue cq = Notified.cq(rnic, id);
            cq.requestNotification(Notification.NEXT);
            cqs.add(cq);
        }
        assertEquals(ids.getFirst(), ids.getLast());
        Notified.push(cqs.getLast(), 1);
        processor.run();
        assertEquals(List.of("second"), ran);
        Notified.push(cqs.getFirst(), 1);
        processor.run();
        assertEquals(List.of("second", "first"), ran);
    }

    private record Two(
            SoftRnic rnic,
            SteppedProcessor processor,
            CqHandlerId bulk,
            List<SoftCompletionQueue> cqs,
            List<String> ran) {}

    /** Two CQs with a bulk handler and one with a fast handler, each with an event in progress. */
    private Two two() {
        SoftRnic rnic = world.rnic();
        SteppedProcessor processor = new SteppedProcessor();
        List<String> ran = new ArrayList<>();
        CqHandlerId bulk = rnic.setCompletionHandler(any -> ran.add("bulk"), processor, new HandlerOptions("bulk", 0));
        CqHandlerId fast =
                rnic.setCompletionHandler(any -> ran.add("fast"), processor, new HandlerOptions("low latency", 7));
        List<SoftCompletionQueue> cqs =
                List.of(Notified.cq(rnic, bulk), Notified.cq(rnic, bulk), Notified.cq(rnic, fast));
        Notified.signalAll(cqs);
        return new Two(rnic, processor, bulk, cqs, ran);
    }

    @Test
    void higherPriority_goesFirst() {
        Two two = two();
        two.processor().run();
        assertEquals(List.of("fast", "bulk", "bulk"), two.ran());
    }

    @Test
    void priorityChangedAtRunTime_appliesToEventsAlreadySignalled() {
        Two two = two();
        two.rnic().modifyCompletionHandler(two.bulk(), new HandlerOptions("urgent", 9));
        two.processor().run();
        assertEquals(List.of("bulk", "bulk", "fast"), two.ran());
    }

    private static final InetSocketAddress PEER = new InetSocketAddress("10.0.0.1", 1000);

    private final List<SteppedProcessor> processors =
            List.of(new SteppedProcessor(), new SteppedProcessor(), new SteppedProcessor());

    @Test
    void group_queuePairCompletesOnTheProcessorOfItsCq() {
        SoftRnic rnic = world.rnic();
        List<Long> seen = new ArrayList<>();
        CompletionGroup group = rnic.createCompletionGroup(16, Notified.drains(seen), processors, Spread.ROUND_ROBIN);
        SoftCompletionQueue second = (SoftCompletionQueue) group.queues().get(1);
        second.use(0);
        Notified.push(second, 4);
        assertEquals(0, processors.get(0).run());
        assertEquals(1, processors.get(1).run());
        assertEquals(List.of(4L), seen);
    }

    @Test
    void groupInUse_closeIsRefused_andNothingIsClosed() {
        SoftRnic rnic = world.rnic();
        CompletionGroup group = rnic.createCompletionGroup(16, Notified.NOTHING, processors, Spread.ROUND_ROBIN);
        SoftCompletionQueue second = (SoftCompletionQueue) group.queues().get(1);
        second.use(0);
        assertThrows(IllegalStateException.class, group::close);
        group.queues().forEach(each -> assertFalse(((SoftCompletionQueue) each).closed()));
        assertEquals(3, rnic.query().completionHandlersInUse());
        second.leave();
        group.close();
        group.queues().forEach(each -> assertTrue(((SoftCompletionQueue) each).closed()));
        assertEquals(0, rnic.query().completionHandlersInUse());
    }

    @Test
    void roundRobin_choosesEachInTurn() {
        CompletionGroup group =
                world.rnic().createCompletionGroup(16, Notified.NOTHING, processors, Spread.ROUND_ROBIN);
        List<CompletionQueue> chosen = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            chosen.add(group.choose(PEER));
        }
        assertEquals(new HashSet<>(group.queues()), new HashSet<>(chosen.subList(0, 3)));
        assertEquals(chosen.subList(0, 3), chosen.subList(3, 6));
    }

    @Test
    void leastLoaded_choosesTheOneWithTheFewestQueuePairs() {
        CompletionGroup group =
                world.rnic().createCompletionGroup(16, Notified.NOTHING, processors, Spread.LEAST_LOADED);
        assertEquals(group.queues().getFirst(), group.choose(PEER), "the first of those that are equal");
        for (int i = 0; i < 6; i++) {
            ((SoftCompletionQueue) group.choose(PEER)).use(0);
        }
        for (CompletionQueue cq : group.queues()) {
            assertEquals(2, ((SoftCompletionQueue) cq).users());
        }
    }

    @Test
    void peerHash_sameHostSameCq_manyHostsAllCqs() {
        CompletionGroup group = world.rnic().createCompletionGroup(16, Notified.NOTHING, processors, Spread.PEER_HASH);
        assertEquals(group.choose(PEER), group.choose(new InetSocketAddress("10.0.0.1", 2000)));
        Set<CompletionQueue> used = new HashSet<>();
        for (int i = 0; i < 64; i++) {
            used.add(group.choose(new InetSocketAddress("10.0.0." + i, 1)));
        }
        assertEquals(3, used.size());
        assertEquals(
                group.choose(InetSocketAddress.createUnresolved("host.example", 1)),
                group.choose(InetSocketAddress.createUnresolved("host.example", 2)));
        used.clear();
        for (int i = 0; i < 64; i++) {
            SocketAddress path = UnixDomainSocketAddress.of("/run/peer" + i);
            assertEquals(group.choose(path), group.choose(UnixDomainSocketAddress.of("/run/peer" + i)));
            used.add(group.choose(path));
        }
        assertEquals(3, used.size());
    }

    @Test
    void groupWithAProcessorThatHasEnded_isRefused_andNothingIsLeft() {
        SoftRnic rnic = world.rnic();
        processors.getLast().close();
        assertThrows(
                IllegalStateException.class,
                () -> rnic.createCompletionGroup(16, Notified.NOTHING, processors, Spread.ROUND_ROBIN));
        assertEquals(0, rnic.query().completionHandlersInUse());
    }

    @Test
    void groupWithoutProcessors_isRefused() {
        SoftRnic rnic = world.rnic();
        assertThrows(
                IllegalArgumentException.class,
                () -> rnic.createCompletionGroup(16, Notified.NOTHING, List.of(), Spread.ROUND_ROBIN));
    }

    @Test
    void twoConsumersOnOneRnic_eachOnItsHandlerAndProcessor() throws IOException {
        SoftRnic rnic = world.rnic();
        SoftRnic peer = world.rnic();
        SteppedProcessor messaging = new SteppedProcessor();
        SteppedProcessor storage = new SteppedProcessor();
        List<Long> messages = new ArrayList<>();
        List<Long> blocks = new ArrayList<>();
        SoftCompletionQueue first = Notified.cq(
                rnic, rnic.setCompletionHandler(Notified.drains(messages), messaging, new HandlerOptions("ipc", 7)));
        SoftCompletionQueue second = Notified.cq(
                rnic, rnic.setCompletionHandler(Notified.drains(blocks), storage, new HandlerOptions("iser", 0)));
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
}
