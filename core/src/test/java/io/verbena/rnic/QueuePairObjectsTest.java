package io.verbena.rnic;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rnic.context.Limits;
import io.verbena.rnic.context.RnicContext;
import io.verbena.rnic.context.TransportLimits;
import io.verbena.rnic.toy.ToyTransport;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.ListenOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.SharedReceiveQueue;
import io.verbena.verbs.SharedReceiveQueueOptions;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WorkRequest;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Queue pairs, shared receive queues and templates: full queues, batches, limits, and use after the end. */
class QueuePairObjectsTest {

    private static final WrFlags SIGNALLED = WrFlags.SIGNALLED;
    private static final int DEPTH = 4;

    private ManualWorld world = new ManualWorld();

    @AfterEach
    void close() {
        world.close();
    }

    private Pair shallow() throws IOException {
        return new Pair(world, RnicOptions.defaults(), 64, options -> options.withDepths(DEPTH, DEPTH)).connect();
    }

    private static void allRefused(Executable... uses) {
        for (int i = 0; i < uses.length; i++) {
            assertThrows(IllegalStateException.class, uses[i], "use " + i);
        }
    }

    // Queue pairs.

    @Test
    void queuePair_describesItself() throws IOException {
        Pair pair = shallow();
        SoftQueuePair queuePair = pair.a.queuePair;
        assertSame(pair.a.cq, queuePair.sendCq());
        assertSame(pair.a.cq, queuePair.receiveCq());
        assertSame(pair.a.domain, queuePair.protectionDomain());
        assertEquals(String.format("queue pair 0x%06x", queuePair.number()), queuePair.toString());
        assertTrue(pair.fromA.toString().contains("connection of " + queuePair + " to "), pair.fromA::toString);
        QueuePair other =
                pair.a.domain.createQueuePair(QueuePairOptions.of(pair.a.cq).withContext("mine"));
        assertEquals("mine", other.context());
    }

    @Test
    void queuesFull_everyPost_isDeclined_untilWorkCompletes() throws IOException {
        Pair pair = shallow();
        QueuePair a = pair.a.queuePair;
        MemoryRegion memory = pair.a.memory;
        a.startBatch();
        for (int i = 0; i < DEPTH; i++) {
            assertTrue(a.postReceive(10 + i, memory, 0, 0));
        }
        assertFalse(a.postReceive(20, memory, 0, 8));
        assertFalse(a.post(a.newWorkRequest().receive()));
        assertTrue(a.postWrite(0, memory, 0, 8, pair.b.memory.address(), pair.b.memory.rkey(), SIGNALLED));
        assertTrue(a.postRead(1, memory, 0, 8, pair.b.memory.address(), pair.b.memory.rkey(), SIGNALLED));
        assertTrue(a.postCompareAndSwap(2, memory, 0, pair.b.memory.address(), pair.b.memory.rkey(), 0, 0, SIGNALLED));
        assertTrue(a.postFetchAndAdd(3, memory, 0, pair.b.memory.address(), pair.b.memory.rkey(), 0, SIGNALLED));
        assertFalse(a.postSend(4, memory, 0, 8, SIGNALLED));
        assertFalse(a.postWrite(4, memory, 0, 8, pair.b.memory.address(), pair.b.memory.rkey(), SIGNALLED));
        assertFalse(a.postRead(4, memory, 0, 8, pair.b.memory.address(), pair.b.memory.rkey(), SIGNALLED));
        assertFalse(a.postCompareAndSwap(4, memory, 0, pair.b.memory.address(), pair.b.memory.rkey(), 0, 0, SIGNALLED));
        assertFalse(a.postFetchAndAdd(4, memory, 0, pair.b.memory.address(), pair.b.memory.rkey(), 0, SIGNALLED));
        assertFalse(a.post(a.newWorkRequest().send()));
        world.settle();
        assertEquals(List.of(), pair.a.polled(), "the doorbell of the batch was not rung");
        a.ringDoorbell();
        assertEquals(DEPTH, a.query().receiveOutstanding());
        world.settle();
        assertEquals(List.of("0 SUCCESS", "1 SUCCESS", "2 SUCCESS", "3 SUCCESS"), pair.a.polled());
        assertEquals(0, a.query().sendOutstanding());
        pair.b.queuePair.postReceive(5, pair.b.memory, 0, 8);
        assertTrue(a.postSend(4, memory, 0, 0, SIGNALLED));
        assertTrue(pair.b.queuePair.post(pair.b.queuePair.newWorkRequest().send()));
        world.settle();
        assertEquals(DEPTH - 1, a.query().receiveOutstanding());
        assertTrue(a.post(a.newWorkRequest().receive()));
    }

    @Test
    void queuePairFailed_workThatIsPending_andWorkPostedLater_isFlushedWithTheReason() throws IOException {
        Pair pair = shallow();
        QueuePair a = pair.a.queuePair;
        a.postReceive(1, pair.a.memory, 0, 8);
        a.modify(QueuePairChange.to(IwarpQueuePairState.ERROR));
        a.postReceive(2, pair.a.memory, 0, 8);
        a.postSend(3, pair.a.memory, 0, 8, SIGNALLED);
        world.settle();
        Set<Long> flushed = new HashSet<>();
        while (pair.a.cursor.next()) {
            flushed.add(pair.a.cursor.wrId());
            assertEquals(CompletionStatus.FLUSHED, pair.a.cursor.status());
            assertTrue(
                    pair.a.cursor.reason().endsWith("The application moved the queue pair to ERROR."),
                    pair.a.cursor::reason);
        }
        assertEquals(Set.of(1L, 2L, 3L), flushed);
    }

    @Test
    void completionQueueFull_flushedWork_completesWhenThereIsRoom_andTheOverflowIsReportedOnce() throws IOException {
        Pair pair = new Pair(world, RnicOptions.defaults(), 2, options -> options.withDepths(8, 8)).connect();
        for (int i = 0; i < 6; i++) {
            pair.a.queuePair.postReceive(i, pair.a.memory, 0, 8);
        }
        pair.a.queuePair.modify(QueuePairChange.to(IwarpQueuePairState.ERROR));
        world.settle();
        List<AsyncEventType> events = new ArrayList<>(ManualWorld.events(pair.a.rnic));
        List<String> all = new ArrayList<>(pair.a.polled());
        assertEquals(2, all.size());
        for (int i = 0; i < 10; i++) {
            world.advance(100_000_000);
            all.addAll(pair.a.polled());
        }
        events.addAll(ManualWorld.events(pair.a.rnic));
        assertEquals(List.of("0 FLUSHED", "1 FLUSHED", "2 FLUSHED", "3 FLUSHED", "4 FLUSHED", "5 FLUSHED"), all);
        assertEquals(
                1,
                events.stream().filter(it -> it == AsyncEventType.CQ_OVERFLOW).count());
    }

    @Test
    void batchOfReceivesOnly_isPublishedByTheDoorbell() throws IOException {
        Pair pair = shallow();
        pair.b.queuePair.startBatch();
        pair.b.queuePair.postReceive(1, pair.b.memory, 0, 8);
        assertTrue(pair.b.queuePair.hasUnrung());
        pair.b.queuePair.ringDoorbell();
        assertFalse(pair.b.queuePair.hasUnrung());
        pair.a.queuePair.startBatch();
        pair.a.queuePair.postSend(2, pair.a.memory, 0, 8, SIGNALLED);
        assertTrue(pair.a.queuePair.hasUnrung());
        pair.a.queuePair.ringDoorbell();
        world.settle();
        assertEquals(List.of("1 SUCCESS"), pair.b.polled());
        assertEquals(List.of("2 SUCCESS"), pair.a.polled());
    }

    @Test
    void closedQueuePair_batchThatWasNotRung_isFlushed() throws IOException {
        Pair pair = shallow();
        pair.b.queuePair.startBatch();
        pair.b.queuePair.postReceive(1, pair.b.memory, 0, 8);
        pair.b.queuePair.close();
        assertEquals(List.of("1 FLUSHED"), pair.b.polled());
    }

    @Test
    void queuePairThatOverflowedItsCompletionQueue_isConnectedAgain_andWorks() throws IOException {
        Pair pair = new Pair(world, RnicOptions.defaults(), 2, options -> options.withDepths(8, 8)).connect();
        for (int i = 0; i < 3; i++) {
            pair.b.queuePair.postReceive(i, pair.b.memory, 0, 8);
            pair.a.queuePair.postSend(i, pair.a.memory, 0, 8, WrFlags.UNSIGNALLED);
        }
        world.advance(2_000_000_000L);
        assertEquals(ConnectionState.FAILED, pair.fromB.state());
        for (Pair.Side side : List.of(pair.a, pair.b)) {
            for (int i = 0; i < 10; i++) {
                side.polled();
                world.advance(100_000_000);
            }
            side.queuePair.modify(QueuePairChange.to(IwarpQueuePairState.IDLE));
        }
        pair.connect();
        pair.b.queuePair.postReceive(7, pair.b.memory, 0, 8);
        pair.a.queuePair.postSend(8, pair.a.memory, 0, 8, SIGNALLED);
        world.settle();
        assertEquals(List.of("7 SUCCESS"), pair.b.polled());
        assertEquals(List.of("8 SUCCESS"), pair.a.polled());
        assertEquals(ConnectionState.ESTABLISHED, pair.fromB.state());
    }

    @Test
    void queuePairOrRnicClosed_everyUse_isRefused() throws IOException {
        Pair pair = shallow();
        MemoryRegion memory = pair.a.memory;
        QueuePair a = pair.a.queuePair;
        SharedReceiveQueue queue = pair.a.domain.createSharedReceiveQueue(SharedReceiveQueueOptions.depth(4));
        WorkRequest send = a.newWorkRequest().send();
        a.close();
        allRefused(
                () -> a.post(send),
                () -> a.postSend(1, memory, 0, 8, SIGNALLED),
                () -> a.postReceive(1, memory, 0, 8),
                () -> pair.a.rnic.startConnect(a, new InetSocketAddress("memory", 1), ConnectionOptions.defaults()));
        assertThrows(
                IllegalArgumentException.class,
                () -> a.post(pair.b.queuePair.newWorkRequest().send()));
        queue.close();
        allRefused(
                () -> queue.postReceive(1, memory, 0, 8),
                () -> queue.post(queue.newWorkRequest()),
                () -> pair.a.domain.createQueuePair(
                        QueuePairOptions.of(pair.a.cq).withSharedReceiveQueue(queue)));
        pair.a.rnic.close();
        SocketAddress address = new InetSocketAddress("memory", 2);
        allRefused(
                pair.a.rnic::allocateProtectionDomain,
                () -> pair.a.rnic.createCompletionQueue(4),
                () -> pair.a.rnic.listen(address, ListenOptions.defaults()),
                () -> pair.a.rnic.lookUp(address, ConnectionOptions.defaults()),
                () -> pair.a.rnic.startConnect(a, address, ConnectionOptions.defaults()));
        assertEquals(0, pair.a.rnic.progress());
    }

    @Test
    void optionsOutOfRange_noQueuePairIsCreated() {
        SoftRnic rnic = world.rnic();
        CompletionQueue cq = rnic.createCompletionQueue(4);
        ProtectionDomain domain = rnic.allocateProtectionDomain();
        QueuePairOptions good = QueuePairOptions.of(cq);
        for (QueuePairOptions bad : List.of(
                good.withDepths(0, 1),
                good.withDepths(1, 0),
                good.withDepths(Limits.WORK_REQUESTS + 1, 1),
                good.withElements(-1, 1),
                good.withElements(1, -1),
                good.withElements(Limits.ELEMENTS + 1, 1),
                good.withMaxInlineBytes(-1),
                good.withReads(-1, 1),
                good.withReads(1, -1))) {
            assertThrows(IllegalArgumentException.class, () -> domain.createQueuePair(bad), bad::toString);
        }
        cq.close(); // none of them uses it
    }

    @Test
    void transportFailsToCreateAnEndpoint_theQueuesAreNotInUse() {
        world.close();
        ToyTransport toy = new ToyTransport();
        world = new ManualWorld(new Transport() {
            @Override
            public TransportLimits limits() {
                return toy.limits();
            }

            @Override
            public QueuePairEndpoint newEndpoint(SoftQueuePair queuePair) {
                throw new IllegalStateException("no endpoint");
            }

            @Override
            public SoftConnection connect(SoftQueuePair queuePair, SocketAddress remote, ConnectionOptions options) {
                throw new AssertionError();
            }

            @Override
            public SoftListener listen(RnicContext context, SocketAddress address, ListenOptions options) {
                throw new AssertionError();
            }
        });
        SoftRnic rnic = world.rnic();
        CompletionQueue cq = rnic.createCompletionQueue(4);
        ProtectionDomain domain = rnic.allocateProtectionDomain();
        SharedReceiveQueue queue = domain.createSharedReceiveQueue(SharedReceiveQueueOptions.depth(4));
        QueuePairOptions options = QueuePairOptions.of(cq).withSharedReceiveQueue(queue);
        assertThrows(IllegalStateException.class, () -> domain.createQueuePair(options));
        cq.close();
        queue.close();
        domain.close();
    }

    // Shared receive queues.

    @Test
    void sharedReceiveQueue_takesTemplatesUpToItsDepth_andReceivesOnly() throws IOException {
        Pair pair = shallow();
        SharedReceiveQueue queue = pair.b.domain.createSharedReceiveQueue(SharedReceiveQueueOptions.depth(3));
        assertSame(pair.b.domain, queue.protectionDomain());
        assertEquals(3, queue.capacity());
        QueuePair user =
                pair.b.domain.createQueuePair(QueuePairOptions.of(pair.b.cq).withSharedReceiveQueue(queue));
        allRefused(queue::close, () -> user.postReceive(1, pair.b.memory, 0, 8));
        assertTrue(
                queue.post(queue.newWorkRequest().scatter(pair.b.memory, 0, 8).id(1)));
        assertTrue(queue.postReceive(2, pair.b.memory, 0, 0));
        assertTrue(queue.postReceive(3, pair.b.memory, 0, 8));
        assertEquals(3, queue.available());
        assertFalse(queue.post(queue.newWorkRequest()));
        assertFalse(queue.postReceive(4, pair.b.memory, 0, 8));
        assertThrows(
                IllegalArgumentException.class,
                () -> queue.post(pair.b.queuePair.newWorkRequest().send()));
        user.close();
        queue.close();
        queue.close();
        assertThrows(
                IllegalArgumentException.class,
                () -> pair.b.domain.createSharedReceiveQueue(SharedReceiveQueueOptions.depth(0)));
    }

    @Test
    void sharedReceiveQueue_receivesFromTemplates_areTakenByMessagesWithTheirElements() throws IOException {
        Pair pair = new Pair(world, RnicOptions.defaults(), 64, options -> options);
        SharedReceiveQueue queue = pair.b.domain.createSharedReceiveQueue(SharedReceiveQueueOptions.depth(3));
        QueuePair sender = pair.fresh(pair.a);
        QueuePair user =
                pair.b.domain.createQueuePair(QueuePairOptions.of(pair.b.cq).withSharedReceiveQueue(queue));
        try (Listener listener = pair.b.rnic.listen(world.address())) {
            Connection opening =
                    pair.a.rnic.startConnect(sender, listener.localAddress(), ConnectionOptions.defaults());
            Connection accepted =
                    listener.nextRequest(Pair.SECOND).orElseThrow().startAccept(user, ConnectionOptions.defaults());
            opening.awaitEstablished(Pair.SECOND);
            accepted.awaitEstablished(Pair.SECOND);
        }
        assertTrue(
                queue.post(queue.newWorkRequest().scatter(pair.b.memory, 100, 8).id(41)));
        assertTrue(queue.postReceive(42, pair.b.memory, 200, 8));
        pair.a.fill(3);
        sender.postSend(1, pair.a.memory, 0, 8, SIGNALLED);
        sender.postSend(2, pair.a.memory, 8, 8, SIGNALLED);
        world.settle();
        assertEquals(List.of("41 SUCCESS", "42 SUCCESS"), pair.b.polled());
        assertEquals(0, queue.available());
        MemorySegment received = pair.b.memory.segment();
        MemorySegment sent = pair.a.memory.segment();
        assertEquals(-1, received.asSlice(100, 8).mismatch(sent.asSlice(0, 8)));
        assertEquals(-1, received.asSlice(200, 8).mismatch(sent.asSlice(8, 8)));
        MemoryRegion closed = pair.b.domain.allocate(8, AccessRight.LOCAL_WRITE);
        WorkRequest stale = queue.newWorkRequest().scatter(closed, 0, 8);
        closed.close();
        allRefused(() -> queue.post(stale));
    }

    @Test
    void sharedReceiveQueue_whileItIsBeingClosed_noQueuePairBeginsToUseIt() throws InterruptedException {
        Pair.Side side = new Pair(world).a;
        SharedReceiveQueue srq = side.domain.createSharedReceiveQueue(SharedReceiveQueueOptions.depth(4));
        AtomicReference<String> outcome = new AtomicReference<>("");
        Thread user;
        // A close holds this lock from its check that no queue pair uses the queue until the queue is closed.
        synchronized (srq) {
            user = Thread.ofPlatform().start(() -> {
                try {
                    side.domain.createQueuePair(QueuePairOptions.of(side.cq).withSharedReceiveQueue(srq));
                    outcome.set("created");
                } catch (IllegalStateException e) {
                    outcome.set(String.valueOf(e.getMessage()));
                }
            });
            while (user.getState() != Thread.State.BLOCKED && user.isAlive()) {
                Thread.onSpinWait();
            }
            assertEquals("", outcome.get());
            srq.close();
        }
        user.join();
        assertEquals("the shared receive queue is closed", outcome.get());
    }

    @Test
    void sharedReceiveQueue_limit_isReportedOnceWhenFewerAreLeft() throws IOException {
        Pair pair = shallow();
        SharedReceiveQueue queue = pair.b.domain.createSharedReceiveQueue(SharedReceiveQueueOptions.depth(4));
        queue.postReceive(1, pair.b.memory, 0, 8);
        queue.postReceive(2, pair.b.memory, 0, 8);
        queue.armLimit(2);
        assertEquals(List.of(), ManualWorld.events(pair.b.rnic), "as many as the limit are left");
        queue.armLimit(3);
        assertEquals(List.of(AsyncEventType.SRQ_LIMIT_REACHED), ManualWorld.events(pair.b.rnic));
        queue.armLimit(0);
        queue.armLimit(4);
        assertEquals(List.of(AsyncEventType.SRQ_LIMIT_REACHED), ManualWorld.events(pair.b.rnic));
        assertThrows(IllegalArgumentException.class, () -> queue.armLimit(5));
        assertThrows(IllegalArgumentException.class, () -> queue.armLimit(-1));
    }

    // Templates.

    @Test
    void template_eachKindOfRequest_canBeChained() throws IOException {
        Pair pair = shallow();
        WorkRequest template = pair.a.queuePair.newWorkRequest();
        MemoryWindow window = pair.a.domain.allocateWindow();
        MemoryRegion bindable = pair.a.domain.allocate(64, AccessRight.LOCAL_WRITE, AccessRight.BIND);
        assertEquals(WorkOpcode.SEND, template.send().id(1).flags(SIGNALLED).opcode());
        assertEquals(
                WorkOpcode.SEND_WITH_INVALIDATE,
                template.sendWithInvalidate(1).id(1).opcode());
        assertEquals(
                WorkOpcode.SEND_WITH_IMMEDIATE,
                template.sendWithImmediate(1).id(1).opcode());
        assertEquals(WorkOpcode.WRITE, template.write(0, 1).id(1).opcode());
        assertEquals(
                WorkOpcode.WRITE_WITH_IMMEDIATE,
                template.writeWithImmediate(0, 1, 2).id(1).opcode());
        assertEquals(WorkOpcode.READ, template.read(0, 1).id(1).opcode());
        assertEquals(
                WorkOpcode.READ_WITH_INVALIDATE,
                template.readWithInvalidate(0, 1, 2).id(1).opcode());
        assertEquals(
                WorkOpcode.COMPARE_AND_SWAP,
                template.compareAndSwap(0, 1, 2, 3).id(1).opcode());
        assertEquals(
                WorkOpcode.FETCH_AND_ADD, template.fetchAndAdd(0, 1, 2).id(1).opcode());
        assertEquals(
                WorkOpcode.LOCAL_INVALIDATE, template.localInvalidate(1).id(1).opcode());
        assertEquals(WorkOpcode.DELAY, template.delay(0).id(1).opcode());
        assertThrows(IllegalArgumentException.class, () -> template.delay(-1));
        assertEquals(
                WorkOpcode.BIND, template.bind(window, bindable, 0, 64).id(1).opcode());
        assertThrows(IllegalArgumentException.class, () -> template.bind(window, bindable, 0, 65));
        assertThrows(IllegalArgumentException.class, () -> template.bind(window, bindable, -1, 2));
        assertThrows(IllegalArgumentException.class, () -> template.bind(window, bindable, 0, 0));
        assertEquals(WorkOpcode.UNBIND, template.unbind(window).id(1).opcode());
    }

    @Test
    void template_elementsRemoved_inlineDataTakesTheirPlace() throws IOException {
        Pair pair = new Pair(world, RnicOptions.defaults(), 64, options -> options.withMaxInlineBytes(32)).connect();
        pair.b.queuePair.postReceive(1, pair.b.memory, 0, 64);
        MemorySegment data = Arena.ofAuto().allocate(4);
        data.setAtIndex(ValueLayout.JAVA_BYTE, 3, (byte) 9);
        WorkRequest send = pair.a
                .queuePair
                .newWorkRequest()
                .send()
                .gather(pair.a.memory, 0, 64)
                .noElements()
                .inlineData(data, 0, 4)
                .flags(SIGNALLED)
                .id(2);
        assertThrows(IllegalStateException.class, () -> send.gather(pair.a.memory, 0, 8));
        pair.a.queuePair.post(send);
        world.settle();
        assertEquals(List.of("2 SUCCESS"), pair.a.polled());
        assertTrue(pair.b.cursor.next());
        assertEquals(4, pair.b.cursor.byteCount());
        assertArrayEquals(
                new byte[] {0, 0, 0, 9}, pair.b.memory.segment().asSlice(0, 4).toArray(ValueLayout.JAVA_BYTE));
    }
}
