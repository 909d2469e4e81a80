package io.verbena.rnic.iwarp;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.MemoryStream;
import io.verbena.rnic.ManualEnvironment;
import io.verbena.rnic.ManualWorld;
import io.verbena.rnic.Pair;
import io.verbena.rnic.SoftQueuePair;
import io.verbena.rnic.context.Closing;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.Notification;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WorkRequest;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Cases that broke other implementations and require a whole RNIC. The table of all cases is in WireCasesTest of iwarp.
 */
class WireCasesRnicTest {

    private static final WrFlags SIGNALLED = WrFlags.SIGNALLED;
    private static final long LONG_NS = 20_000_000_000L;

    private final ManualWorld world = new ManualWorld();

    @AfterEach
    void close() {
        world.close();
    }

    /** Another pair of queue pairs between the same RNICs. */
    private record Link(SoftQueuePair left, SoftQueuePair right, Connection from, Connection to) {}

    private Link link(Pair pair, QueuePair left, QueuePair right) throws IOException {
        try (var listener = pair.b.rnic.listen(world.address())) {
            Connection from = pair.a.rnic.startConnect(left, listener.localAddress(), ConnectionOptions.defaults());
            Connection to =
                    listener.nextRequest(Pair.SECOND).orElseThrow().startAccept(right, ConnectionOptions.defaults());
            world.settle();
            assertEquals(ConnectionState.ESTABLISHED, from.state());
            return new Link((SoftQueuePair) left, (SoftQueuePair) right, from, to);
        }
    }

    private static void assertNothingLeft(Pair.Side side) {
        assertEquals(0, side.rnic.engine(0).members());
        assertEquals(0, side.rnic.engine(0).pool().lent());
        assertEquals(Long.MAX_VALUE, side.rnic.engine(0).nextDeadlineNs());
    }

    // Depths of zero in both directions: everything except Reads works, and a Read fails at once.
    @Test
    void depthsOfZero_connect_everythingExceptReadsWorks() throws IOException {
        Pair pair = new Pair(world, RnicOptions.defaults(), 64, o -> o.withReads(0, 0)).connect();
        assertEquals(0, pair.a.queuePair.query().outboundReads());
        assertEquals(0, pair.b.queuePair.query().inboundReads());
        pair.b.queuePair.postReceive(1, pair.b.memory, 0, 8);
        pair.a.queuePair.postSend(2, pair.a.memory, 0, 8, SIGNALLED);
        pair.a.queuePair.postWrite(3, pair.a.memory, 0, 8, pair.b.memory.remote(), 0, SIGNALLED);
        world.settle();
        assertEquals(List.of("2 SUCCESS", "3 SUCCESS"), pair.a.polled());
        assertEquals(List.of("1 SUCCESS"), pair.b.polled());
        pair.a.queuePair.postRead(4, pair.a.memory, 0, 8, pair.b.memory.remote(), 0, SIGNALLED);
        pair.a.queuePair.postSend(5, pair.a.memory, 0, 8, SIGNALLED);
        world.advance(LONG_NS);
        assertEquals(List.of("4 LOCAL_OPERATION", "5 FLUSHED"), pair.a.polled());
        assertEquals(ConnectionState.FAILED, pair.fromB.state());
        assertNothingLeft(pair.a);
        assertNothingLeft(pair.b);
    }

    // No receive was ever posted.
    @Test
    void noReceivePosted_sendArrives_bothSidesAreNotified() throws IOException {
        Pair pair = new Pair(world).connect();
        pair.a.queuePair.postSend(2, pair.a.memory, 0, 8, SIGNALLED);
        pair.a.queuePair.postRead(3, pair.a.memory, 0, 8, pair.b.memory.remote(), 0, SIGNALLED);
        world.advance(LONG_NS);
        assertEquals(List.of("2 SUCCESS", "3 FLUSHED"), pair.a.polled());
        // RFC 5040 section 7.1 [1], RFC 5041 section 6.2.2 [3]: the application is notified on both sides.
        assertEquals(List.of(AsyncEventType.TERMINATE_RECEIVED), ManualWorld.events(pair.a.rnic));
        assertEquals(List.of(AsyncEventType.QP_REQUEST_ERROR), ManualWorld.events(pair.b.rnic));
    }

    // Posting to a queue pair in ERROR results in a flush CQE with the opcode of the work.
    @Test
    void error_everyKindOfWorkPosted_isFlushedWithItsOpcode() throws IOException {
        Pair pair = new Pair(world).connect();
        SoftQueuePair queuePair = pair.a.queuePair;
        queuePair.modify(QueuePairChange.to(IwarpQueuePairState.ERROR));
        world.settle();
        MemoryRegion memory = pair.a.memory;
        long to = pair.b.memory.address();
        int key = pair.b.memory.rkey();
        WorkRequest work = queuePair.newWorkRequest();
        List<CompletionOpcode> expected = new ArrayList<>();
        for (WrFlags flags : List.of(SIGNALLED, WrFlags.UNSIGNALLED)) {
            queuePair.post(work.send().id(0).flags(flags).element(memory, 0, 8));
            queuePair.post(work.sendWithInvalidate(key).id(1).flags(flags).element(memory, 0, 8));
            queuePair.post(work.write(to, key).id(2).flags(flags).element(memory, 0, 8));
            queuePair.post(
                    work.writeWithImmediate(to, key, 5).id(3).flags(flags).element(memory, 0, 8));
            queuePair.post(work.read(to, key).id(4).flags(flags).element(memory, 0, 8));
            queuePair.post(work.readWithInvalidate(to, key, memory.rkey())
                    .id(5)
                    .flags(flags)
                    .element(memory, 0, 8));
            queuePair.post(work.compareAndSwap(to, key, 1, 2).id(6).flags(flags).element(memory, 0, 8));
            queuePair.post(work.fetchAndAdd(to, key, 1).id(7).flags(flags).element(memory, 0, 8));
            queuePair.post(work.sendWithImmediate(5).id(8).flags(flags));
            queuePair.post(work.localInvalidate(memory.rkey()).id(9).flags(flags));
            queuePair.post(work.delay(5).id(10).flags(flags));
            queuePair.post(work.receive().id(11).flags(flags));
            expected.addAll(List.of(
                    CompletionOpcode.SEND,
                    CompletionOpcode.SEND,
                    CompletionOpcode.WRITE,
                    CompletionOpcode.WRITE,
                    CompletionOpcode.READ,
                    CompletionOpcode.READ,
                    CompletionOpcode.COMPARE_AND_SWAP,
                    CompletionOpcode.FETCH_AND_ADD,
                    CompletionOpcode.SEND,
                    CompletionOpcode.LOCAL_INVALIDATE,
                    CompletionOpcode.DELAY,
                    CompletionOpcode.RECEIVE));
            world.settle();
        }
        for (int i = 0; i < expected.size(); i++) {
            assertTrue(pair.a.cursor.next());
            assertEquals(i % 12, pair.a.cursor.wrId());
            assertEquals(CompletionStatus.FLUSHED, pair.a.cursor.status());
            assertEquals(expected.get(i), pair.a.cursor.opcode());
            assertEquals(queuePair, pair.a.cursor.queuePair());
            assertFalse(pair.a.cursor.reason().isEmpty());
        }
        assertFalse(pair.a.cursor.next());
        assertTrue(memory.valid(), "flushed work is not executed");
    }

    /** The event that ends the queue pair during another operation. */
    enum Closing {
        QUEUE_PAIR,
        CONNECTION,
        CONNECTION_AND_QUEUE_PAIR,
        TO_ERROR;

        void run(SoftQueuePair queuePair, Connection connection) {
            if (this == CONNECTION || this == CONNECTION_AND_QUEUE_PAIR) {
                connection.close();
            }
            if (this == QUEUE_PAIR || this == CONNECTION_AND_QUEUE_PAIR) {
                queuePair.close();
            }
            if (this == TO_ERROR) {
                queuePair.modify(QueuePairChange.to(IwarpQueuePairState.ERROR));
            }
        }
    }

    // The queue pair is destroyed at any moment while the peer's disconnect is handled.
    @ParameterizedTest
    @EnumSource(Closing.class)
    void peerDisconnects_closedAtAnyMoment_everyRequestCompletesOnce(Closing closing) throws IOException {
        Pair pair = new Pair(world);
        for (int rounds = 0; rounds < 24; rounds++) {
            Link link = link(pair, pair.fresh(pair.a), pair.fresh(pair.b));
            link.left.postReceive(1, pair.a.memory, 0, 8);
            link.right.postReceive(2, pair.b.memory, 0, 8);
            link.left.postSend(3, pair.a.memory, 0, 8, SIGNALLED);
            link.left.postRead(4, pair.a.memory, 0, 30_000, pair.b.memory.remote(), 0, SIGNALLED);
            link.to.disconnect();
            for (int i = 0; i < rounds; i++) {
                world.round();
            }
            closing.run(link.left, link.from);
            world.advance(LONG_NS);
            assertTrue(link.from.state().ended() && link.to.state().ended(), link.toString());
            link.left.close();
            link.right.close();
            assertOnceEach(pair.a.polled(), 1, 3, 4);
            assertOnceEach(pair.b.polled(), 2);
            assertNothingLeft(pair.a);
            assertNothingLeft(pair.b);
        }
        assertEquals(List.of(), world.network.streams);
    }

    private static void assertOnceEach(List<String> completions, int... ids) {
        assertEquals(ids.length, completions.size(), completions.toString());
        for (int id : ids) {
            assertEquals(
                    1, completions.stream().filter(c -> c.startsWith(id + " ")).count(), completions.toString());
        }
    }

    // The queue pair is destroyed in the callback that reports the disconnect.
    @ParameterizedTest
    @ValueSource(strings = {"state", "completion"})
    void peerDisconnects_closedInTheCallback_ends(String where) throws IOException {
        Pair pair = new Pair(world).connect();
        AtomicBoolean done = new AtomicBoolean();
        if (where.equals("state")) {
            pair.fromA.onStateChange((connection, state) -> {
                if (state == ConnectionState.CLOSING || state.ended()) {
                    pair.a.queuePair.close();
                    done.set(true);
                }
            });
        } else {
            pair.a.cq.handler(Optional.of(pair.a.rnic.setCompletionHandler(cq -> {
                pair.a.queuePair.close();
                done.set(true);
            })));
            pair.a.cq.requestNotification(Notification.NEXT);
        }
        pair.a.queuePair.postReceive(1, pair.a.memory, 0, 8);
        world.settle();
        pair.fromB.disconnect();
        world.advance(LONG_NS);
        assertTrue(done.get());
        assertEquals(List.of("1 FLUSHED"), pair.a.polled());
        assertNothingLeft(pair.a);
        assertNothingLeft(pair.b);
    }

    // Everything is closed while its events are queued.
    @Test
    void eventsQueued_objectsClosed_eventsAreReportedOrDroppedAndNothingThrows() throws IOException {
        Pair pair = new Pair(world).connect();
        ManualEnvironment environment = ManualEnvironment.of(pair.a.rnic);
        environment.holdsHandlers = true;
        List<String> observed = new ArrayList<>();
        pair.fromA.onStateChange((connection, state) -> observed.add("state " + state));
        pair.a.rnic.onAsyncEvent(event -> observed.add(event.type() + " " + (event.subject() == pair.a.queuePair)));
        pair.a.cq.handler(Optional.of(pair.a.rnic.setCompletionHandler(cq -> observed.add("completion"))));
        pair.a.cq.requestNotification(Notification.NEXT);
        pair.a.queuePair.postReceive(1, pair.a.memory, 0, 8);
        world.network.streams.forEach(MemoryStream::reset);
        world.settle();
        assertEquals(List.of(), observed);
        pair.fromA.close();
        pair.a.queuePair.close();
        pair.a.memory.close();
        pair.a.cq.close();
        pair.a.domain.close();
        environment.holdsHandlers = false;
        world.settle();
        // Earlier events are reported; the handler of a closed CQ does not run.
        assertEquals(
                List.of("CONNECTION_RESET true", "state CLOSING", "state ESTABLISHED", "state FAILED"),
                observed.stream().sorted().toList());
        assertNothingLeft(pair.a);
    }

    // The RNIC is closed while all of these are queued.
    @Test
    void eventsQueued_rnicClosed_nothingRunsAfter() throws IOException {
        Pair pair = new Pair(world).connect();
        ManualEnvironment environment = ManualEnvironment.of(pair.a.rnic);
        environment.holdsHandlers = true;
        List<String> observed = new ArrayList<>();
        pair.fromA.onStateChange((connection, state) -> observed.add("state"));
        pair.a.rnic.onAsyncEvent(event -> observed.add("event"));
        pair.a.cq.handler(Optional.of(pair.a.rnic.setCompletionHandler(cq -> observed.add("completion"))));
        pair.a.cq.requestNotification(Notification.NEXT);
        pair.a.queuePair.postReceive(1, pair.a.memory, 0, 8);
        world.network.streams.forEach(MemoryStream::reset);
        world.settle();
        pair.a.rnic.close();
        environment.holdsHandlers = false;
        world.settle();
        assertEquals(List.of(), observed);
        assertEquals(List.of("1 FLUSHED"), pair.a.polled());
        assertEquals(ConnectionState.FAILED, pair.fromA.state());
    }

    // The RNIC is closed during queries of other threads.
    @Test
    void queriesInProgress_rnicClosed_everyQueryReturns() throws Exception {
        for (int run = 0; run < 5; run++) {
            Pair pair = new Pair(world).connect();
            pair.a.queuePair.postReceive(1, pair.a.memory, 0, 8);
            pair.b.queuePair.postReceive(1, pair.b.memory, 0, 8);
            AtomicBoolean stop = new AtomicBoolean();
            CountDownLatch running = new CountDownLatch(2);
            ConcurrentLinkedQueue<Throwable> thrown = new ConcurrentLinkedQueue<>();
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                threads.add(Thread.ofPlatform().daemon().start(() -> {
                    try {
                        query(pair);
                        running.countDown();
                        while (!stop.get()) {
                            query(pair);
                        }
                        query(pair);
                    } catch (Throwable e) {
                        thrown.add(e);
                        running.countDown();
                    }
                }));
            }
            running.await();
            pair.a.rnic.close();
            stop.set(true);
            for (Thread thread : threads) {
                thread.join(60_000);
                assertFalse(thread.isAlive());
            }
            assertEquals(List.of(), List.copyOf(thrown));
            assertEquals(List.of("1 FLUSHED"), pair.a.polled());
        }
    }

    private static void query(Pair pair) {
        assertEquals("iwarp", pair.a.rnic.query().provider());
        assertEquals(pair.a.queuePair.number(), pair.a.queuePair.query().number());
        assertTrue(pair.a.cq.size() <= 1);
        assertTrue(pair.a.cq.handler().isEmpty());
        assertTrue(pair.a.cq.capacity() > 0);
        assertEquals(pair.a.queuePair, pair.fromA.queuePair());
        assertTrue(pair.a.memory.length() > 0);
        pair.a.memory.valid();
        assertFalse(pair.fromA.toString().isEmpty());
        pair.fromA.termination();
    }

    // Both sides enter TERMINATE at the same time and neither can send its message: the close still completes.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void bothTerminate_streamsBlocked_closeCompletes(boolean freed) throws IOException {
        Pair pair = new Pair(world).connect();
        for (Pair.Side side : List.of(pair.a, pair.b)) {
            Pair.Side other = side == pair.a ? pair.b : pair.a;
            side.queuePair.postReceive(9, side.memory, 0, 8);
            side.queuePair.postRead(1, side.memory, 0, 8, other.memory.address(), other.memory.rkey() ^ 1, SIGNALLED);
        }
        List<MemoryStream> streams = List.copyOf(world.network.streams);
        while (streams.stream().anyMatch(stream -> stream.out().size() == 0)) {
            assertTrue(world.round());
        }
        streams.forEach(stream -> stream.out().capacity(0));
        world.settle();
        assertEquals(IwarpQueuePairState.TERMINATE, pair.a.queuePair.state());
        assertEquals(IwarpQueuePairState.TERMINATE, pair.b.queuePair.state());
        if (freed) {
            streams.forEach(stream -> stream.out().capacity(1 << 20));
        }
        world.advance(freed ? 0 : 2_000_000_000L);
        for (Pair.Side side : List.of(pair.a, pair.b)) {
            assertEquals(IwarpQueuePairState.ERROR, side.queuePair.state());
            assertEquals(List.of("1 PROTOCOL", "9 FLUSHED"), side.polled());
            assertEquals(List.of(AsyncEventType.QP_ACCESS_ERROR), ManualWorld.events(side.rnic));
            assertNothingLeft(side);
        }
        assertEquals(ConnectionState.FAILED, pair.fromA.state());
        assertEquals(ConnectionState.FAILED, pair.fromB.state());
    }

    // The effect of one connection on others.

    @Test
    void cqOverflows_streamsThatDoNotUseIt_continue() throws IOException {
        Pair pair = new Pair(world, RnicOptions.defaults(), 2, o -> o).connect();
        var roomy = pair.b.rnic.createCompletionQueue(64);
        Link other = link(
                pair,
                pair.a.domain.createQueuePair(QueuePairOptions.of(pair.a.rnic.createCompletionQueue(64))),
                pair.b.domain.createQueuePair(QueuePairOptions.of(roomy)));
        for (int i = 0; i < 8; i++) {
            pair.b.queuePair.postReceive(i, pair.b.memory, 0, 8);
            pair.a.queuePair.postSend(i, pair.a.memory, 0, 8, WrFlags.UNSIGNALLED);
        }
        world.advance(LONG_NS);
        assertTrue(pair.b.cq.overflowed());
        assertEquals(IwarpQueuePairState.ERROR, pair.b.queuePair.state());
        // RFC 5040 section 8.1.1 [10], RFC 5042 section 6.4.6 [1]: other connections are not affected.
        other.right.postReceive(1, pair.b.memory, 0, 8);
        other.left.postSend(2, pair.a.memory, 0, 8, SIGNALLED);
        world.settle();
        assertEquals(1, roomy.size());
        assertFalse(roomy.overflowed());
        assertEquals(IwarpQueuePairState.RTS, other.right.state());
    }

    @Test
    void readsOfOnePeerFillItsDepth_othersAreServed() throws IOException {
        Pair pair = new Pair(world, RnicOptions.defaults(), 64, o -> o.withReads(2, 2)).connect();
        Link other = link(pair, pair.fresh(pair.a), pair.fresh(pair.b));
        world.network.streams.stream()
                .filter(stream -> stream.localAddress().equals(pair.fromB.localAddress()))
                .forEach(stream -> stream.out().capacity(0));
        for (int i = 0; i < 4; i++) {
            pair.a.queuePair.postRead(i, pair.a.memory, 0, 8, pair.b.memory.remote(), 0, SIGNALLED);
        }
        world.settle();
        assertEquals(List.of(), pair.a.polled());
        // RFC 5040 section 8.1.2 [6], RFC 5042 section 6.4.3.3 [1]: each stream has its own resources for inbound
        // Reads.
        other.left.postRead(7, pair.a.memory, 0, 8, pair.b.memory.remote(), 0, SIGNALLED);
        world.settle();
        assertEquals(List.of("7 SUCCESS"), pair.a.polled());
    }

    @Test
    void keyOfAnotherDomain_isRefusedAndOnlyThatConnectionEnds() throws IOException {
        Pair pair = new Pair(world).connect();
        var domain = pair.b.rnic.allocateProtectionDomain();
        Link stranger = link(
                pair,
                pair.fresh(pair.a),
                domain.createQueuePair(QueuePairOptions.of(pair.b.rnic.createCompletionQueue(8))));
        long before = pair.b.memory.segment().get(JAVA_LONG, 0);
        pair.a.fill(3);
        stranger.left.postWrite(1, pair.a.memory, 0, 8, pair.b.memory.remote(), 0, SIGNALLED);
        stranger.left.postRead(2, pair.a.memory, 0, 8, pair.b.memory.remote(), 0, SIGNALLED);
        world.advance(LONG_NS);
        // RFC 5041 sections 8.2 [1], 8.3 [4] and 8.3.1 [1, 3], RFC 5042 sections 6.1.1 [1, 2] and 6.2.1 [1]: rejected
        // and reported.
        assertEquals(List.of("1 SUCCESS", "2 FLUSHED"), pair.a.polled());
        assertEquals(List.of(AsyncEventType.QP_ACCESS_ERROR), ManualWorld.events(pair.b.rnic));
        assertEquals(before, pair.b.memory.segment().get(JAVA_LONG, 0));
        assertEquals(IwarpQueuePairState.ERROR, stranger.right.state());
        pair.a.queuePair.postWrite(3, pair.a.memory, 0, 8, pair.b.memory.remote(), 0, SIGNALLED);
        world.settle();
        assertEquals(List.of("3 SUCCESS"), pair.a.polled());
        assertEquals(IwarpQueuePairState.RTS, pair.b.queuePair.state());
    }
}
