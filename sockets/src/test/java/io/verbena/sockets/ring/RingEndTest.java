package io.verbena.sockets.ring;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RingEndTest {

    private static final int RING = 64 * 1024;

    private final RingPair pair = new RingPair(RING);
    private final RingEnd client = pair.client;
    private final RingEnd server = pair.server;

    private static int read(RingEnd from, int most) {
        return from.read(ByteBuffer.allocate(most));
    }

    @Test
    void bytes_arriveInOrder_inPiecesOfAllSizes() {
        long sent = 0;
        long got = 0;
        for (int i = 0; i < 4000; i++) {
            int length = i * 7919 % 9000;
            sent += client.write(RingPair.bytes(sent, length));
            ByteBuffer target = ByteBuffer.allocate(1 + i * 6007 % 9000);
            int bytes = server.read(target);
            assertArrayEquals(
                    RingPair.bytes(got, bytes).array(), java.util.Arrays.copyOf(target.array(), bytes), "after " + got);
            got += bytes;
        }
        assertEquals(sent, got + server.available());
        assertTrue(sent > 10_000_000, "sent " + sent);
    }

    @Test
    void window_doublesForBytesThatHaveNoSpace_upToTheRing() {
        assertEquals(4096, client.outputBytes());
        assertEquals(RING, client.write(RingPair.bytes(0, RING + 1)));
        assertEquals(RING, client.outputBytes());
        assertFalse(client.writable());
        ByteBuffer target = ByteBuffer.allocate(RING);
        assertEquals(RING, server.read(target));
        assertArrayEquals(RingPair.bytes(0, RING).array(), target.array());
        assertEquals(RING, server.inputBytes());
        assertTrue(client.writable());
    }

    @Test
    void window_remainsAPage_whileItIsReadInTime() {
        long sent = 0;
        for (int i = 0; i < 1000; i++) {
            sent += client.write(RingPair.bytes(sent, 100));
            assertEquals(100, read(server, 200));
        }
        assertEquals(4096, client.outputBytes());
        assertEquals(4096, server.inputBytes());
    }

    @Test
    void reader_isWokenOnce() {
        server.forBytes().announce(RingSleep.BY_BYTE);
        assertFalse(server.readable());
        client.write(RingPair.bytes(0, 1));
        assertEquals(RingSleep.BY_BYTE, client.takeReader());
        assertEquals(0, client.takeReader());
        assertFalse(server.forBytes().announced(RingSleep.BY_BYTE));
    }

    @Test
    void writer_isWoken_whenHalfIsFree() {
        client.write(RingPair.bytes(0, RING));
        client.forSpace().announce(RingSleep.BY_BYTE);
        assertFalse(client.writable());
        read(server, 100);
        assertEquals(0, server.takeWriter());
        read(server, RING / 2);
        assertEquals(RingSleep.BY_BYTE, server.takeWriter());
        assertTrue(client.writable());
    }

    @Test
    void endOfOutput_followsTheBytes() {
        client.write(RingPair.bytes(0, 3));
        client.shutdownOutput();
        assertTrue(server.readable());
        assertEquals(3, read(server, 10));
        assertEquals(RingEnd.END, read(server, 10));
        assertEquals(2, server.write(RingPair.bytes(0, 2)));
        assertEquals(2, read(client, 10));
        assertEquals(0, client.write(RingPair.bytes(0, 1)));
        assertEquals(RingState.OUTPUT_SHUT, client.state());
    }

    @Test
    void close_withNothingUnread_isAnEnd() {
        client.write(RingPair.bytes(0, 3));
        client.close(false);
        assertEquals(3, read(server, 10));
        assertEquals(RingEnd.END, read(server, 10));
        assertEquals(RingState.PEER_GONE, server.state());
        assertTrue(server.writable());
        assertEquals(0, server.write(RingPair.bytes(0, 1)));
    }

    @Test
    void close_withUnreadBytes_isAReset_afterWhatWasWritten() {
        server.write(RingPair.bytes(0, 1));
        client.write(RingPair.bytes(0, 3));
        client.close(false);
        assertEquals(3, read(server, 10));
        assertEquals(RingEnd.RESET, read(server, 10));
    }

    @Test
    void reset_isOne() {
        client.close(true);
        assertEquals(RingEnd.RESET, read(server, 10));
        assertTrue(server.lost());
        assertEquals("", server.reason());
    }

    @ValueSource(booleans = {false, true})
    @ParameterizedTest
    void deathOfThePeer_isAReset_ifItHasNotReadAll(boolean unread) {
        client.write(RingPair.bytes(0, 3));
        server.write(RingPair.bytes(0, 2));
        if (!unread) {
            read(client, 10);
        }
        server.onPeerGone();
        assertEquals(3, read(server, 10));
        assertEquals(unread ? RingEnd.RESET : RingEnd.END, read(server, 10));
    }

    @Test
    void deathOfThePeer_afterItHasClosed_changesNothing() {
        server.write(RingPair.bytes(0, 2));
        read(client, 10);
        client.close(false);
        server.onPeerGone();
        assertEquals(RingState.PEER_GONE, server.state());
    }

    @Test
    void deafReader_neverStopsTheWriter() {
        client.write(RingPair.bytes(0, RING));
        assertFalse(client.writable());
        client.forSpace().announce(RingSleep.BY_BYTE);
        server.shutdownInput();
        assertEquals(RingSleep.BY_BYTE, server.takeWriter());
        assertTrue(client.writable());
        assertEquals(3 * RING, client.write(RingPair.bytes(0, 3 * RING)));
        assertEquals(RingEnd.END, read(server, 10));
        server.close(false);
        assertEquals(0, client.write(RingPair.bytes(0, 1)));
        assertEquals(RingState.PEER_GONE, client.state());
    }

    @Test
    void bothDirections_endByThemselves() {
        client.shutdownOutput();
        server.shutdownOutput();
        for (RingEnd end : List.of(client, server)) {
            assertEquals(RingEnd.END, read(end, 1));
            assertEquals(RingState.ENDED, end.state());
        }
    }
}
