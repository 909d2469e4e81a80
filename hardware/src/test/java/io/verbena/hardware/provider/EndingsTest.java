package io.verbena.hardware.provider;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.hardware.abi.Errno;
import io.verbena.hardware.abi.NativeFunction;
import io.verbena.hardware.fake.FakeLibrary;
import io.verbena.hardware.provider.device.Obstacles;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WrFlags;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Work, waits and connections that end in another way than by success. */
class EndingsTest {

    private static final Duration LONG = Duration.ofSeconds(20);
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private final FakeLibrary fake = new FakeLibrary();
    private final Rnic rnic = new IbverbsProvider(
                    fake::libraries, new Obstacles(Path.of("/none"), Path.of("/none")), false)
            .open(RnicOptions.defaults());
    private final ProtectionDomain domain = rnic.allocateProtectionDomain();
    private final CompletionQueue cq = rnic.createCompletionQueue(64);

    @AfterEach
    void close() {
        rnic.close();
        fake.close();
    }

    private QueuePair connected() throws Exception {
        QueuePair client = domain.createQueuePair(cq);
        QueuePair server = domain.createQueuePair(rnic.createCompletionQueue(64));
        try (Listener listener = rnic.listen(ANY_PORT)) {
            Connection connection = rnic.startConnect(client, listener.localAddress(), ConnectionOptions.defaults());
            listener.nextRequest(LONG).orElseThrow().accept(server);
            connection.awaitEstablished(LONG);
        }
        return client;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 4})
    void batchRefusedInPart_doorbellRung_eachRequestHasOneEntry(int accepted) throws Exception {
        QueuePair client = connected();
        MemoryRegion memory = domain.allocate(64, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE);
        fake.adapter().refuseSendsAfter(accepted);
        client.startBatch();
        for (int i = 0; i < 4; i++) {
            client.postWrite(i, memory, 0, 8, memory.address(), memory.rkey(), WrFlags.SIGNALLED);
        }
        client.ringDoorbell();
        List<CompletionStatus> statuses = new ArrayList<>();
        for (CompletionCursor cursor = cq.cursor(); cursor.next(); ) {
            assertEquals(statuses.size(), cursor.wrId());
            statuses.add(cursor.status());
        }
        List<CompletionStatus> expected = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            expected.add(
                    i < accepted
                            ? CompletionStatus.SUCCESS
                            : i == accepted ? CompletionStatus.LOCAL_OPERATION : CompletionStatus.FLUSHED);
        }
        assertEquals(expected, statuses);
        assertEquals(accepted < 4, client.state().failed());
        memory.close();
    }

    /** The kernel refuses to destroy a queue pair that is being modified: what was under way when it was closed makes no call. */
    @Test
    void queuePairClosed_connectionGoesOn_noCallIsIssued() {
        HardwareQueuePair closed = (HardwareQueuePair) domain.createQueuePair(cq);
        closed.close();
        fake.failNext(NativeFunction.INIT_QP_ATTR, Errno.ENOMEM); // which would be another exception
        for (Executable step : List.<Executable>of(
                () -> closed.states().readyToReceive(0), () -> closed.states().readyToSend(0))) {
            assertEquals(
                    VerbsException.class,
                    assertThrows(VerbsException.class, step).getClass());
        }
        assertTrue(closed.state().failed());
    }

    @Test
    void completionQueueClosed_entriesFetchedBefore_pollFindsNone() throws Exception {
        QueuePair client = connected();
        MemoryRegion memory = domain.allocate(64, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE);
        for (int i = 0; i < 3; i++) {
            client.postWrite(i, memory, 0, 8, memory.address(), memory.rkey(), WrFlags.SIGNALLED);
        }
        CompletionCursor cursor = cq.cursor();
        assertTrue(cursor.next());
        client.close();
        cq.close();
        assertFalse(cursor.next());
        memory.close();
    }

    @Test
    void requestsWithoutAnEntry_done_endNoWait() throws Exception {
        QueuePair client = connected();
        MemoryRegion memory = domain.allocate(64, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE);
        for (int i = 0; i < client.query().options().sendDepth(); i++) {
            client.postWrite(i, memory, 0, 8, memory.address(), memory.rkey(), WrFlags.UNSIGNALLED);
        }
        assertFalse(cq.await(Duration.ofMillis(5)));
        client.postWrite(99, memory, 0, 8, memory.address(), memory.rkey(), WrFlags.SIGNALLED);
        assertTrue(cq.await(LONG));
        CompletionCursor cursor = cq.cursor();
        assertTrue(cursor.next());
        assertEquals(99, cursor.wrId());
        memory.close();
    }

    @Test
    void noAnswer_timeOver_connectionFailsAndQueuePairIsKept() throws Exception {
        QueuePair client = domain.createQueuePair(cq);
        try (Listener listener = rnic.listen(ANY_PORT)) {
            Connection connection = rnic.startConnect(
                    client,
                    listener.localAddress(),
                    ConnectionOptions.defaults().withTimeout(Duration.ofMillis(30)));
            assertTrue(connection.awaitClosed(LONG));
            assertEquals(ConnectionState.FAILED, connection.state());
            assertTrue(connection.reason().endsWith("was not established within 30 ms."), connection.reason());
            assertFalse(client.state().failed());
        }
    }

    @Test
    void wokenBefore_progress_returnsAtOnce() {
        rnic.wakeup();
        long beganNs = System.nanoTime();
        for (int i = 0; i < 10_000; i++) {
            rnic.wakeup();
            rnic.progress(LONG);
        }
        assertTrue(System.nanoTime() - beganNs < LONG.toNanos(), "a wake-up did not end progress");
    }
}
