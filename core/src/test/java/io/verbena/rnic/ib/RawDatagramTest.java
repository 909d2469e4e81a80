package io.verbena.rnic.ib;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Seeds;
import io.verbena.port.Addresses;
import io.verbena.rnic.ManualWorld;
import io.verbena.rnic.Pair;
import io.verbena.verbs.AddressHandle;
import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.InfinibandQueuePairState;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.PathAttributes;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.TransportService;
import io.verbena.wire.ib.Icrc;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Raw datagrams through the verbs: IPv6 frames between queue pairs, steered by next header and destination. */
class RawDatagramTest {

    private static final AddressHandleAttributes B =
            AddressHandleAttributes.to(ManualWorld.roceAddress(2).getAddress());
    private static final InetAddress HERE = InetAddress.ofLiteral("2001:db8::1");
    private static final InetAddress THERE = InetAddress.ofLiteral("2001:db8::2");
    private static final int HEADER_BYTES = 40;
    private static final int TCP = 6;
    private static final int UDP = 17;

    private final ManualWorld world = ManualWorld.roce();
    private final Pair pair =
            new Pair(world, RnicOptions.defaults(), 64, it -> it.withService(TransportService.RAW_DATAGRAM));
    private final QueuePair sender = started(pair.a.queuePair);
    private final QueuePair receiver = started(pair.b.queuePair);
    private final AddressHandle to = pair.a.domain.createAddressHandle(B);

    @AfterEach
    void close() {
        world.close();
    }

    private static QueuePair started(QueuePair queuePair) {
        queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.INIT));
        queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.RTR).withPath(PathAttributes.to(B)));
        queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.RTS));
        return queuePair;
    }

    /** Writes an IPv6 frame into the memory of the sender, and sends it. */
    private void send(int nextHeader, InetAddress destination, int payload) {
        MemorySegment frame = pair.a.memory.segment();
        frame.asSlice(0, HEADER_BYTES).fill((byte) 0);
        frame.set(JAVA_BYTE, 0, (byte) 0x60);
        frame.set(JAVA_BYTE, 4, (byte) (payload >> 8));
        frame.set(JAVA_BYTE, 5, (byte) payload);
        frame.set(JAVA_BYTE, 6, (byte) nextHeader);
        byte[] address = destination.getAddress();
        MemorySegment.copy(address, 0, frame, JAVA_BYTE, HEADER_BYTES - address.length, address.length);
        post(HEADER_BYTES + payload);
    }

    private void post(int length) {
        assertTrue(sender.post(sender.newWorkRequest()
                .send()
                .gather(pair.a.memory, 0, length)
                .to(to, 0, 0)
                .id(7)));
        world.settle();
    }

    private void receive(long id) {
        assertTrue(receiver.postReceive(id, pair.b.memory, id * 2_048, 2_048));
    }

    @Test
    void frame_arrivesUnchanged() {
        receiver.steer(OptionalInt.of(UDP), Optional.of(THERE));
        pair.a.fill(9);
        receive(1);
        send(UDP, THERE, 900);
        assertEquals(List.of("7 SUCCESS"), pair.a.polled());
        assertTrue(pair.b.cursor.next());
        assertEquals(940, pair.b.cursor.byteCount());
        MemoryRegion at = pair.b.memory;
        assertEquals(
                -1,
                at.segment()
                        .asSlice(2_048, 940)
                        .mismatch(pair.a.memory.segment().asSlice(0, 940)));
    }

    /** A sender that names the queue pair does not get around its rules. */
    @Test
    void frameForTheNumberOfTheQueuePair_isDropped() {
        receiver.steer(OptionalInt.of(UDP), Optional.of(THERE));
        List<byte[]> seen = new ArrayList<>();
        world.packets.tap = Optional.of(seen::add);
        receive(1);
        receive(2);
        send(TCP, THERE, 8);
        byte[] frame = seen.getFirst();
        int number = receiver.number();
        frame[5] = (byte) (number >> 16);
        frame[6] = (byte) (number >> 8);
        frame[7] = (byte) number;
        world.packets.inject(ManualWorld.roceAddress(1), ManualWorld.roceAddress(2), signed(frame));
        world.settle();
        assertEquals(List.of(), pair.b.polled());
        send(UDP, THERE, 8);
        assertEquals(List.of("1 SUCCESS"), pair.b.polled());
    }

    private static byte[] signed(byte[] packet) {
        InetSocketAddress from = ManualWorld.roceAddress(1);
        InetSocketAddress at = ManualWorld.roceAddress(2);
        Icrc.Flow flow = new Icrc.Flow()
                .source(Addresses.high(from.getAddress()), Addresses.low(from.getAddress()), from.getPort())
                .target(Addresses.high(at.getAddress()), Addresses.low(at.getAddress()), at.getPort());
        int summed = packet.length - Icrc.LENGTH;
        int sum = new Icrc().compute(ByteBuffer.wrap(packet), 0, summed, flow, 0);
        Icrc.write(MemorySegment.ofArray(packet), summed, sum);
        return packet;
    }

    @Test
    void rules_chooseTheQueuePair_untilTheyAreClosed() throws Exception {
        Pair.Side other = new Pair.Side(pair.b.rnic, 16, it -> it.withService(TransportService.RAW_DATAGRAM));
        QueuePair second = started(other.queuePair);
        AutoCloseable tcp = receiver.steer(OptionalInt.of(TCP), Optional.empty());
        second.steer(OptionalInt.empty(), Optional.of(HERE));
        for (int i = 0; i < 4; i++) {
            receive(i);
            second.postReceive(10 + i, other.memory, 0, 2_048);
        }
        send(TCP, THERE, 8);
        send(UDP, THERE, 8); // no rule
        send(UDP, HERE, 8);
        send(TCP, HERE, 8); // the first rule that matches
        assertEquals(List.of("0 SUCCESS", "1 SUCCESS"), pair.b.polled());
        assertEquals(List.of("10 SUCCESS"), other.polled());
        tcp.close();
        world.settle();
        send(TCP, THERE, 8);
        send(TCP, HERE, 8);
        assertEquals(List.of(), pair.b.polled());
        assertEquals(List.of("11 SUCCESS"), other.polled());
        second.close();
        send(TCP, HERE, 8);
        assertEquals(List.of("12 FLUSHED", "13 FLUSHED"), other.polled());
    }

    @Test
    void frameThatIsNotIpv6OrHasNoReceive_isDropped() {
        receiver.steer(OptionalInt.empty(), Optional.empty());
        send(UDP, THERE, 8);
        receive(1);
        pair.a.memory.segment().set(JAVA_BYTE, 0, (byte) 0x45);
        post(60);
        assertEquals(List.of(), pair.b.polled());
        assertEquals(InfinibandQueuePairState.RTS, receiver.state());
        post(39);
        assertEquals(List.of("7 SUCCESS", "7 SUCCESS", "7 LOCAL_LENGTH"), pair.a.polled());
        assertEquals(InfinibandQueuePairState.SQE, sender.state());
    }

    @Tag(Seeds.TAG)
    @Test
    void randomFrames_areSteeredOrDropped() {
        receiver.steer(OptionalInt.of(UDP), Optional.empty());
        long seed = Seeds.one(1);
        SplittableRandom random = new SplittableRandom(seed);
        boolean posted = false;
        for (int i = 0; i < 500; i++) {
            for (int k = 0; k < 60; k++) {
                pair.a.memory.segment().set(JAVA_BYTE, k, (byte) random.nextInt());
            }
            pair.a.memory.segment().set(JAVA_BYTE, 6, (byte) (random.nextInt(3) == 0 ? TCP : UDP));
            pair.a.memory.segment().set(JAVA_BYTE, 0, (byte) (random.nextBoolean() ? 0x60 : random.nextInt()));
            boolean steered = (pair.a.memory.segment().get(JAVA_BYTE, 0) >> 4 & 15) == 6
                    && pair.a.memory.segment().get(JAVA_BYTE, 6) == UDP;
            if (!posted) {
                receive(1);
            }
            post(40 + random.nextInt(20));
            pair.a.polled();
            assertEquals(steered ? 1 : 0, pair.b.polled().size(), "seed " + seed);
            posted = !steered;
        }
    }

    @Test
    void steer_ofAnotherServiceOrWithAWrongHeader_isRejected() {
        assertThrows(
                UnsupportedOperationException.class,
                () -> pair.fresh(pair.a).steer(OptionalInt.empty(), Optional.empty()));
        assertThrows(IllegalArgumentException.class, () -> receiver.steer(OptionalInt.of(256), Optional.empty()));
    }
}
