package io.verbena.sockets.protocol;

import static io.verbena.sockets.protocol.EnginePair.read;
import static io.verbena.sockets.protocol.EnginePair.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Short data in one Send: when they are used, and what a peer can do with them. {@link EnginePair} checks that each
 * fits into its receive.
 */
class ShortMessagesTest {

    /** So large that the ends of a buffer cut few messages. */
    private static final int BUFFER = 1 << 18;

    private static final StreamSettings SETTINGS = new StreamSettings(16, 32, BUFFER, BUFFER, true, false);

    private final EnginePair pair = new EnginePair(SETTINGS, SETTINGS).connect();

    private static int exchange(EnginePair pair, int rounds, int bytes) {
        String text = "s".repeat(bytes);
        for (int i = 0; i < rounds; i++) {
            assertEquals(bytes, write(pair.client, text));
            pair.settle();
            assertEquals(text, read(pair.server));
        }
        return pair.server.shorts;
    }

    /** Before that they cost less memory as Writes. */
    private static final int ROUNDS_BEFORE = ShortMessages.SMALL_TO_PROVIDE + SETTINGS.receives();

    @Test
    void smallMessages_afterSome_areSends() {
        assertEquals(0, exchange(pair, ShortMessages.SMALL_TO_PROVIDE, 64));
        assertTrue(exchange(pair, SETTINGS.receives() + 10, 64) >= 10);
        assertEquals(0, pair.client.shorts, "the other direction is idle");
    }

    @ParameterizedTest
    @CsvSource({"1, true", "1024, true", "1025, false", "2000, false"})
    void message_isASendIfItIsShort(int bytes, boolean asSend) {
        exchange(pair, ROUNDS_BEFORE, 64);
        int before = pair.server.shorts;
        assertEquals(asSend ? 4 : 0, exchange(pair, 4, bytes) - before);
    }

    @Test
    void largeMessages_provideNothing() {
        assertEquals(0, exchange(pair, 200, 1500));
        assertEquals(0, exchange(pair, 1, 64));
    }

    @Test
    void peerWithoutTheExtension_getsWrites() {
        EnginePair old = new EnginePair(SETTINGS, SETTINGS);
        int known = ConnectData.IMMEDIATE | ConnectData.RESETS | ConnectData.RESTS;
        assertTrue(old.server.engine.onConnected(
                EnginePair.data(old.client.engine.request()).extensions(known)));
        assertTrue(old.client.engine.onConnected(EnginePair.data(old.server.engine.reply())));
        assertEquals(0, exchange(old, 200, 64));
    }

    @ParameterizedTest
    @CsvSource({"false, false", "false, true", "true, true"})
    void withoutImmediateData_orOverInfiniband_areWrites(boolean immediate, boolean infiniband) {
        StreamSettings other = new StreamSettings(16, 32, BUFFER, BUFFER, immediate, infiniband);
        assertEquals(0, exchange(new EnginePair(other, other).connect(), 200, 64));
    }

    @Test
    void noMemory_areWrites_untilThereIsSome() {
        pair.server.refusesShorts = true;
        assertEquals(0, exchange(pair, 200, 64));
        pair.server.refusesShorts = false;
        assertTrue(exchange(pair, ROUNDS_BEFORE + 10, 64) >= 10);
    }

    @Test
    void reset_afterSends_confirmsThemAll() {
        exchange(pair, ROUNDS_BEFORE, 64);
        write(pair.client, "the last one");
        pair.client.engine.reset();
        assertEquals(StreamState.CLOSING, pair.client.engine.state());
        pair.settle();
        assertEquals(StreamState.CLOSED, pair.client.engine.state());
        assertEquals("the last one", read(pair.server));
    }

    // Peers that violate the protocol.

    private void assertLost(String reason) {
        assertEquals(StreamState.LOST, pair.server.engine.state());
        assertEquals(reason, pair.server.engine.reason());
        assertFalse(pair.server.engine.nextWork(new StreamWork(pair.server.open.getFirst())));
    }

    private void send(int bytes) {
        pair.server.engine.onShort(ByteBuffer.allocate(bytes), 0, bytes);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4, 1024})
    void sendBeforeItWasProvidedFor_losesTheStream(int bytes) {
        send(bytes);
        assertLost("The peer sent " + bytes + " bytes in a Send, which was not agreed on.");
        assertEquals(0, pair.server.engine.available());
    }

    @Test
    void sends_beyondTheTargets_loseTheStream_andNoByteIsWritten() {
        exchange(pair, ROUNDS_BEFORE, 64);
        int left = BUFFER / 2
                - ROUNDS_BEFORE * 64; // both extents were announced; a Send that passes the end of one is refused
        pair.server.engine.onMessage(StreamMessage.of(StreamMessage.DATA, left - 1));
        send(2);
        assertLost("The peer sent 2 bytes without a target or a credit for them.");
        assertEquals(left - 1, pair.server.engine.available());
    }

    @Test
    void sends_withoutACredit_loseTheStream() {
        exchange(pair, ROUNDS_BEFORE, 64);
        for (int i = 0; i <= SETTINGS.credits(); i++) {
            assertTrue(i == 0 || pair.server.engine.available() == i || pair.server.engine.state() == StreamState.LOST);
            send(1);
        }
        assertLost("The peer sent 1 bytes without a target or a credit for them.");
    }

    @Test
    void send_afterTheEnd_losesTheStream_andAfterALoss_changesNothing() {
        exchange(pair, ROUNDS_BEFORE, 64);
        pair.server.engine.onMessage(StreamMessage.of(StreamMessage.CONTROL, StreamMessage.SHUTDOWN));
        send(1);
        assertLost("The peer sent data after the end of its stream.");
        send(1);
        assertLost("The peer sent data after the end of its stream.");
    }

    @Test
    void statementTwice_orNotAgreed_losesTheStream() {
        int message = StreamMessage.of(StreamMessage.SHORTS, 24);
        pair.server.engine.onMessage(message);
        assertEquals(StreamState.OPEN, pair.server.engine.state());
        pair.server.engine.onMessage(message);
        assertLost("The peer sent a message that was not agreed on: SHORTS 24.");
        EnginePair old = new EnginePair(SETTINGS, SETTINGS).connectWithoutExtensions(0);
        old.server.engine.onMessage(message);
        assertEquals("The peer sent a message that was not agreed on: SHORTS 24.", old.server.engine.reason());
    }

    /** It only delays what it gets itself. */
    @Test
    void statementOfAnyNumber_isCounted() {
        pair.client.refusesShorts = true;
        pair.server.engine.onMessage(StreamMessage.of(StreamMessage.SHORTS, (1 << 29) - 1));
        for (int i = 0; i < 100; i++) {
            write(pair.server, "to a strange peer");
            pair.settle();
            assertEquals("to a strange peer", read(pair.client));
        }
        assertEquals(0, pair.client.shorts);
    }
}
