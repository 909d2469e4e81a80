package io.verbena.sockets.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A peer writes what no peer may write. It loses its own stream. */
class HostileWordsTest {

    private static final int RING = 8192;

    private final RingPair pair = new RingPair(RING);
    private final RingEnd victim = pair.client;

    private int read() {
        return victim.read(ByteBuffer.allocate(2 * RING));
    }

    @ValueSource(longs = {-1, RING + 1, Integer.MAX_VALUE, Long.MAX_VALUE, Long.MIN_VALUE})
    @ParameterizedTest
    void writtenThatIsTooMuch_endsTheStream(long written) {
        pair.set(false, RingLayout.WRITTEN, written);
        assertEquals(RingEnd.RESET, read());
        assertTrue(victim.readable());
        assertTrue(victim.writable());
        assertNotEquals("", victim.reason());
    }

    @Test
    void writtenThatShrinks_endsTheStream() {
        pair.set(false, RingLayout.WRITTEN, 10);
        assertEquals(10, victim.available());
        pair.set(false, RingLayout.WRITTEN, 9);
        assertEquals(0, victim.available());
        assertTrue(victim.lost());
    }

    @ValueSource(longs = {-1, RING + 1, Long.MAX_VALUE, Long.MIN_VALUE})
    @ParameterizedTest
    void readThatWasNotWritten_endsTheStream(long read) {
        victim.write(RingPair.bytes(0, RING));
        pair.set(false, RingLayout.READ, read);
        assertTrue(victim.writable());
        assertTrue(victim.lost());
        assertNotEquals("", victim.reason());
    }

    @Test
    void endingThatIsNoneOrIsTakenBack_endsTheStream() {
        pair.set(false, RingLayout.ENDING, 99);
        assertTrue(victim.readable());
        assertTrue(victim.lost());
        RingPair other = new RingPair(RING);
        other.set(false, RingLayout.ENDING, RingLayout.SHUT);
        assertTrue(other.client.readable());
        other.set(false, RingLayout.ENDING, RingLayout.OPEN);
        assertTrue(other.client.readable());
        assertTrue(other.client.lost());
    }

    /** Every word that the peer can write, with values around those that have a meaning. */
    @Test
    void anyWord_neitherThrowsNorReadsBeyondTheRing() {
        long[] values = {-1, 0, 1, 2, 3, 4, 4095, 4096, 4097, RING, RING + 1, Long.MAX_VALUE, Long.MIN_VALUE};
        for (int at = 0; at < RingLayout.GROWN + 16 * Long.BYTES; at += Long.BYTES) {
            for (long value : values) {
                RingPair fresh = new RingPair(RING);
                fresh.client.write(RingPair.bytes(0, RING));
                fresh.server.write(RingPair.bytes(0, 5000));
                fresh.set(false, at, value);
                fresh.set(true, at, value); // also what only this side writes
                for (int i = 0; i < 4; i++) {
                    fresh.client.read(ByteBuffer.allocate(3000));
                    fresh.client.write(RingPair.bytes(0, 3000));
                }
                fresh.client.takeReader();
                fresh.client.takeWriter();
                fresh.client.onPeerGone();
                assertFalse(fresh.client.available() > RING);
                fresh.client.close(false);
            }
        }
    }
}
