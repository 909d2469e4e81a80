package io.verbena.rnic.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rnic.ManualWorld;
import io.verbena.rnic.Pair;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.InfinibandQueuePairState;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.Listener;
import io.verbena.verbs.PathAttributes;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.TransportService;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Queue pairs that the application moves itself, after it has exchanged addresses by other means. */
class RoceModifyTest {

    private static final AddressHandleAttributes A =
            AddressHandleAttributes.to(ManualWorld.roceAddress(1).getAddress());
    private static final AddressHandleAttributes B =
            AddressHandleAttributes.to(ManualWorld.roceAddress(2).getAddress());

    private final ManualWorld world = ManualWorld.roce();

    @AfterEach
    void close() {
        world.close();
    }

    private static QueuePairChange to(InfinibandQueuePairState state) {
        return QueuePairChange.to(state);
    }

    private static List<AsyncEventType> events(Pair.Side side) {
        return side.rnic.pollAsyncEvents(Duration.ZERO).stream()
                .map(AsyncEvent::type)
                .toList();
    }

    private static void toReceive(QueuePair queuePair, QueuePair peer, PathAttributes path) {
        queuePair.modify(to(InfinibandQueuePairState.INIT));
        queuePair.modify(to(InfinibandQueuePairState.RTR).withRemote(peer.number(), path));
    }

    /** Two queue pairs of a service, in RTS. */
    private Pair byHand(TransportService service) {
        Pair pair = new Pair(world, RnicOptions.defaults(), 64, it -> it.withService(service));
        toReceive(pair.a.queuePair, pair.b.queuePair, PathAttributes.to(B).withSequences(100, 900));
        toReceive(pair.b.queuePair, pair.a.queuePair, PathAttributes.to(A).withSequences(900, 100));
        pair.a.queuePair.modify(to(InfinibandQueuePairState.RTS));
        pair.b.queuePair.modify(to(InfinibandQueuePairState.RTS));
        return pair;
    }

    @ParameterizedTest
    @EnumSource(
            value = TransportService.class,
            names = {"RELIABLE_CONNECTION", "UNRELIABLE_CONNECTION"})
    void byHand_sendAndWrite_arrive(TransportService service) {
        Pair pair = byHand(service);
        assertEquals(InfinibandQueuePairState.RTS, pair.a.queuePair.state());
        assertEquals(pair.b.queuePair.number(), pair.a.queuePair.query().remoteNumber());
        assertEquals(100, pair.a.queuePair.query().path().orElseThrow().sendSequence());
        pair.a.fill(5);
        pair.b.queuePair.postReceive(1, pair.b.memory, 0, 5_000);
        pair.a.queuePair.postSend(2, pair.a.memory, 0, 5_000, WrFlags.SIGNALLED);
        pair.a.queuePair.postWrite(3, pair.a.memory, 5_000, 5_000, pair.b.memory.remote(), 5_000, WrFlags.SIGNALLED);
        world.settle();
        assertEquals(List.of("2 SUCCESS", "3 SUCCESS"), pair.a.polled());
        assertEquals(List.of("1 SUCCESS"), pair.b.polled());
        assertEquals(
                -1,
                pair.a
                        .memory
                        .segment()
                        .asSlice(0, 10_000)
                        .mismatch(pair.b.memory.segment().asSlice(0, 10_000)));
        assertTrue(pair.a.queuePair.connection().isEmpty());
    }

    @Test
    void eachState_isShown_andAttributesAreRequired() {
        Pair pair = new Pair(world);
        QueuePair queuePair = pair.a.queuePair;
        assertEquals(InfinibandQueuePairState.RESET, queuePair.state());
        assertThrows(IllegalStateException.class, () -> queuePair.modify(to(InfinibandQueuePairState.RTS)));
        assertThrows(
                IllegalStateException.class,
                () -> queuePair.modify(to(InfinibandQueuePairState.RTR).withRemote(2, PathAttributes.to(B))));
        assertThrows(IllegalStateException.class, () -> queuePair.modify(to(InfinibandQueuePairState.SQE)));
        assertThrows(
                IllegalArgumentException.class, () -> queuePair.modify(QueuePairChange.to(IwarpQueuePairState.RTS)));
        queuePair.modify(to(InfinibandQueuePairState.INIT));
        assertEquals(InfinibandQueuePairState.INIT, queuePair.state());
        assertThrows(IllegalArgumentException.class, () -> queuePair.modify(to(InfinibandQueuePairState.RTR)));
        List<PathAttributes> wrong = List.of(
                PathAttributes.to(B).withMtuBytes(4096),
                PathAttributes.to(B).withMtuBytes(1000),
                PathAttributes.to(B).withSequences(1 << 24, 0),
                PathAttributes.to(B).withPartition(1, 0),
                PathAttributes.to(AddressHandleAttributes.to(7, 0, 1)));
        for (PathAttributes path : wrong) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> queuePair.modify(to(InfinibandQueuePairState.RTR).withRemote(2, path)),
                    path.toString());
        }
        queuePair.modify(to(InfinibandQueuePairState.RTR).withRemote(2, PathAttributes.to(B)));
        assertEquals(InfinibandQueuePairState.RTR, queuePair.state());
        assertThrows(IllegalStateException.class, () -> queuePair.postSend(1, pair.a.memory, 0, 8, WrFlags.SIGNALLED));
        assertThrows(
                IllegalStateException.class,
                () -> pair.a.rnic.startConnect(queuePair, ManualWorld.roceAddress(2), ConnectionOptions.defaults()));
        queuePair.modify(to(InfinibandQueuePairState.RTS));
        queuePair.modify(to(InfinibandQueuePairState.SQD));
        assertEquals(InfinibandQueuePairState.SQD, queuePair.state());
        assertEquals(List.of(AsyncEventType.SEND_QUEUE_DRAINED), events(pair.a));
        queuePair.modify(to(InfinibandQueuePairState.ERR));
        assertEquals(InfinibandQueuePairState.ERR, queuePair.state());
        assertThrows(IllegalStateException.class, () -> queuePair.modify(to(InfinibandQueuePairState.INIT)));
        queuePair.modify(to(InfinibandQueuePairState.RESET));
        assertEquals(InfinibandQueuePairState.RESET, queuePair.state());
        assertEquals(0, queuePair.query().remoteNumber());
    }

    @Test
    void readyToReceive_firstPacket_isReported() {
        Pair pair = new Pair(world);
        toReceive(pair.a.queuePair, pair.b.queuePair, PathAttributes.to(B));
        toReceive(pair.b.queuePair, pair.a.queuePair, PathAttributes.to(A));
        pair.a.queuePair.modify(to(InfinibandQueuePairState.RTS));
        pair.b.queuePair.postReceive(1, pair.b.memory, 0, 8);
        pair.a.queuePair.postSend(2, pair.a.memory, 0, 8, WrFlags.SIGNALLED);
        world.settle();
        assertEquals(List.of("2 SUCCESS"), pair.a.polled());
        assertEquals(List.of(AsyncEventType.COMMUNICATION_ESTABLISHED), events(pair.b));
    }

    @Test
    void sendQueueDrained_workWaits_untilItContinues() {
        Pair pair = byHand(TransportService.RELIABLE_CONNECTION);
        pair.a.queuePair.modify(to(InfinibandQueuePairState.SQD));
        pair.a.queuePair.postWrite(1, pair.a.memory, 0, 8, pair.b.memory.remote(), 0, WrFlags.SIGNALLED);
        world.settle();
        assertEquals(List.of(), pair.a.polled());
        pair.a.queuePair.modify(to(InfinibandQueuePairState.RTS));
        world.settle();
        assertEquals(List.of("1 SUCCESS"), pair.a.polled());
    }

    @Test
    void rightsOfThePeer_canBeLimited() {
        Pair pair = byHand(TransportService.RELIABLE_CONNECTION);
        pair.b.queuePair.modify(QueuePairChange.rights(Set.of(AccessRight.REMOTE_READ)));
        pair.a.queuePair.postWrite(1, pair.a.memory, 0, 8, pair.b.memory.remote(), 0, WrFlags.SIGNALLED);
        world.settle();
        assertEquals(List.of("1 REMOTE_INVALID_REQUEST"), pair.a.polled());
        assertEquals(Set.of(AccessRight.REMOTE_READ), pair.b.queuePair.query().remoteRights());
    }

    @Test
    void rightsOfThePeer_areInEffectWhenModifyReturns() {
        Pair pair = byHand(TransportService.RELIABLE_CONNECTION);
        world.settle();
        pair.b.queuePair.modify(QueuePairChange.rights(Set.of()));
        assertFalse(pair.b.queuePair.engine().hasWork(), "the engine has not taken the rights yet");
    }

    @Test
    void errorAndReset_queuePairServesAnotherPeer() throws IOException {
        Pair pair = byHand(TransportService.RELIABLE_CONNECTION);
        pair.a.queuePair.postReceive(1, pair.a.memory, 0, 8);
        assertThrows(IllegalStateException.class, () -> pair.a.queuePair.modify(to(InfinibandQueuePairState.RESET)));
        for (Pair.Side side : List.of(pair.a, pair.b)) {
            side.queuePair.modify(to(InfinibandQueuePairState.ERR));
            side.polled();
            side.queuePair.modify(to(InfinibandQueuePairState.RESET));
        }
        pair.connect();
        pair.b.queuePair.postReceive(1, pair.b.memory, 0, 8);
        pair.a.queuePair.postSend(2, pair.a.memory, 0, 8, WrFlags.SIGNALLED);
        world.settle();
        assertEquals(List.of("2 SUCCESS"), pair.a.polled());
        assertThrows(IllegalStateException.class, () -> pair.a.queuePair.modify(to(InfinibandQueuePairState.RESET)));
    }

    @Test
    void acceptWithAnotherService_isRefusedAndTheRequestRemains() throws IOException {
        Pair pair = new Pair(world);
        QueuePair unreliable = pair.b.domain.createQueuePair(
                QueuePairOptions.of(pair.b.cq).withService(TransportService.UNRELIABLE_CONNECTION));
        try (Listener listener = pair.b.rnic.listen(world.address())) {
            Connection connection =
                    pair.a.rnic.startConnect(pair.a.queuePair, listener.localAddress(), ConnectionOptions.defaults());
            ConnectionRequest request = listener.nextRequest(Pair.SECOND).orElseThrow();
            assertThrows(
                    IllegalArgumentException.class,
                    () -> request.startAccept(unreliable, ConnectionOptions.defaults()));
            request.accept(pair.b.queuePair);
            connection.awaitEstablished(Pair.SECOND);
        }
    }

    @Test
    void unreliableConnection_viaConnectionManagement_works() throws IOException {
        Pair pair = new Pair(
                        world, RnicOptions.defaults(), 64, it -> it.withService(TransportService.UNRELIABLE_CONNECTION))
                .connect();
        pair.b.queuePair.postReceive(1, pair.b.memory, 0, 3_000);
        pair.a.queuePair.postSend(2, pair.a.memory, 0, 3_000, WrFlags.SIGNALLED);
        world.settle();
        assertEquals(List.of("1 SUCCESS"), pair.b.polled());
        pair.a.queuePair.postRead(3, pair.a.memory, 0, 8, pair.b.memory.remote(), 0, WrFlags.SIGNALLED);
        world.settle();
        assertEquals(InfinibandQueuePairState.SQE, pair.a.queuePair.state());
        assertEquals(List.of("2 SUCCESS", "3 LOCAL_OPERATION"), pair.a.polled());
        pair.a.queuePair.modify(to(InfinibandQueuePairState.RTS));
        pair.b.queuePair.postReceive(4, pair.b.memory, 0, 8);
        pair.a.queuePair.postSend(5, pair.a.memory, 0, 8, WrFlags.SIGNALLED);
        world.settle();
        assertEquals(List.of("5 SUCCESS"), pair.a.polled());
        pair.fromA.close();
        world.settle();
    }
}
