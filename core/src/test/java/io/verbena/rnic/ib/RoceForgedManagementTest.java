package io.verbena.rnic.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.port.Addresses;
import io.verbena.rnic.ManualWorld;
import io.verbena.rnic.Pair;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.InfinibandQueuePairState;
import io.verbena.verbs.WrFlags;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.Icrc;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Messages of connection management and requests that are forged or replayed on an established connection. A message has an effect
 * only if its source, both numbers of the connection and the state allow it; a replayed request is not executed again.
 */
class RoceForgedManagementTest {

    private static final int MAD = 12 + 8;
    private static final int ATTRIBUTE = MAD + 16;
    private static final int LOCAL_NUMBER = MAD + 24;
    private static final int REMOTE_NUMBER = LOCAL_NUMBER + 4;
    private static final int QUEUE_PAIR = REMOTE_NUMBER + 4;
    private static final int PACKET = MAD + 256 + Icrc.LENGTH;

    private static final InetSocketAddress PEER = ManualWorld.roceAddress(1);
    private static final InetSocketAddress TARGET = ManualWorld.roceAddress(2);
    private static final InetSocketAddress STRANGER =
            new InetSocketAddress(InetAddress.ofLiteral("10.0.0.99"), PEER.getPort());

    /** Messages, by the number of their attribute (InfiniBand architecture specification, volume 1, section 12.6). */
    enum Message {
        MRA(0x11),
        REJ(0x12),
        REP(0x13),
        RTU(0x14),
        DREQ(0x15),
        DREP(0x16),
        LAP(0x19),
        APR(0x1a);

        private final int attribute;

        Message(int attribute) {
            this.attribute = attribute;
        }
    }

    /** What is wrong with a message. */
    enum Flaw {
        FROM_A_STRANGER,
        NUMBER_OF_THE_PEER,
        NUMBER_OF_THIS_SIDE,
        QUEUE_PAIR_NUMBER,
        STATE
    }

    private final ManualWorld world = ManualWorld.roce();
    private final List<byte[]> seen = new ArrayList<>();

    @AfterEach
    void close() {
        world.close();
    }

    static Stream<Arguments> table() {
        return Stream.of(Message.values())
                .flatMap(message -> Stream.of(Flaw.values())
                        .filter(flaw -> wrong(message, flaw))
                        .map(flaw -> Arguments.of(message, flaw)));
    }

    /** A DREQ and a REJ of the peer with its numbers are right in this state, and only a DREQ has the number of the queue pair. */
    private static boolean wrong(Message message, Flaw flaw) {
        return switch (flaw) {
            case STATE -> message != Message.DREQ && message != Message.REJ;
            case QUEUE_PAIR_NUMBER -> message == Message.DREQ;
            default -> true;
        };
    }

    private void inject(InetSocketAddress from, byte[] packet) {
        Icrc.Flow flow = new Icrc.Flow()
                .source(Addresses.high(from.getAddress()), Addresses.low(from.getAddress()), from.getPort())
                .target(Addresses.high(TARGET.getAddress()), Addresses.low(TARGET.getAddress()), TARGET.getPort());
        int summed = packet.length - Icrc.LENGTH;
        Icrc.write(
                MemorySegment.ofArray(packet), summed, new Icrc().compute(ByteBuffer.wrap(packet), 0, summed, flow, 0));
        world.packets.inject(from, TARGET, packet);
        world.settle();
    }

    /** Connects, and returns the RTU of the side that connects: it has the numbers of both sides. */
    private byte[] connected(Pair pair) throws IOException {
        world.packets.tap = Optional.of(seen::add);
        pair.connect();
        world.packets.tap = Optional.empty();
        byte[] rtu = seen.stream()
                .filter(packet -> packet.length == PACKET && packet[ATTRIBUTE + 1] == Message.RTU.attribute)
                .findFirst()
                .orElseThrow();
        seen.clear();
        return rtu;
    }

    private void assertWorks(Pair pair) {
        assertEquals(InfinibandQueuePairState.RTS, pair.a.queuePair.state());
        assertEquals(InfinibandQueuePairState.RTS, pair.b.queuePair.state());
        assertEquals(ConnectionState.ESTABLISHED, pair.fromB.state());
        pair.a.queuePair.postWrite(1, pair.a.memory, 0, 8, pair.b.memory.remote(), 0, WrFlags.SIGNALLED);
        pair.b.queuePair.postWrite(2, pair.b.memory, 0, 8, pair.a.memory.remote(), 0, WrFlags.SIGNALLED);
        world.settle();
        assertEquals(List.of("1 SUCCESS"), pair.a.polled());
        assertEquals(List.of("2 SUCCESS"), pair.b.polled());
    }

    @ParameterizedTest
    @MethodSource("table")
    void established_forgedMessage_theConnectionContinues(Message message, Flaw flaw) throws IOException {
        Pair pair = new Pair(world);
        byte[] forged = connected(pair);
        forged[ATTRIBUTE + 1] = (byte) message.attribute;
        int number = pair.b.queuePair.number();
        if (message == Message.DREQ) {
            forged[QUEUE_PAIR] = (byte) (number >> 16);
            forged[QUEUE_PAIR + 1] = (byte) (number >> 8);
            forged[QUEUE_PAIR + 2] = (byte) number;
        }
        switch (flaw) {
            case FROM_A_STRANGER, STATE -> {}
            case NUMBER_OF_THE_PEER -> forged[LOCAL_NUMBER] ^= 1;
            case NUMBER_OF_THIS_SIDE -> forged[REMOTE_NUMBER + 3] ^= 1;
            case QUEUE_PAIR_NUMBER -> forged[QUEUE_PAIR + 2] ^= 1;
        }
        for (int i = 0; i < 20; i++) {
            inject(flaw == Flaw.FROM_A_STRANGER ? STRANGER : PEER, forged.clone());
        }
        world.advance(100_000_000);
        assertWorks(pair);
    }

    /** The same message without a flaw ends the connection, so the table does not pass because its messages are unusable. */
    @Test
    void established_disconnectRequestWithAllNumbers_endsTheConnection() throws IOException {
        Pair pair = new Pair(world);
        byte[] request = connected(pair);
        int number = pair.b.queuePair.number();
        request[ATTRIBUTE + 1] = (byte) Message.DREQ.attribute;
        request[QUEUE_PAIR] = (byte) (number >> 16);
        request[QUEUE_PAIR + 1] = (byte) (number >> 8);
        request[QUEUE_PAIR + 2] = (byte) number;
        inject(PEER, request);
        world.advance(100_000_000);
        assertTrue(pair.fromB.state().ended());
    }

    /** Atomics that were executed are replayed at once, after more of them than a responder remembers, and after 1,000 other requests. */
    @Test
    void replayedAtomics_areNotExecutedAgain() throws IOException {
        Pair pair = new Pair(world);
        connected(pair);
        MemorySegment counter = pair.b.memory.segment();
        world.packets.tap = Optional.of(packet -> {
            if (packet[0] == (byte) IbOpcode.RC_FETCH_ADD.value()) {
                seen.add(packet);
            }
        });
        for (int i = 1; i <= 40; i++) {
            add(pair, i);
            replay();
            assertEquals(i, counter.get(ValueLayout.JAVA_LONG, 0));
        }
        assertEquals(40, seen.size());
        for (int i = 0; i < 1_000; i++) {
            pair.a.queuePair.postWrite(i, pair.a.memory, 64, 8, pair.b.memory.remote(), 64, WrFlags.SIGNALLED);
            world.settle();
            pair.a.polled();
        }
        replay();
        assertEquals(40, counter.get(ValueLayout.JAVA_LONG, 0));
        add(pair, 41);
        assertEquals(41, counter.get(ValueLayout.JAVA_LONG, 0));
        assertWorks(pair);
    }

    private void add(Pair pair, int id) {
        pair.a.queuePair.postFetchAndAdd(
                id, pair.a.memory, 8, pair.b.memory.address(), pair.b.memory.rkey(), 1, WrFlags.SIGNALLED);
        world.settle();
        assertEquals(List.of(id + " SUCCESS"), pair.a.polled());
    }

    private void replay() {
        for (byte[] packet : seen) {
            inject(PEER, packet.clone());
        }
    }
}
