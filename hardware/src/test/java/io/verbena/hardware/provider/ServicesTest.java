package io.verbena.hardware.provider;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.hardware.fake.FakeLibrary;
import io.verbena.hardware.provider.device.Obstacles;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.SharedReceiveQueue;
import io.verbena.verbs.SharedReceiveQueueOptions;
import io.verbena.verbs.WindowOptions;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Shared receive queues, memory windows, invalidation and delays over the fake library. */
class ServicesTest {

    private static final Duration LONG = Duration.ofSeconds(20);
    private static final WindowOptions FOR_DOMAIN = WindowOptions.defaults().withScope(WindowOptions.Scope.DOMAIN);

    private final FakeLibrary fake = new FakeLibrary();
    private final int objectsBefore = fake.adapter().objects();
    private final Rnic rnic = new IbverbsProvider(
                    fake::libraries, new Obstacles(Path.of("/none"), Path.of("/none")), false)
            .open(RnicOptions.defaults());
    private final ProtectionDomain domain = rnic.allocateProtectionDomain();
    private final CompletionQueue cq = rnic.createCompletionQueue(64);
    private final CompletionQueue serverCq = rnic.createCompletionQueue(64);
    private final MemoryRegion memory = domain.allocate(4096, AccessRight.values());

    @AfterEach
    void close() {
        memory.close();
        rnic.close();
        assertEquals(objectsBefore, fake.adapter().objects(), "native objects that are left");
        fake.close();
    }

    private QueuePair connected(QueuePair server) throws Exception {
        QueuePair client = domain.createQueuePair(QueuePairOptions.of(cq).withDepths(8, 8));
        try (Listener listener = rnic.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            Connection connection = rnic.startConnect(client, listener.localAddress(), ConnectionOptions.defaults());
            listener.nextRequest(LONG).orElseThrow().accept(server);
            connection.awaitEstablished(LONG);
        }
        return client;
    }

    private QueuePair server() {
        return domain.createQueuePair(QueuePairOptions.of(serverCq).withDepths(8, 8));
    }

    private static String entry(CompletionCursor cursor) {
        return cursor.wrId() + " " + cursor.opcode() + " " + cursor.status();
    }

    private String next() throws Exception {
        return entry(cq.take(LONG));
    }

    @Test
    void query_showsTheServices() {
        assertTrue(rnic.query()
                .operations()
                .containsAll(Set.of(
                        WorkOpcode.BIND,
                        WorkOpcode.UNBIND,
                        WorkOpcode.DELAY,
                        WorkOpcode.LOCAL_INVALIDATE,
                        WorkOpcode.READ_WITH_INVALIDATE,
                        WorkOpcode.SEND_WITH_INVALIDATE)));
        assertEquals(1024, rnic.query().maxSharedReceiveQueues());
        assertEquals(1024, rnic.query().device().maxWindows());
    }

    // Shared receive queues.

    @Test
    void srq_ofTwoQueuePairs_entriesNameThem_andSlotsAreUsedAgain() throws Exception {
        SharedReceiveQueue srq = domain.createSharedReceiveQueue(SharedReceiveQueueOptions.depth(4));
        QueuePair first = domain.createQueuePair(QueuePairOptions.of(serverCq).withSharedReceiveQueue(srq));
        QueuePair second = domain.createQueuePair(QueuePairOptions.of(serverCq).withSharedReceiveQueue(srq));
        QueuePair toFirst = connected(first);
        QueuePair toSecond = connected(second);
        assertThrows(IllegalStateException.class, () -> first.postReceive(1, memory, 0, 8));
        for (int round = 0; round < 10; round++) {
            assertTrue(srq.postReceive(round, memory, 0, 8));
            assertTrue(srq.post(
                    srq.newWorkRequest().receive().scatter(memory, 8, 8).id(100 + round)));
            toSecond.postSend(1, memory, 0, 8, WrFlags.SIGNALLED);
            toFirst.postSend(2, memory, 0, 4, WrFlags.SIGNALLED);
            assertEquals("1 SEND SUCCESS", next());
            assertEquals("2 SEND SUCCESS", next());
            CompletionCursor received = serverCq.take(LONG);
            assertEquals(second, received.queuePair());
            assertEquals(round, received.wrId());
            assertEquals(8, received.byteCount());
            received = serverCq.take(LONG);
            assertEquals(first, received.queuePair());
            assertEquals(100 + round, received.wrId());
            assertEquals(0, srq.available());
        }
        assertThrows(IllegalStateException.class, srq::close);
    }

    @Test
    void srq_full_refusesWithoutEffect() {
        try (SharedReceiveQueue srq = domain.createSharedReceiveQueue(SharedReceiveQueueOptions.depth(2))) {
            assertTrue(srq.postReceive(1, memory, 0, 8));
            assertTrue(srq.postReceive(2, memory, 0, 8));
            assertFalse(srq.postReceive(3, memory, 0, 8));
            assertEquals(2, srq.available());
        }
    }

    @Test
    void srq_belowItsLimit_isAnEventOfTheSrq() throws Exception {
        SharedReceiveQueue srq = domain.createSharedReceiveQueue(SharedReceiveQueueOptions.depth(4));
        QueuePair server = domain.createQueuePair(QueuePairOptions.of(serverCq).withSharedReceiveQueue(srq));
        QueuePair client = connected(server);
        srq.postReceive(1, memory, 0, 8);
        srq.postReceive(2, memory, 0, 8);
        srq.armLimit(2);
        client.postSend(1, memory, 0, 8, WrFlags.SIGNALLED);
        AsyncEvent event = rnic.pollAsyncEvents(LONG).getFirst();
        assertEquals(AsyncEventType.SRQ_LIMIT_REACHED, event.type());
        assertEquals(srq, event.subject());
    }

    // Windows of one queue pair.

    @Test
    void window_boundByWork_grantsItsRangeToThePeer_untilItIsUnbound() throws Exception {
        QueuePair server = server();
        QueuePair client = connected(server);
        MemoryWindow window = domain.allocateWindow();
        assertEquals(0, window.remote().length());
        server.post(server.newWorkRequest()
                .bind(window, memory, 16, 8, AccessRight.REMOTE_WRITE)
                .id(5));
        RemoteRegion bound = window.remote();
        assertEquals(memory.address() + 16, bound.address());
        assertEquals("5 BIND SUCCESS", entry(serverCq.take(LONG)));
        client.postWrite(1, memory, 0, 8, bound, 0, WrFlags.SIGNALLED);
        assertEquals("1 WRITE SUCCESS", next());
        server.post(server.newWorkRequest().unbind(window).id(6));
        assertEquals("6 BIND SUCCESS", entry(serverCq.take(LONG)));
        assertFalse(window.bound());
        client.postWrite(2, memory, 0, 8, bound, 0, WrFlags.SIGNALLED);
        assertEquals("2 WRITE REMOTE_ACCESS", next());
        window.close();
    }

    @Test
    void window_boundAgain_hasOneEntryAndAnotherKey() throws Exception {
        QueuePair server = server();
        QueuePair client = connected(server);
        MemoryWindow window = domain.allocateWindow();
        int key = 0;
        for (int round = 0; round < 20; round++) {
            server.post(server.newWorkRequest()
                    .bind(window, memory, round, 8, AccessRight.REMOTE_READ)
                    .id(round));
            assertFalse(window.rkey() == key);
            key = window.rkey();
            assertEquals(round + " BIND SUCCESS", entry(serverCq.take(LONG)));
        }
        assertFalse(serverCq.cursor().next());
        client.postRead(1, memory, 64, 8, window.remote(), 0, WrFlags.SIGNALLED);
        assertEquals("1 READ SUCCESS", next());
        server.close(); // with the bound window, which is freed before
        assertFalse(window.bound());
        window.close();
    }

    @Test
    void bindThatIsNotPermitted_failsOnce_andTheWindowIsAsBefore() throws Exception {
        QueuePair server = server();
        QueuePair _ = connected(server);
        MemoryWindow window = domain.allocateWindow();
        MemoryRegion closed = domain.allocate(8, AccessRight.REMOTE_READ);
        server.post(server.newWorkRequest()
                .bind(window, closed, 0, 8, AccessRight.REMOTE_READ)
                .id(1));
        assertEquals("1 BIND BIND_FAILED", entry(serverCq.take(LONG)));
        assertFalse(window.bound());
        assertFalse(serverCq.cursor().next());
        closed.close();
        window.close();
    }

    @Test
    void sendWithInvalidate_ofAWindow_unbindsItAtItsOwner() throws Exception {
        QueuePair server = server();
        QueuePair client = connected(server);
        MemoryWindow window = domain.allocateWindow();
        server.postReceive(9, memory, 0, 8);
        server.post(server.newWorkRequest()
                .bind(window, memory, 0, 8, AccessRight.REMOTE_READ)
                .id(1));
        serverCq.take(LONG);
        int key = window.rkey();
        client.post(client.newWorkRequest().sendWithInvalidate(key).gather(memory, 8, 8));
        CompletionCursor received = serverCq.take(LONG);
        assertTrue(received.hasInvalidatedKey());
        assertEquals(key, received.invalidatedKey());
        assertFalse(window.bound());
        server.post(server.newWorkRequest()
                .bind(window, memory, 0, 8, AccessRight.REMOTE_READ)
                .id(2));
        assertEquals("2 BIND SUCCESS", entry(serverCq.take(LONG)));
        window.close();
    }

    @Test
    void localInvalidate_ofAWindow_unbindsIt_andAnotherKeyFails() throws Exception {
        QueuePair server = server();
        QueuePair _ = connected(server);
        MemoryWindow window = domain.allocateWindow();
        server.post(server.newWorkRequest()
                .bind(window, memory, 0, 8, AccessRight.REMOTE_READ)
                .id(1));
        server.post(server.newWorkRequest().localInvalidate(window.rkey()).id(2));
        serverCq.take(LONG);
        assertEquals("2 LOCAL_INVALIDATE SUCCESS", entry(serverCq.take(LONG)));
        assertFalse(window.bound());
        server.post(server.newWorkRequest().localInvalidate(5).id(3));
        assertEquals("3 LOCAL_INVALIDATE LOCAL_OPERATION", entry(serverCq.take(LONG)));
        window.close();
    }

    @Test
    void readWithInvalidate_hasOneEntry_alsoIfTheReadFails() throws Exception {
        QueuePair server = server();
        QueuePair client = connected(server);
        MemoryWindow window = domain.allocateWindow();
        client.post(client.newWorkRequest()
                .bind(window, memory, 0, 64, AccessRight.REMOTE_WRITE)
                .id(1));
        client.post(client.newWorkRequest()
                .readWithInvalidate(memory.address(), memory.rkey(), window.rkey())
                .scatter(memory, 8, 8)
                .id(2));
        next();
        CompletionCursor read = cq.take(LONG);
        assertEquals("2 READ SUCCESS", entry(read));
        assertEquals(8, read.byteCount());
        assertFalse(window.bound());
        client.post(client.newWorkRequest()
                .readWithInvalidate(memory.address(), 0xdead, window.rkey())
                .scatter(memory, 8, 8)
                .id(3));
        assertEquals("3 READ REMOTE_ACCESS", next());
        assertFalse(cq.cursor().next());
        window.close();
    }

    // Windows of a domain.

    @Test
    void windowOfTheDomain_boundAtOnceAndByWork_endsTheBindingBefore() throws Exception {
        QueuePair server = server();
        QueuePair client = connected(server);
        MemoryWindow window = domain.allocateWindow(FOR_DOMAIN);
        RemoteRegion first = window.bind(memory, 16, 8, AccessRight.REMOTE_READ);
        client.postRead(1, memory, 64, 8, first, 0, WrFlags.SIGNALLED);
        assertEquals("1 READ SUCCESS", next());
        server.post(server.newWorkRequest()
                .bind(window, memory, 32, 8, AccessRight.REMOTE_READ)
                .id(5));
        assertEquals("5 BIND SUCCESS", entry(serverCq.take(LONG)));
        client.postRead(2, memory, 64, 8, window.remote(), 0, WrFlags.SIGNALLED);
        assertEquals("2 READ SUCCESS", next());
        server.post(server.newWorkRequest().unbind(window).id(6));
        assertEquals("6 BIND SUCCESS", entry(serverCq.take(LONG)));
        client.postRead(3, memory, 64, 8, first, 0, WrFlags.SIGNALLED);
        assertEquals("3 READ REMOTE_ACCESS", next());
        window.close();
    }

    @Test
    void regionWithABoundWindow_closes_andTheWindowIsUnbound() {
        MemoryWindow window = domain.allocateWindow(FOR_DOMAIN);
        MemoryRegion region = domain.allocate(64, AccessRight.BIND, AccessRight.REMOTE_READ);
        window.bind(region, 0, 8, AccessRight.REMOTE_READ);
        region.close();
        assertFalse(window.bound());
        window.close();
    }

    // Delays.

    @Test
    void delay_keepsWhatIsPostedAfterIt_andOrder() throws Exception {
        QueuePair client = connected(server());
        long beganNs = System.nanoTime();
        client.postWrite(1, memory, 0, 8, memory.remote(), 64, WrFlags.SIGNALLED);
        client.post(client.newWorkRequest().delay(20_000_000).id(2));
        client.postWrite(3, memory, 0, 8, memory.remote(), 64, WrFlags.SIGNALLED);
        client.post(client.newWorkRequest().delay(20_000_000).id(4));
        client.postWrite(5, memory, 0, 8, memory.remote(), 64, WrFlags.SIGNALLED);
        assertEquals("1 WRITE SUCCESS", next());
        assertEquals("2 DELAY SUCCESS", next());
        assertEquals("3 WRITE SUCCESS", next());
        assertEquals("4 DELAY SUCCESS", next());
        assertEquals("5 WRITE SUCCESS", next());
        assertTrue(System.nanoTime() - beganNs >= 40_000_000, "two delays of 20 ms");
        client.postWrite(6, memory, 0, 8, memory.remote(), 64, WrFlags.SIGNALLED);
        assertEquals("6 WRITE SUCCESS", next());
    }

    @Test
    void delay_queuePairFails_whatWaitsIsFlushedInOrder() throws Exception {
        QueuePair client = connected(server());
        client.post(client.newWorkRequest().delay(3_600_000_000_000L).id(1));
        client.postWrite(2, memory, 0, 8, memory.remote(), 64, WrFlags.UNSIGNALLED);
        fake.adapter().raise(3, fake.adapter().queuePair(client.number()));
        assertEquals("1 DELAY FLUSHED", next());
        CompletionCursor flushed = cq.take(LONG);
        assertEquals(CompletionOpcode.WRITE, flushed.opcode());
        assertEquals(CompletionStatus.FLUSHED, flushed.status());
    }

    @Test
    void delay_queuePairCloses_nothingIsGivenToTheAdapter() throws Exception {
        QueuePair client = connected(server());
        client.post(client.newWorkRequest().delay(1_000_000).id(1));
        client.close();
        assertFalse(cq.await(Duration.ofMillis(20)));
    }
}
