package io.verbena.hardware.provider;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.hardware.fake.FakeLibrary;
import io.verbena.hardware.provider.device.Obstacles;
import io.verbena.hardware.provider.request.Statuses;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A device that fails while it is used, requests that fail with each status, and objects that another thread closes during a wait. */
class DeviceFailuresTest {

    private static final Duration LONG = Duration.ofSeconds(20);
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final int CQ_ERROR = 0;
    private static final int DEVICE_FATAL = 8;

    private final FakeLibrary fake = new FakeLibrary();
    private final Rnic rnic = new IbverbsProvider(
                    fake::libraries, new Obstacles(Path.of("/none"), Path.of("/none")), false)
            .open(RnicOptions.defaults());
    private final ProtectionDomain domain = rnic.allocateProtectionDomain();
    private final CompletionQueue cq = rnic.createCompletionQueue(64);
    private final MemoryRegion memory = domain.allocate(64, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE);

    @AfterEach
    void close() {
        memory.close();
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

    @Test
    void deviceFatal_workIsFlushed_listenersClose_andAnEventReportsIt() throws Exception {
        QueuePair client = connected();
        client.postReceive(7, memory, 0, 8);
        Listener listener = rnic.listen(ANY_PORT);
        fake.adapter().raise(DEVICE_FATAL, 0);
        AsyncEvent event = rnic.pollAsyncEvents(LONG).getFirst();
        assertEquals(AsyncEventType.RNIC_FATAL, event.type());
        assertSame(rnic, event.subject());
        CompletionCursor flushed = cq.take(LONG);
        assertEquals(7, flushed.wrId());
        assertEquals(CompletionStatus.FLUSHED, flushed.status());
        assertTrue(client.state().failed());
        assertTrue(listener.nextRequest(LONG).isEmpty());
        assertTrue(listener.closed());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 99})
    void requestFails_eachStatus_isShownAndWorkAfterItIsFlushed(int status) throws Exception {
        QueuePair client = connected();
        fake.adapter().failNextRequest(status);
        client.postWrite(1, memory, 0, 8, memory.address(), memory.rkey(), WrFlags.SIGNALLED);
        CompletionCursor failed = cq.take(LONG);
        assertEquals(1, failed.wrId());
        assertEquals(Statuses.of(status), failed.status());
        assertFalse(failed.ok());
        assertFalse(failed.reason().isEmpty());
        assertTrue(client.state().failed());
        client.postWrite(2, memory, 0, 8, memory.address(), memory.rkey(), WrFlags.SIGNALLED);
        assertEquals(CompletionStatus.FLUSHED, cq.take(LONG).status());
    }

    @Test
    void completionQueueOverruns_anEventNamesIt() {
        fake.adapter().raise(CQ_ERROR, ((HardwareCompletionQueue) cq).cq());
        AsyncEvent event = rnic.pollAsyncEvents(LONG).getFirst();
        assertEquals(AsyncEventType.CQ_OVERFLOW, event.type());
        assertSame(cq, event.subject());
    }

    /** What a thread waits for. */
    enum Wait {
        CONNECT,
        ACCEPT,
        REQUEST,
        COMPLETION,
        EVENT
    }

    @ParameterizedTest
    @EnumSource(Wait.class)
    void rnicClosed_duringAWait_theWaitEnds(Wait wait) throws Exception {
        Listener listener = rnic.listen(ANY_PORT);
        QueuePair client = domain.createQueuePair(cq);
        QueuePair server = domain.createQueuePair(cq);
        CompletableFuture<Object> began = new CompletableFuture<>();
        Connection connection = rnic.startConnect(client, listener.localAddress(), patient());
        ConnectionRequest request = listener.nextRequest(LONG).orElseThrow();
        CompletableFuture<Void> ended = CompletableFuture.runAsync(() -> {
            began.complete(wait);
            try {
                switch (wait) {
                    case CONNECT -> connection.awaitEstablished(LONG);
                    case ACCEPT -> request.accept(server, patient());
                    case REQUEST -> listener.nextRequest(LONG);
                    case COMPLETION -> cq.await(LONG);
                    case EVENT -> rnic.pollAsyncEvents(LONG);
                }
            } catch (Exception _) {
                // How the wait ends is a matter of each call.
            }
        });
        began.get();
        long beganNs = System.nanoTime();
        rnic.close();
        ended.get(LONG.toSeconds(), TimeUnit.SECONDS);
        assertTrue(System.nanoTime() - beganNs < LONG.toNanos() / 2, "the wait ended by its timeout only");
    }

    private static ConnectionOptions patient() {
        return ConnectionOptions.defaults().withTimeout(LONG);
    }
}
