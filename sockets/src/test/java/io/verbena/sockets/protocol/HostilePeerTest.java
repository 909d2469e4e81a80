package io.verbena.sockets.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Peers that violate the protocol: the stream is lost with a reason, and nothing else happens. */
class HostilePeerTest {

    private final EnginePair pair = EnginePair.connected();
    private final StreamEngine victim = pair.server.engine;

    private void message(int type, int value) {
        victim.onMessage(StreamMessage.of(type, value));
    }

    private void assertLost(String reason) {
        assertEquals(StreamState.LOST, victim.state());
        assertEquals(reason, victim.reason());
        assertFalse(victim.nextWork(new StreamWork(pair.server.open.getFirst())), "nothing is sent to such a peer");
    }

    /** The first target has 32 bytes, and nothing was announced but it. */
    @ParameterizedTest
    @ValueSource(ints = {33, 64, 1 << 20, (1 << 29) - 1})
    void data_beyondTheTarget_losesTheStream(int bytes) {
        message(StreamMessage.DATA, bytes);
        assertLost("The peer sent " + bytes + " bytes without a target or a credit for them.");
        assertEquals(0, victim.available());
    }

    @Test
    void data_beforeItsTargetWasAnnounced_losesTheStream() {
        message(StreamMessage.DATA, 32);
        message(StreamMessage.DATA, 1);
        assertLost("The peer sent 1 bytes without a target or a credit for them.");
    }

    @Test
    void data_withoutACredit_losesTheStream() {
        for (int i = 0; i < EnginePair.SMALL.credits(); i++) {
            message(StreamMessage.DATA, 1);
        }
        message(StreamMessage.DATA, 1);
        assertLost("The peer sent 1 bytes without a target or a credit for them.");
    }

    @Test
    void data_afterTheEnd_losesTheStream() {
        message(StreamMessage.CONTROL, StreamMessage.SHUTDOWN);
        message(StreamMessage.DATA, 1);
        assertLost("The peer sent data after the end of its stream.");
    }

    @ParameterizedTest
    @CsvSource({"2, 5", "3, 0", "6, 0"})
    void unknownType_losesTheStream(int type, int value) {
        message(type, value);
        assertLost("The peer sent a message that was not agreed on: "
                + StreamMessage.describe(StreamMessage.of(type, value)) + ".");
    }

    /** Whatever it states, it gets one buffer of the agreed size at most. */
    @ParameterizedTest
    @ValueSource(ints = {2000, 1 << 20, (1 << 29) - 1})
    void rest_ofAnySize_andAgain_getsOneBuffer(int bytes) {
        int before = pair.server.open.size();
        for (int i = 0; i < 4; i++) {
            message(StreamMessage.REST, bytes);
        }
        assertEquals(before + 1, pair.server.open.size());
        assertEquals(
                EnginePair.SMALL.mostBytes(), pair.server.open.getLast().bytes().capacity());
        message(StreamMessage.DATA, 33);
        assertLost("The peer sent 33 bytes without a target or a credit for them.");
    }

    @Test
    void rest_afterTheEnd_orOfNothing_changesNothing() {
        long before = victim.stateDigest();
        message(StreamMessage.REST, 0);
        message(StreamMessage.REST, 64);
        assertEquals(before, victim.stateDigest());
        message(StreamMessage.CONTROL, StreamMessage.SHUTDOWN);
        message(StreamMessage.REST, 1000);
        assertEquals(StreamState.INPUT_ENDED, victim.state());
        assertEquals(3, pair.server.open.size());
    }

    @Test
    void rest_thatWasNotAgreed_losesTheStream() {
        EnginePair other = new EnginePair(EnginePair.SMALL, EnginePair.SMALL).connectWithoutExtensions(0);
        other.server.engine.onMessage(StreamMessage.of(StreamMessage.REST, 1));
        assertEquals(StreamState.LOST, other.server.engine.state());
        assertEquals("The peer sent a message that was not agreed on: REST 1.", other.server.engine.reason());
    }

    @Test
    void unknownControl_losesTheStream() {
        message(StreamMessage.CONTROL, 3);
        assertLost("The peer sent the unknown control message 3.");
    }

    @Test
    void endTwice_andAgainAfterDisconnect_changesNothing() {
        message(StreamMessage.CONTROL, StreamMessage.SHUTDOWN);
        message(StreamMessage.CONTROL, StreamMessage.SHUTDOWN);
        assertEquals(StreamState.INPUT_ENDED, victim.state());
        message(StreamMessage.CONTROL, StreamMessage.DISCONNECT);
        message(StreamMessage.CONTROL, StreamMessage.SHUTDOWN);
        message(StreamMessage.CONTROL, StreamMessage.DISCONNECT);
        assertEquals(StreamState.PEER_GONE, victim.state());
    }

    /** An entry that is used up at neither index is not taken, whatever the table says. */
    @Test
    void table_overwrittenWhileATargetIsInUse_changesNothing() {
        pair.settle();
        ByteBuffer table = pair.server.open.getFirst().bytes();
        for (int i = 0; i < table.capacity(); i++) {
            table.put(i, (byte) 0x7f);
        }
        long before = victim.stateDigest();
        message(StreamMessage.CREDITS, EnginePair.SMALL.credits());
        assertEquals(before, victim.stateDigest());
    }

    @Test
    void version_notOne_isRefused() {
        for (int version : new int[] {0, 2, 255}) {
            byte[] request = pair.client.engine.request();
            request[0] = (byte) version;
            assertFalse(new EnginePair(EnginePair.SMALL, EnginePair.SMALL)
                    .server.engine.onConnected(EnginePair.data(request)));
        }
    }

    /** Old ones set no flag for a map, and the flag of the byte order changes only how targets are written. */
    @ParameterizedTest
    @ValueSource(ints = {0, ConnectData.HAS_MAP, 0xfc, 0xfe})
    void librdmacm_ofAnyAge_isServed(int flags) {
        EnginePair other = new EnginePair(settings(true), settings(true)).connectWithoutExtensions(flags);
        assertFalse(other.server.engine.immediate());
        for (int i = 0; i < 50; i++) {
            assertEquals(20, EnginePair.write(other.client, "twenty bytes, always"));
            other.settle();
            assertEquals("twenty bytes, always", EnginePair.read(other.server));
        }
    }

    /** A peer that names the other byte order than its own reads targets that it was not given; the stream ends with its connection. */
    @Test
    void wrongByteOrder_peerReadsOtherTargets_andIsLostWithTheConnection() {
        EnginePair other = new EnginePair(settings(false), settings(false))
                .connectWithoutExtensions(ConnectData.HAS_MAP | ConnectData.BIG_ENDIAN);
        other.server.post();
        EnginePair.Sent target = other.server.underWay.stream()
                .filter(sent -> sent.payload().length == TargetEntry.LENGTH)
                .findFirst()
                .orElseThrow();
        ByteBuffer entry = ByteBuffer.wrap(target.payload());
        long address = entry.order(ByteOrder.BIG_ENDIAN).getLong(0);
        assertTrue(other.server.open.stream().anyMatch(memory -> memory.contains(address, 1)), "as it was asked for");
        long misread = entry.order(ByteOrder.LITTLE_ENDIAN).getLong(0);
        assertTrue(other.server.open.stream().noneMatch(memory -> memory.contains(misread, 1)));
        other.server.engine.onConnectionEnded("The peer wrote outside of the memory that it was offered.");
        assertEquals(StreamState.LOST, other.server.engine.state());
    }

    @Test
    void table_ofFewerThanTwoEntries_isRefused() {
        byte[] request = pair.client.engine.request();
        request[23] = 1;
        assertFalse(
                new EnginePair(EnginePair.SMALL, EnginePair.SMALL).server.engine.onConnected(EnginePair.data(request)));
    }

    /** An extension counts only if both sides named it, whatever the reply says. */
    @ParameterizedTest
    @CsvSource({"true, true, true", "true, false, false", "false, true, false", "false, false, false"})
    void immediateData_areUsedIfBothOfferThem(boolean client, boolean server, boolean agreed) {
        EnginePair other = new EnginePair(settings(client), settings(server)).connect();
        assertEquals(agreed, other.client.engine.immediate());
        assertEquals(agreed, other.server.engine.immediate());
        byte[] reply = other.server.engine.reply();
        reply[4] = (byte) 0xff;
        EnginePair fooled = new EnginePair(settings(client), settings(server));
        assertTrue(fooled.client.engine.onConnected(EnginePair.data(reply)));
        assertEquals(client, fooled.client.engine.immediate());
    }

    private static StreamSettings settings(boolean immediate) {
        return new StreamSettings(4, 20, 64, 64, immediate, false);
    }

    /** Random messages and a table of random bytes: no exception, and no work beyond what the peer may see. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void anyMessages_neverThrow_andBufferNoMoreThanWasOffered(long seed) {
        Random random = new Random(seed);
        for (int run = 0; run < 500; run++) {
            EnginePair any = EnginePair.connected();
            StreamEngine engine = any.server.engine;
            engine.peerReachable();
            for (int i = 0; i < 40; i++) {
                random.nextBytes(any.server.open.getFirst().bytes().array());
                engine.onMessage(
                        random.nextBoolean()
                                ? random.nextInt()
                                : StreamMessage.of(random.nextInt(8), random.nextInt(40)));
                if (random.nextInt(4) == 0) {
                    int bytes = random.nextInt(80);
                    engine.onShort(ByteBuffer.allocate(bytes), 0, bytes);
                }
                engine.write(ByteBuffer.allocate(random.nextInt(40)));
                placeOrNot(engine, random);
                engine.read(ByteBuffer.allocate(random.nextInt(40)));
                any.server.post();
                any.server.underWay.removeIf(sent -> {
                    if (sent.id() >= 0) {
                        engine.onWorkDone(sent.id());
                    }
                    return true;
                });
                assertTrue(engine.available() <= engine.receiveBufferBytes());
            }
            engine.close();
        }
    }

    /** Whatever the peer offers, a piece is not larger than its write, and one of several waits for its message. */
    private static void placeOrNot(StreamEngine engine, Random random) {
        int most = random.nextInt(100_000);
        int piece = engine.placeable(most);
        assertTrue(piece <= most);
        if (piece > 0 && random.nextBoolean()) {
            engine.placed(piece);
            assertEquals(0, engine.placeable(most));
        } else if (piece > 0) {
            engine.notPlaced();
        }
    }
}
