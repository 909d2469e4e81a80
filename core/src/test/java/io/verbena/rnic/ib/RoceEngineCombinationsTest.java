package io.verbena.rnic.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rnic.ManualWorld;
import io.verbena.rnic.Pair;
import io.verbena.rnic.SoftQueuePair;
import io.verbena.rnic.SoftRnic;
import io.verbena.rnic.completion.Notified;
import io.verbena.verbs.AddressHandle;
import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionGroup;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.HandlerProcessor;
import io.verbena.verbs.InfinibandQueuePairState;
import io.verbena.verbs.Listener;
import io.verbena.verbs.PathAttributes;
import io.verbena.verbs.PathMigration;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.Spread;
import io.verbena.verbs.TransportService;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * RNICs with three engines: what one engine does with the packet port for a queue pair of another. One engine owns the port, and
 * connection management, multicast groups and steering of frames with it.
 */
class RoceEngineCombinationsTest {

    private static final RnicOptions THREE = RnicOptions.defaults().withEngines(3);
    private static final AddressHandleAttributes B =
            AddressHandleAttributes.to(ManualWorld.roceAddress(2).getAddress());
    private static final InetAddress GROUP = InetAddress.ofLiteral("239.1.2.3");
    private static final int QKEY = 0x0111_1111;
    private static final int FRAME_BYTES = 40;
    private static final int UDP = 17;

    private final ManualWorld world = ManualWorld.roce();
    private final SoftRnic a = world.rnic(THREE);
    private final SoftRnic b = world.rnic(THREE);

    @AfterEach
    void close() {
        world.close();
    }

    /** As many sides as engines, one on each. */
    private static List<Pair.Side> onEveryEngine(SoftRnic rnic, TransportService service) {
        List<Pair.Side> sides = new ArrayList<>();
        Set<Integer> engines = new TreeSet<>();
        for (int i = 0; i < 3; i++) {
            sides.add(new Pair.Side(rnic, 64, it -> it.withService(service)));
            engines.add(sides.getLast().queuePair.engine().index());
        }
        assertEquals(Set.of(0, 1, 2), engines);
        return sides;
    }

    private static void start(QueuePair queuePair) {
        queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.INIT));
        queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.RTR)
                .withPath(PathAttributes.to(B).withPartition(0, QKEY)));
        queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.RTS));
    }

    private void send(Pair.Side from, AddressHandle to, int number, int length) {
        assertTrue(from.queuePair.post(from.queuePair
                .newWorkRequest()
                .send()
                .gather(from.memory, 0, length)
                .to(to, number, QKEY)
                .id(7)));
        world.settle();
        assertEquals(List.of("7 SUCCESS"), from.polled());
    }

    private void exchange(Pair.Side near, Pair.Side far) {
        far.queuePair.postReceive(1, far.memory, 0, 10_000);
        near.queuePair.postSend(2, near.memory, 0, 10_000, WrFlags.SIGNALLED);
        world.settle();
        assertEquals(List.of("2 SUCCESS"), near.polled());
        assertEquals(List.of("1 SUCCESS"), far.polled());
    }

    @Test
    void group_membersOnEveryEngine_eachReceivesEveryDatagram_untilItLeaves() throws IOException {
        List<Pair.Side> senders = onEveryEngine(a, TransportService.UNRELIABLE_DATAGRAM);
        List<Pair.Side> members = onEveryEngine(b, TransportService.UNRELIABLE_DATAGRAM);
        for (Pair.Side each : members) {
            start(each.queuePair);
            each.queuePair.joinGroup(GROUP);
            for (int i = 0; i < 4; i++) {
                each.queuePair.postReceive(i, each.memory, 0, 64);
            }
        }
        for (int i = 0; i < 3; i++) {
            Pair.Side sender = senders.get(i);
            start(sender.queuePair);
            send(sender, sender.domain.createAddressHandle(AddressHandleAttributes.to(GROUP)), 0xff_ffff, 8);
            for (Pair.Side each : members) {
                assertEquals(List.of(i + " SUCCESS"), each.polled());
            }
        }
        members.get(1).queuePair.leaveGroup(GROUP);
        members.get(2).queuePair.close();
        assertEquals(List.of("3 FLUSHED"), members.get(2).polled());
        Pair.Side sender = senders.getFirst();
        send(sender, sender.domain.createAddressHandle(AddressHandleAttributes.to(GROUP)), 0xff_ffff, 8);
        assertEquals(List.of("3 SUCCESS"), members.get(0).polled());
        assertEquals(List.of(), members.get(1).polled());
    }

    @Test
    void rawDatagrams_steeredToEveryEngine_arriveThere() throws Exception {
        List<Pair.Side> senders = onEveryEngine(a, TransportService.RAW_DATAGRAM);
        List<Pair.Side> receivers = onEveryEngine(b, TransportService.RAW_DATAGRAM);
        List<AutoCloseable> rules = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            start(senders.get(i).queuePair);
            start(receivers.get(i).queuePair);
            receivers.get(i).queuePair.postReceive(i, receivers.get(i).memory, 0, 2_048);
            rules.add(receivers.get(i).queuePair.steer(OptionalInt.of(UDP), Optional.of(target(i))));
        }
        for (int i = 0; i < 3; i++) {
            sendFrame(senders.get(i), target((i + 1) % 3));
        }
        for (int i = 0; i < 3; i++) {
            assertEquals(List.of(i + " SUCCESS"), receivers.get(i).polled());
        }
        rules.get(1).close();
        receivers.get(1).queuePair.postReceive(9, receivers.get(1).memory, 0, 2_048);
        world.settle();
        sendFrame(senders.get(0), target(1));
        assertEquals(List.of(), receivers.get(1).polled());
    }

    private static InetAddress target(int number) {
        return InetAddress.ofLiteral("2001:db8::" + (number + 1));
    }

    private void sendFrame(Pair.Side from, InetAddress to) {
        from.memory.segment().asSlice(0, FRAME_BYTES).fill((byte) 0);
        from.memory.segment().set(ValueLayout.JAVA_BYTE, 0, (byte) 0x60);
        from.memory.segment().set(ValueLayout.JAVA_BYTE, 6, (byte) UDP);
        for (int i = 0; i < 16; i++) {
            from.memory.segment().set(ValueLayout.JAVA_BYTE, 24 + i, to.getAddress()[i]);
        }
        send(from, from.domain.createAddressHandle(B), 0, FRAME_BYTES);
    }

    /** The proposal and its answer pass between the engines of the queue pairs and that of the port. */
    @Test
    void alternatePath_queuePairsOnEveryEngine_isAgreedAndUsed() throws IOException {
        List<Pair.Side> near = onEveryEngine(a, TransportService.RELIABLE_CONNECTION);
        List<Pair.Side> far = onEveryEngine(b, TransportService.RELIABLE_CONNECTION);
        AddressHandleAttributes second = B.withTrafficClass(0x20);
        for (int i = 0; i < 3; i++) {
            Pair.Side from = near.get(i);
            Pair.Side to = far.get((i + 1) % 3);
            Pair.connect(world, from, to);
            from.queuePair.connection().orElseThrow().proposeAlternatePath(second);
            world.settle();
            exchange(from, to);
            from.queuePair.modify(QueuePairChange.none()
                    .withPath(PathAttributes.to(B).withAlternate(second, PathMigration.MIGRATED)));
            world.settle();
            assertEquals(List.of(AsyncEventType.PATH_MIGRATED), ManualWorld.events(a));
            exchange(from, to);
            assertEquals(List.of(AsyncEventType.PATH_MIGRATED), ManualWorld.events(b));
            exchange(to, from);
        }
    }

    /** The processors of handlers determine the engines of queue pairs; a connection may use any of them on each side. */
    @Test
    void enginesChosenByTheProcessorsOfHandlers_connectionsOfAllPairs_exchange() throws IOException {
        RnicOptions bound = THREE.withEngineCores(List.of(Set.of(0), Set.of(1), Set.of(2)));
        SoftRnic left = world.rnic(bound);
        SoftRnic right = world.rnic(bound);
        CompletionGroup group = right.createCompletionGroup(
                64, Notified.NOTHING, List.of(boundTo(2), boundTo(0), boundTo(1)), Spread.ROUND_ROBIN);
        int[] expected = {2, 0, 1};
        for (int i = 0; i < 3; i++) {
            Pair.Side near = new Pair.Side(left, 64, options -> options);
            Pair.Side far = new Pair.Side(right, 64, options -> options);
            SoftQueuePair chosen = (SoftQueuePair) far.domain.createQueuePair(
                    QueuePairOptions.of(group.queues().get(i)));
            assertEquals(expected[i], chosen.engine().index());
            try (Listener listener = right.listen(world.address())) {
                Connection opening =
                        left.startConnect(near.queuePair, listener.localAddress(), ConnectionOptions.defaults());
                listener.nextRequest(Pair.SECOND).orElseThrow().accept(chosen);
                opening.awaitEstablished(Pair.SECOND);
            }
            chosen.postReceive(1, far.memory, 0, 64);
            near.queuePair.postSend(2, near.memory, 0, 64, WrFlags.SIGNALLED);
            world.settle();
            assertEquals(List.of("2 SUCCESS"), near.polled());
            CompletionCursor cursor = group.queues().get(i).cursor();
            assertTrue(cursor.next() && cursor.ok());
        }
    }

    private static HandlerProcessor boundTo(int core) {
        return new HandlerProcessor() {
            @Override
            public void signal(CqHandlerId handler, Runnable work) {
                work.run();
            }

            @Override
            public Set<Integer> cores() {
                return Set.of(core);
            }
        };
    }
}
