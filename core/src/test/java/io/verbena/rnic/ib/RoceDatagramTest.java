package io.verbena.rnic.ib;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rnic.ManualWorld;
import io.verbena.rnic.Pair;
import io.verbena.verbs.AddressHandle;
import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionException.Kind;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.DatagramPeer;
import io.verbena.verbs.InfinibandQueuePairState;
import io.verbena.verbs.ListenOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.PathAttributes;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.TransportService;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Unreliable datagrams over the InfiniBand transport: address handles, look-ups, multicast groups. */
class RoceDatagramTest {

    private static final AddressHandleAttributes B =
            AddressHandleAttributes.to(ManualWorld.roceAddress(2).getAddress());
    private static final int QKEY = 0x0111_1111;
    private static final int GLOBAL_HEADER_BYTES = 40;
    private static final InetAddress GROUP = InetAddress.ofLiteral("239.1.2.3");

    private final ManualWorld world = ManualWorld.roce();
    private final Pair pair =
            new Pair(world, RnicOptions.defaults(), 64, it -> it.withService(TransportService.UNRELIABLE_DATAGRAM));

    @AfterEach
    void close() {
        world.close();
    }

    private static void start(QueuePair queuePair, int qkey) {
        PathAttributes path = PathAttributes.to(B).withPartition(0, qkey);
        queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.INIT));
        queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.RTR).withPath(path));
        queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.RTS));
    }

    private void send(AddressHandle to, int number, int qkey, int length) {
        assertTrue(pair.a.queuePair.post(pair.a
                .queuePair
                .newWorkRequest()
                .send()
                .gather(pair.a.memory, 0, length)
                .to(to, number, qkey)
                .id(7)));
    }

    @Test
    void datagram_arrivesWithItsGlobalHeader() {
        start(pair.a.queuePair, QKEY);
        start(pair.b.queuePair, QKEY);
        pair.a.fill(3);
        pair.b.queuePair.postReceive(1, pair.b.memory, 0, 1_064);
        send(pair.a.domain.createAddressHandle(B), pair.b.queuePair.number(), QKEY, 1_024);
        world.settle();
        assertEquals(List.of("7 SUCCESS"), pair.a.polled());
        assertTrue(pair.b.cursor.next());
        assertEquals(1_064, pair.b.cursor.byteCount());
        assertTrue(pair.b.cursor.hasGlobalHeader());
        assertEquals(pair.a.queuePair.number(), pair.b.cursor.sourceQueuePairNumber());
        assertEquals(
                -1,
                pair.b
                        .memory
                        .segment()
                        .asSlice(GLOBAL_HEADER_BYTES, 1_024)
                        .mismatch(pair.a.memory.segment().asSlice(0, 1_024)));
    }

    @Test
    void datagram_wrongKeyOrNoReceive_isDropped() {
        start(pair.a.queuePair, QKEY);
        start(pair.b.queuePair, QKEY);
        AddressHandle handle = pair.a.domain.createAddressHandle(B);
        send(handle, pair.b.queuePair.number(), QKEY, 8);
        world.settle();
        pair.b.queuePair.postReceive(1, pair.b.memory, 0, 64);
        send(handle, pair.b.queuePair.number(), QKEY + 1, 8);
        world.settle();
        assertEquals(List.of("7 SUCCESS", "7 SUCCESS"), pair.a.polled());
        assertEquals(List.of(), pair.b.polled());
        assertEquals(InfinibandQueuePairState.RTS, pair.b.queuePair.state());
    }

    @Test
    void datagram_longerThanTheMtu_stopsTheSendQueueUntilItIsMovedToRts() {
        start(pair.a.queuePair, QKEY);
        start(pair.b.queuePair, QKEY);
        AddressHandle handle = pair.a.domain.createAddressHandle(B);
        send(handle, pair.b.queuePair.number(), QKEY, 1_025);
        world.settle();
        assertEquals(List.of("7 LOCAL_LENGTH"), pair.a.polled());
        assertEquals(InfinibandQueuePairState.SQE, pair.a.queuePair.state());
        pair.a.queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.RTS));
        pair.b.queuePair.postReceive(1, pair.b.memory, 0, 64);
        send(handle, pair.b.queuePair.number(), QKEY, 8);
        world.settle();
        assertEquals(List.of("1 SUCCESS"), pair.b.polled());
    }

    @Test
    void write_asADatagram_isExecutedIfBothSidesEnableIt() {
        RnicOptions enabled = RnicOptions.defaults().withInfiniband(it -> it.withDatagramWrites(true));
        for (boolean there : new boolean[] {true, false}) {
            UnaryOperator<QueuePairOptions> datagrams = it -> it.withService(TransportService.UNRELIABLE_DATAGRAM);
            Pair.Side from = new Pair.Side(world.rnic(enabled), 16, datagrams);
            int number = world.environments.size() + 1;
            Pair.Side to = new Pair.Side(world.rnic(there ? enabled : RnicOptions.defaults()), 16, datagrams);
            start(from.queuePair, QKEY);
            start(to.queuePair, QKEY);
            from.fill(5);
            AddressHandle handle = from.domain.createAddressHandle(
                    AddressHandleAttributes.to(ManualWorld.roceAddress(number).getAddress()));
            for (int key : new int[] {to.memory.rkey() + 1, to.memory.rkey()}) {
                assertEquals(0, to.memory.segment().get(JAVA_BYTE, 100));
                assertTrue(from.queuePair.post(from.queuePair
                        .newWorkRequest()
                        .write(to.memory.address() + 100, key)
                        .gather(from.memory, 0, 1_024)
                        .to(handle, to.queuePair.number(), QKEY)
                        .id(9)));
                world.settle();
            }
            assertEquals(List.of("9 SUCCESS", "9 SUCCESS"), from.polled());
            assertEquals(
                    there,
                    to.memory
                                    .segment()
                                    .asSlice(100, 1_024)
                                    .mismatch(from.memory.segment().asSlice(0, 1_024))
                            == -1);
        }
    }

    @Test
    void attributesOfDatagrams_areRequired() {
        QueuePair queuePair = pair.a.queuePair;
        assertThrows(
                IllegalArgumentException.class,
                () -> pair.a.domain.createAddressHandle(AddressHandleAttributes.to(5, 0, 1)));
        assertThrows(
                IllegalArgumentException.class,
                () -> pair.a.rnic.startConnect(queuePair, ManualWorld.roceAddress(2), ConnectionOptions.defaults()));
        queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.INIT));
        assertThrows(
                IllegalArgumentException.class,
                () -> queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.RTR)));
    }

    // Look-ups.

    /** A look-up that the listening application answers while the caller waits. */
    private DatagramPeer lookUp(Listener listener, ConnectionOptions options, Consumer<ConnectionRequest> answer)
            throws IOException {
        world.beforeTimePasses = () -> {
            Optional<ConnectionRequest> request = listener.nextRequest(Duration.ZERO);
            request.ifPresent(answer);
            if (request.isPresent()) {
                world.settle();
            }
        };
        return pair.a.rnic.lookUp(listener.localAddress(), options);
    }

    @Test
    void lookUp_answered_givesTheQueuePairAndThePrivateData() throws IOException {
        QueuePair unprepared =
                new Pair.Side(pair.b.rnic, 4, it -> it.withService(TransportService.UNRELIABLE_DATAGRAM)).queuePair;
        start(pair.b.queuePair, QKEY);
        try (Listener listener = pair.b.rnic.listen(world.address())) {
            DatagramPeer found =
                    lookUp(listener, ConnectionOptions.defaults().withPrivateData(new byte[] {1, 2}), request -> {
                        assertTrue(request.forDatagrams());
                        assertArrayEquals(new byte[] {1, 2}, request.privateData());
                        assertThrows(
                                UnsupportedOperationException.class,
                                () -> request.startAccept(pair.b.queuePair, ConnectionOptions.defaults()));
                        assertThrows(
                                IllegalArgumentException.class,
                                () -> request.acceptDatagrams(pair.b.queuePair, QKEY + 1, new byte[0]));
                        assertThrows(
                                IllegalStateException.class,
                                () -> request.acceptDatagrams(unprepared, QKEY, new byte[0]));
                        request.acceptDatagrams(pair.b.queuePair, QKEY, new byte[] {9});
                        assertThrows(IllegalStateException.class, () -> request.reject(new byte[0]));
                    });
            assertEquals(pair.b.queuePair.number(), found.queuePairNumber());
            assertEquals(QKEY, found.qkey());
            assertArrayEquals(new byte[] {9}, found.privateData());
            start(pair.a.queuePair, QKEY);
            pair.b.queuePair.postReceive(1, pair.b.memory, 0, 64);
            send(pair.a.domain.createAddressHandle(found.address()), found.queuePairNumber(), found.qkey(), 8);
            world.settle();
            assertEquals(List.of("1 SUCCESS"), pair.b.polled());
        }
    }

    @Test
    void lookUp_rejectedOrNotAnswered_fails() throws IOException {
        ListenOptions options = ListenOptions.defaults();
        try (Listener listener = pair.b.rnic.listen(world.address(), options)) {
            ConnectionException rejected = assertThrows(
                    ConnectionException.class,
                    () -> lookUp(listener, ConnectionOptions.defaults(), request -> request.reject(new byte[] {4})));
            assertEquals(Kind.REJECTED, rejected.kind());
            assertArrayEquals(new byte[] {4}, rejected.privateData());
            world.beforeTimePasses = () -> {};
            ConnectionException late = assertThrows(
                    ConnectionException.class,
                    () -> pair.a.rnic.lookUp(
                            listener.localAddress(),
                            ConnectionOptions.defaults().withTimeout(Duration.ofMillis(10))));
            assertEquals(Kind.TIMED_OUT, late.kind());
        }
        ConnectionException nothing = assertThrows(
                ConnectionException.class,
                () -> pair.a.rnic.lookUp(
                        new InetSocketAddress(ManualWorld.roceAddress(2).getAddress(), 9),
                        ConnectionOptions.defaults()));
        assertEquals(Kind.REFUSED, nothing.kind());
    }

    @Test
    void connectionRequest_isNotForDatagrams() throws IOException {
        try (Listener listener = pair.b.rnic.listen(world.address())) {
            QueuePair reliable = pair.fresh(pair.a);
            pair.a.rnic.startConnect(reliable, listener.localAddress(), ConnectionOptions.defaults());
            ConnectionRequest request = listener.nextRequest(Pair.SECOND).orElseThrow();
            assertFalse(request.forDatagrams());
            assertThrows(
                    UnsupportedOperationException.class,
                    () -> request.acceptDatagrams(pair.b.queuePair, QKEY, new byte[0]));
        }
    }

    // Multicast groups.

    @Test
    void group_membersReceive_untilTheyLeave() throws IOException {
        start(pair.a.queuePair, QKEY);
        start(pair.b.queuePair, QKEY);
        AddressHandle group = pair.a.domain.createAddressHandle(AddressHandleAttributes.to(GROUP));
        pair.b.queuePair.postReceive(1, pair.b.memory, 0, 64);
        send(group, 0xff_ffff, QKEY, 8);
        world.settle();
        assertEquals(List.of(), pair.b.polled());
        pair.b.queuePair.joinGroup(GROUP);
        pair.b.queuePair.joinGroup(GROUP);
        send(group, 0xff_ffff, QKEY, 8);
        world.settle();
        assertEquals(List.of("1 SUCCESS"), pair.b.polled());
        pair.b.queuePair.leaveGroup(GROUP);
        pair.b.queuePair.postReceive(2, pair.b.memory, 0, 64);
        send(group, 0xff_ffff, QKEY, 8);
        world.settle();
        assertEquals(List.of(), pair.b.polled());
        pair.b.queuePair.joinGroup(GROUP);
        pair.b.queuePair.close();
        assertThrows(
                IOException.class, () -> pair.a.queuePair.joinGroup(B.address().orElseThrow()));
        assertThrows(
                UnsupportedOperationException.class, () -> pair.fresh(pair.a).joinGroup(GROUP));
    }
}
