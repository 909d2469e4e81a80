package io.verbena.hardware.provider;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.hardware.fake.FakeLibrary;
import io.verbena.hardware.provider.device.Obstacles;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.Figures;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.Notification;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicFigures;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The whole provider over a fake library. */
class ProviderTest {

    private static final Duration LONG = Duration.ofSeconds(20);
    private static final AccessRight[] ALL = {
        AccessRight.LOCAL_WRITE, AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_ATOMIC
    };

    private final FakeLibrary fake = new FakeLibrary();
    private int objectsBefore;
    private Rnic rnic;
    private ProtectionDomain domain;
    private CompletionQueue cq;
    private CompletionQueue serverCq;
    private QueuePair client;
    private QueuePair server;
    private MemoryRegion here;
    private MemoryRegion there;

    @BeforeEach
    void open() {
        objectsBefore = fake.adapter().objects();
        rnic = new IbverbsProvider(fake::libraries, new Obstacles(Path.of("/none"), Path.of("/none")), false)
                .open(RnicOptions.defaults().withProvider("ibverbs"));
        domain = rnic.allocateProtectionDomain();
        cq = rnic.createCompletionQueue(256);
        serverCq = rnic.createCompletionQueue(256);
        client = domain.createQueuePair(cq);
        server = domain.createQueuePair(serverCq);
        here = domain.allocate(4096, ALL);
        there = domain.allocate(4096, ALL);
    }

    @AfterEach
    void close() {
        client.close();
        server.close();
        here.close();
        there.close();
        cq.close();
        serverCq.close();
        domain.close();
        rnic.close();
        assertEquals(objectsBefore, fake.adapter().objects(), "native objects that are left");
        fake.close();
    }

    private void connect() throws Exception {
        try (Listener listener = rnic.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            Connection connection = rnic.startConnect(
                    client,
                    listener.localAddress(),
                    ConnectionOptions.defaults().withPrivateData("hello".getBytes(StandardCharsets.US_ASCII)));
            ConnectionRequest request = listener.nextRequest(LONG).orElseThrow();
            assertEquals("hello", new String(Arrays.copyOf(request.privateData(), 5), StandardCharsets.US_ASCII));
            request.accept(server, "yes".getBytes(StandardCharsets.US_ASCII));
            connection.awaitEstablished(LONG);
            assertEquals("yes", new String(Arrays.copyOf(connection.privateData(), 3), StandardCharsets.US_ASCII));
        }
    }

    private static void fill(MemoryRegion region, long offset, String text) {
        region.segment().setString(offset, text);
    }

    @Test
    void query_ofTheFake_showsItsLimits() {
        var attributes = rnic.query();
        assertEquals("ibverbs", attributes.provider());
        assertEquals("fake0", attributes.device().name());
        assertEquals("1.2.3", attributes.device().version());
        assertEquals(1024, attributes.device().ports().getFirst().activeMtuBytes());
        assertEquals(
                "127.0.0.1",
                attributes.device().ports().getFirst().addresses().getLast().getHostAddress());
    }

    @Test
    void figures_showTheQueuePairsAndTheirPeers() throws Exception {
        connect();
        Figures figures = rnic.figures();
        assertEquals("OPEN", figures.texts().get("state"));
        assertEquals("fake0", figures.texts().get("device"));
        assertEquals(2, figures.number(RnicFigures.QUEUE_PAIRS));
        Figures pair = figures.parts("queue_pair").getFirst();
        assertEquals("ESTABLISHED", pair.texts().get("connection"));
        assertTrue(String.valueOf(pair.texts().get("peer")).startsWith("127.0.0.1:"), pair::toString);
    }

    @Test
    void send_toAPostedReceive_arrives() throws Exception {
        server.postReceive(7, there, 0, 100);
        connect();
        fill(here, 0, "over the fake");
        assertTrue(client.postSend(1, here, 0, 14, WrFlags.SIGNALLED));
        CompletionCursor received = serverCq.take(LONG);
        assertTrue(received.ok(), received::reason);
        assertEquals(7, received.wrId());
        assertEquals(14, received.byteCount());
        assertEquals(CompletionOpcode.RECEIVE, received.opcode());
        assertEquals("over the fake", there.segment().getString(0));
        assertEquals(1, cq.take(LONG).wrId());
    }

    @Test
    void writeReadAndAtomics_reachTheMemoryOfThePeer() throws Exception {
        connect();
        fill(here, 0, "written");
        client.postWrite(1, here, 0, 8, there.remote(), 16, WrFlags.SIGNALLED);
        assertEquals(CompletionOpcode.WRITE, cq.take(LONG).opcode());
        assertEquals("written", there.segment().getString(16));
        client.postRead(2, here, 64, 8, there.remote(), 16, WrFlags.SIGNALLED);
        assertEquals(8, cq.take(LONG).byteCount());
        assertEquals("written", here.segment().getString(64));
        there.segment().set(ValueLayout.JAVA_LONG, 128, 40);
        client.postFetchAndAdd(3, here, 128, there.address() + 128, there.rkey(), 2, WrFlags.SIGNALLED);
        assertEquals(CompletionOpcode.FETCH_AND_ADD, cq.take(LONG).opcode());
        client.postCompareAndSwap(4, here, 136, there.address() + 128, there.rkey(), 42, 7, WrFlags.SIGNALLED);
        assertEquals(CompletionOpcode.COMPARE_AND_SWAP, cq.take(LONG).opcode());
        assertEquals(40, here.segment().get(ValueLayout.JAVA_LONG, 128));
        assertEquals(42, here.segment().get(ValueLayout.JAVA_LONG, 136));
        assertEquals(7, there.segment().get(ValueLayout.JAVA_LONG, 128));
    }

    @Test
    void immediate_arrivesInTheOrderOfTheHost() throws Exception {
        server.postReceive(7, there, 0, 100);
        server.postReceive(8, there, 100, 100);
        connect();
        client.post(client.newWorkRequest().sendWithImmediate(0x01020304L).element(here, 0, 4));
        CompletionCursor received = serverCq.take(LONG);
        assertTrue(received.hasImmediate());
        assertEquals(0x01020304L, received.immediate());
        client.post(client.newWorkRequest()
                .writeWithImmediate(there.address(), there.rkey(), 0xfffffff0L)
                .element(here, 0, 4));
        received = serverCq.take(LONG);
        assertEquals(CompletionOpcode.RECEIVE_WRITE_IMMEDIATE, received.opcode());
        assertEquals(0xfffffff0L, received.immediate());
    }

    @Test
    void inlineData_withinAndBeyondTheGrant_isCopiedDuringPosting() throws Exception {
        connect();
        for (int length : new int[] {8, 60}) { // the fake grants 32
            fill(here, 0, "x".repeat(length - 1));
            client.postWrite(1, here, 0, length, there.remote(), 0, WrFlags.SIGNALLED.withInline());
            fill(here, 0, "changed");
            assertTrue(cq.take(LONG).ok());
            assertEquals("x".repeat(length - 1), there.segment().getString(0));
        }
    }

    @Test
    void unsignalledWork_neverFillsTheQueueForGood() throws Exception {
        connect();
        CompletionCursor cursor = cq.cursor();
        for (int i = 0; i < 1000; i++) {
            while (!client.postWrite(i, here, 0, 8, there.remote(), 0, WrFlags.UNSIGNALLED)) {
                assertFalse(cursor.next(), "an entry that the program did not ask for");
            }
        }
        client.postWrite(5000, here, 0, 8, there.remote(), 0, WrFlags.SIGNALLED);
        assertEquals(5000, cq.take(LONG).wrId());
    }

    @Test
    void fullQueue_refusesWithoutEffect() throws Exception {
        connect();
        int accepted = 0;
        while (client.postSend(accepted, here, 0, 8, WrFlags.SIGNALLED)) {
            accepted++;
        }
        assertEquals(64, accepted);
        for (int i = 0; i < 64; i++) {
            server.postReceive(i, there, 0, 8);
        }
        for (int i = 0; i < 64; i++) {
            assertEquals(i, cq.take(LONG).wrId());
        }
        assertTrue(client.postSend(64, here, 0, 8, WrFlags.SIGNALLED));
    }

    @Test
    void batch_isGivenToTheAdapterWhenTheDoorbellRings() throws Exception {
        connect();
        client.startBatch();
        for (int i = 0; i < 5; i++) {
            fill(here, i * 16L, "part" + i);
            client.postWrite(i, here, i * 16L, 6, there.remote(), i * 16L, WrFlags.SIGNALLED);
        }
        assertFalse(cq.cursor().next());
        client.ringDoorbell();
        for (int i = 0; i < 5; i++) {
            assertEquals(i, cq.take(LONG).wrId());
            assertEquals("part" + i, there.segment().getString(i * 16L));
        }
    }

    @Test
    void wrongKey_failsWithRemoteAccess_andTheRestIsFlushed() throws Exception {
        client.postReceive(9, here, 0, 8);
        connect();
        client.postWrite(1, here, 0, 8, there.address(), 0xdead, WrFlags.SIGNALLED);
        CompletionCursor failed = cq.take(LONG);
        assertEquals(CompletionStatus.REMOTE_ACCESS, failed.status());
        assertEquals(CompletionOpcode.WRITE, failed.opcode());
        CompletionCursor flushed = cq.take(LONG);
        assertEquals(9, flushed.wrId());
        assertEquals(CompletionStatus.FLUSHED, flushed.status());
        assertEquals(CompletionOpcode.RECEIVE, flushed.opcode());
        assertTrue(client.postSend(2, here, 0, 8, WrFlags.UNSIGNALLED));
        assertEquals(CompletionStatus.FLUSHED, cq.take(LONG).status());
        assertTrue(client.state().failed());
    }

    @Test
    void notification_comesForLaterEntriesAndForEarlierOnes() throws Exception {
        connect();
        for (int round = 0; round < 2; round++) {
            CountDownLatch ran = new CountDownLatch(1);
            var id = rnic.setCompletionHandler(_ -> ran.countDown());
            serverCq.handler(java.util.Optional.of(id));
            server.postReceive(round, there, 0, 8);
            if (round == 0) {
                serverCq.requestNotification(Notification.NEXT);
            }
            client.postSend(round, here, 0, 8, WrFlags.SIGNALLED);
            if (round == 1) {
                serverCq.requestNotification(Notification.NEXT);
            }
            assertTrue(ran.await(20, TimeUnit.SECONDS), "round " + round);
            assertEquals(round, serverCq.take(LONG).wrId());
            rnic.removeCompletionHandler(id);
        }
    }

    @Test
    void connect_whereNothingListens_isRefused_andTheQueuePairCanTryAgain() throws Exception {
        ConnectionException refused = assertThrows(
                ConnectionException.class,
                () -> rnic.connect(client, new InetSocketAddress(InetAddress.getLoopbackAddress(), 9)));
        assertEquals(ConnectionException.Kind.REFUSED, refused.kind());
        assertFalse(client.state().failed());
        connect();
    }

    @Test
    void reject_bringsItsPrivateData() throws Exception {
        try (Listener listener = rnic.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            Connection connection = rnic.startConnect(client, listener.localAddress(), ConnectionOptions.defaults());
            listener.nextRequest(LONG).orElseThrow().reject(new byte[] {1, 2});
            ConnectionException rejected =
                    assertThrows(ConnectionException.class, () -> connection.awaitEstablished(LONG));
            assertEquals(ConnectionException.Kind.REJECTED, rejected.kind());
            assertArrayEquals(new byte[] {1, 2}, Arrays.copyOf(rejected.privateData(), 2));
        }
    }

    @Test
    void disconnect_endsBothSides() throws Exception {
        connect();
        client.connection().orElseThrow().disconnect();
        assertTrue(client.connection().orElseThrow().awaitClosed(LONG));
        assertTrue(server.connection().orElseThrow().awaitClosed(LONG));
        assertTrue(server.state().failed());
    }

    @Test
    void asyncEvent_namesItsObject() {
        fake.adapter().raise(3, fake.adapter().queuePair(client.number()));
        var event = rnic.pollAsyncEvents(LONG).getFirst();
        assertEquals(io.verbena.verbs.AsyncEventType.QP_ACCESS_ERROR, event.type());
        assertEquals(client, event.subject());
        assertTrue(client.state().failed());
    }
}
