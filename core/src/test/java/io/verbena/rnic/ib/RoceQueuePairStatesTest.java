package io.verbena.rnic.ib;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rnic.ManualWorld;
import io.verbena.rnic.Pair;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AddressHandle;
import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.InfinibandQueuePairState;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.PathAttributes;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.TransportService;
import io.verbena.verbs.WindowOptions;
import io.verbena.verbs.WrFlags;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the states of a queue pair that the application moves itself mean for its work and for the rights of its peer. */
class RoceQueuePairStatesTest {

    private static final AddressHandleAttributes A =
            AddressHandleAttributes.to(ManualWorld.roceAddress(1).getAddress());
    private static final AddressHandleAttributes B =
            AddressHandleAttributes.to(ManualWorld.roceAddress(2).getAddress());
    private static final int QKEY = 0x0111_1111;

    private final ManualWorld world = ManualWorld.roce();

    @AfterEach
    void close() {
        world.close();
    }

    private static QueuePairChange to(InfinibandQueuePairState state) {
        return QueuePairChange.to(state);
    }

    private Pair pair(TransportService service) {
        return new Pair(world, RnicOptions.defaults(), 64, it -> it.withService(service));
    }

    private static void start(QueuePair queuePair, QueuePair peer, AddressHandleAttributes where) {
        PathAttributes path = PathAttributes.to(where).withPartition(0, QKEY);
        queuePair.modify(to(InfinibandQueuePairState.INIT));
        queuePair.modify(to(InfinibandQueuePairState.RTR).withRemote(peer.number(), path));
        queuePair.modify(to(InfinibandQueuePairState.RTS));
    }

    private Pair started(TransportService service) {
        Pair pair = pair(service);
        start(pair.a.queuePair, pair.b.queuePair, B);
        start(pair.b.queuePair, pair.a.queuePair, A);
        return pair;
    }

    private static void write(Pair pair, long id) {
        pair.a.queuePair.postWrite(id, pair.a.memory, 0, 8, pair.b.memory.remote(), 0, WrFlags.SIGNALLED);
    }

    @ParameterizedTest
    @EnumSource(
            value = TransportService.class,
            names = {"RELIABLE_CONNECTION", "UNRELIABLE_CONNECTION"})
    void reset_rightsOfThePeer_areThoseOfANewQueuePair(TransportService service) {
        Pair pair = started(service);
        Set<AccessRight> all = pair.b.queuePair.query().remoteRights();
        pair.b.queuePair.modify(QueuePairChange.rights(Set.of()));
        assertEquals(Set.of(), pair.b.queuePair.query().remoteRights());
        for (Pair.Side each : List.of(pair.a, pair.b)) {
            each.queuePair.modify(to(InfinibandQueuePairState.RESET));
        }
        assertEquals(all, pair.b.queuePair.query().remoteRights());
        start(pair.a.queuePair, pair.b.queuePair, B);
        start(pair.b.queuePair, pair.a.queuePair, A);
        pair.a.memory.segment().fill((byte) 7);
        write(pair, 1);
        world.settle();
        assertEquals(List.of("1 SUCCESS"), pair.a.polled());
        assertEquals(7, pair.b.memory.segment().get(JAVA_BYTE, 0));
    }

    /** The limit that a move to RTR contains applies to the first packet that the queue pair executes. */
    @Test
    void readyToReceive_withRights_firstPacketIsLimited() {
        Pair pair = pair(TransportService.UNRELIABLE_CONNECTION);
        start(pair.a.queuePair, pair.b.queuePair, B);
        pair.b.queuePair.modify(to(InfinibandQueuePairState.INIT));
        pair.a.memory.segment().fill((byte) 7);
        List<byte[]> seen = new ArrayList<>();
        world.packets.tap = Optional.of(seen::add);
        write(pair, 1);
        world.settle();
        // The peer sends again while this side moves.
        world.packets.inject(ManualWorld.roceAddress(1), ManualWorld.roceAddress(2), seen.getFirst());
        pair.b.queuePair.modify(to(InfinibandQueuePairState.RTR)
                .withRemote(pair.a.queuePair.number(), PathAttributes.to(A))
                .withRemoteRights(Set.of()));
        world.settle();
        assertEquals(0, pair.b.memory.segment().get(JAVA_BYTE, 0));
    }

    /** When the call has returned, the peer has no right that it withdraws. */
    @Test
    void rights_areLimitedWhenTheCallReturns() {
        Pair pair = started(TransportService.UNRELIABLE_CONNECTION);
        pair.b.queuePair.modify(QueuePairChange.rights(Set.of()));
        assertFalse(pair.b.rnic.engine(0).hasWork(), "the engine has taken the limit");
    }

    @ParameterizedTest
    @EnumSource(
            value = TransportService.class,
            names = {"UNRELIABLE_CONNECTION", "UNRELIABLE_DATAGRAM"})
    void sendQueueError_workPostedLater_isFlushedAtOnce(TransportService service) {
        Pair pair = started(service);
        AddressHandle handle = pair.a.domain.createAddressHandle(B);
        post(pair, service, handle, 1, 1 << 19);
        post(pair, service, handle, 2, 8);
        world.settle();
        if (service == TransportService.UNRELIABLE_CONNECTION) {
            pair.a.queuePair.postRead(3, pair.a.memory, 0, 8, pair.b.memory.remote(), 0, WrFlags.SIGNALLED);
            world.settle();
        }
        pair.a.polled();
        assertEquals(InfinibandQueuePairState.SQE, pair.a.queuePair.state());
        post(pair, service, handle, 4, 8);
        world.settle();
        assertEquals(List.of("4 FLUSHED"), pair.a.polled());
        pair.a.queuePair.modify(to(InfinibandQueuePairState.RTS));
        post(pair, service, handle, 5, 8);
        world.settle();
        assertEquals(List.of("5 SUCCESS"), pair.a.polled());
    }

    private static void post(Pair pair, TransportService service, AddressHandle handle, long id, int length) {
        if (service == TransportService.UNRELIABLE_DATAGRAM) {
            assertTrue(pair.a.queuePair.post(pair.a
                    .queuePair
                    .newWorkRequest()
                    .send()
                    .gather(pair.a.memory, 0, length)
                    .to(handle, pair.b.queuePair.number(), QKEY)
                    .id(id)));
        } else {
            pair.a.queuePair.postSend(id, pair.a.memory, 0, length, WrFlags.SIGNALLED);
        }
    }

    /** A delay that ends while the send queue is drained: its work waits, and the engine does nothing. */
    @ParameterizedTest
    @EnumSource(
            value = TransportService.class,
            names = {"RELIABLE_CONNECTION", "UNRELIABLE_CONNECTION"})
    void drained_delayEnds_theEngineIsIdle(TransportService service) {
        Pair pair = started(service);
        assertTrue(pair.a.queuePair.post(
                pair.a.queuePair.newWorkRequest().delay(5_000_000).id(1)));
        world.settle();
        pair.a.queuePair.modify(to(InfinibandQueuePairState.SQD));
        world.advance(100_000_000);
        world.settle();
        assertEquals(List.of(), pair.a.polled());
        pair.a.queuePair.modify(to(InfinibandQueuePairState.RTS));
        world.settle();
        assertEquals(List.of("1 SUCCESS"), pair.a.polled());
    }

    /** Keys that were bound for the peer of a queue pair do not serve the next peer. */
    @Test
    void reset_withoutError_keysBoundForThePeerEnd() {
        Pair pair = started(TransportService.RELIABLE_CONNECTION);
        MemoryWindow window = pair.b.domain.allocateWindow();
        MemoryRegion region = pair.b.domain.allocate(64, AccessRight.LOCAL_WRITE, AccessRight.BIND);
        RemoteRegion bound = window.bindFor(pair.b.queuePair, region, 0, 64, AccessRight.REMOTE_WRITE);
        restart(pair);
        assertFalse(window.bound());
        pair.a.queuePair.postWrite(1, pair.a.memory, 0, 8, bound, 0, WrFlags.SIGNALLED);
        world.settle();
        assertEquals(List.of("1 REMOTE_ACCESS"), pair.a.polled());
    }

    private void restart(Pair pair) {
        pair.a.queuePair.modify(to(InfinibandQueuePairState.ERR));
        pair.a.polled();
        pair.a.queuePair.modify(to(InfinibandQueuePairState.RESET));
        pair.b.queuePair.modify(to(InfinibandQueuePairState.RESET));
        start(pair.a.queuePair, pair.b.queuePair, B);
        start(pair.b.queuePair, pair.a.queuePair, A);
    }

    /** A Write that has not ended uses no receive, so that nothing prevents RESET. Its key was for this message only. */
    @ParameterizedTest
    @EnumSource(
            value = TransportService.class,
            names = {"RELIABLE_CONNECTION", "UNRELIABLE_CONNECTION"})
    void reset_duringAWrite_itsOneShotKeyEnds(TransportService service) {
        Pair pair = started(service);
        MemoryRegion region = pair.b.domain.allocate(4_096, AccessRight.LOCAL_WRITE, AccessRight.BIND);
        MemoryWindow window = pair.b.domain.allocateWindow(
                WindowOptions.defaults().withScope(WindowOptions.Scope.DOMAIN).withOneShot(true));
        RemoteRegion once = window.bind(region, 0, 4_096, AccessRight.REMOTE_WRITE);
        world.packets.holds = packet -> (packet[0] & 0x1f) == 0x08; // the last packet of a Write
        pair.a.queuePair.postWrite(1, pair.a.memory, 0, 2_000, once, 0, WrFlags.SIGNALLED);
        world.settle();
        restart(pair);
        assertFalse(window.bound());
    }

    /** The limit applies to the memory that a repeated request would be answered from. */
    @Test
    void readRepeated_afterTheRightWasWithdrawn_isRefused() {
        Pair pair = started(TransportService.RELIABLE_CONNECTION);
        List<byte[]> seen = new ArrayList<>();
        world.packets.tap = Optional.of(seen::add);
        pair.a.queuePair.postRead(1, pair.a.memory, 0, 8, pair.b.memory.remote(), 0, WrFlags.SIGNALLED);
        world.settle();
        byte[] request = seen.getFirst();
        pair.b.queuePair.modify(QueuePairChange.rights(Set.of(AccessRight.REMOTE_WRITE)));
        seen.clear();
        world.packets.inject(ManualWorld.roceAddress(1), ManualWorld.roceAddress(2), request);
        world.settle();
        assertEquals(
                List.of(0x11), seen.stream().map(packet -> packet[0] & 0xff).toList(), "an acknowledgement only");
    }
}
