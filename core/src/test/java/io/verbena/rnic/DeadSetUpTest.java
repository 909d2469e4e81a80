package io.verbena.rnic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.MemoryStream;
import io.verbena.rnic.iwarp.IwarpConnectTest;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Notification;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Set-ups that fail after the application has accepted: a program that waits at the completion queue is notified at
 * once.
 */
class DeadSetUpTest {

    private final ManualWorld world = new ManualWorld();
    private final Pair pair = new Pair(world);

    @AfterEach
    void close() {
        world.close();
    }

    /** When the peer disappears. */
    private enum Moment {
        BEFORE_ACCEPT,
        AFTER_ACCEPT,
        AFTER_REPLY
    }

    private MemoryStream request(Listener listener) throws IOException {
        MemoryStream peer = world.network.dial(listener.localAddress());
        byte[] frame = new byte[20];
        byte[] key = "MPA ID Req Frame".getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(key, 0, frame, 0, key.length);
        frame[17] = 1;
        peer.write(IwarpConnectTest.direct(frame));
        return peer;
    }

    private void reset(MemoryStream peer) {
        peer.close(true);
        world.settle();
    }

    @ParameterizedTest
    @EnumSource(Moment.class)
    void peerResets_receivesAreFlushedAtOnce(Moment moment) throws IOException {
        try (Listener listener = pair.b.rnic.listen(world.address())) {
            MemoryStream peer = request(listener);
            pair.b.queuePair.postReceive(1, pair.b.memory, 0, 8);
            ConnectionRequest request = listener.nextRequest(Pair.SECOND).orElseThrow();
            if (moment == Moment.BEFORE_ACCEPT) {
                reset(peer);
            }
            Connection connection = request.startAccept(pair.b.queuePair, ConnectionOptions.defaults());
            if (moment == Moment.AFTER_REPLY) {
                world.settle();
            }
            long acceptedNs = world.nowNs;
            reset(peer);
            assertEquals(acceptedNs, world.nowNs, "no time passes");
            assertEquals(List.of("1 FLUSHED"), pair.b.polled());
            assertEquals(ConnectionState.FAILED, connection.state());
            assertEquals(IwarpQueuePairState.ERROR, pair.b.queuePair.state());
            pair.b.queuePair.postReceive(2, pair.b.memory, 0, 8);
            world.settle();
            assertEquals(List.of("2 FLUSHED"), pair.b.polled(), "work posted too late is flushed as well");
            pair.b.queuePair.modify(QueuePairChange.to(IwarpQueuePairState.IDLE));
        }
        pair.b.queuePair.postReceive(3, pair.b.memory, 0, 8);
        pair.connect();
        pair.a.queuePair.postSend(4, pair.a.memory, 0, 8, WrFlags.UNSIGNALLED);
        world.settle();
        assertEquals(List.of("3 SUCCESS"), pair.b.polled());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void manyEngines_failedSetUp_isFlushedOnTheEngineOfTheQueuePair(int engines) throws IOException {
        SoftRnic rnic = world.rnic(RnicOptions.defaults().withEngines(engines));
        for (int i = 0; i < 2 * engines; i++) {
            Pair.Side side = new Pair.Side(rnic, 64, options -> options);
            try (Listener listener = rnic.listen(world.address())) {
                MemoryStream peer = request(listener);
                side.queuePair.postReceive(i, side.memory, 0, 8);
                ConnectionRequest request = listener.nextRequest(Pair.SECOND).orElseThrow();
                reset(peer);
                request.startAccept(side.queuePair, ConnectionOptions.defaults());
                world.settle();
                assertEquals(List.of(i + " FLUSHED"), side.polled());
                assertTrue(side.queuePair.state().failed());
            }
        }
    }

    @Test
    void acceptedSetUpFails_theFlushedWorkIsReportedAtTheCompletionQueue() throws IOException {
        AtomicInteger events = new AtomicInteger();
        pair.b.cq.onReady(events::incrementAndGet);
        try (Listener listener = pair.b.rnic.listen(world.address())) {
            MemoryStream peer = request(listener);
            pair.b.queuePair.postReceive(1, pair.b.memory, 0, 8);
            pair.b.cq.requestNotification(Notification.NEXT);
            listener.nextRequest(Pair.SECOND).orElseThrow().startAccept(pair.b.queuePair, ConnectionOptions.defaults());
            reset(peer);
            assertEquals(1, events.get());
            assertEquals(List.of("1 FLUSHED"), pair.b.polled());
        }
    }

    /** The request is on the engine of its listener, and the engine of the queue pair does not know it yet. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void acceptedOnAnotherEngine_closedBeforeTheEngineOfTheQueuePairHasTheStream_streamIsClosed(boolean aborted)
            throws IOException {
        SoftRnic rnic = world.rnic(RnicOptions.defaults().withEngines(2));
        Pair.Side first = new Pair.Side(rnic, 64, options -> options);
        Pair.Side second = new Pair.Side(rnic, 64, options -> options);
        for (Pair.Side side : List.of(first, second)) {
            try (Listener listener = rnic.listen(world.address())) {
                MemoryStream peer = request(listener);
                ConnectionRequest request = listener.nextRequest(Pair.SECOND).orElseThrow();
                Connection connection = request.startAccept(side.queuePair, ConnectionOptions.defaults());
                if (aborted) {
                    side.queuePair
                            .endpoint()
                            .command(() -> side.queuePair
                                    .endpoint()
                                    .abort((SoftConnection) connection, "The test aborts the connection."));
                } else {
                    connection.disconnect();
                }
                side.queuePair.engine().turn(world.nowNs);
                if (((SoftListener) listener).engine() != side.queuePair.engine()) {
                    assertEquals(ConnectionState.FAILED, connection.state(), "at once");
                }
                world.settle();
                assertEquals(ConnectionState.FAILED, connection.state());
                assertTrue(peer.in().ended(), "the stream is closed");
                assertEquals(0, rnic.engine(0).members() + rnic.engine(1).members());
            }
        }
    }
}
