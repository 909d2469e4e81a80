package io.verbena.ib.request;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.ib.packet.EarlyPackets;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class SelectiveRepeatTest {

    /** Sent were 0xfffffe to 3; 0xfffffe is missing. */
    private static final int MISSING = 0xfffffe;

    private static final int END = 4;

    private final SelectiveRepeat repeat = new SelectiveRepeat();

    /** The peer reports that it has the packets with these distances after the missing one. */
    private void has(int... distances) {
        byte[] map = new byte[EarlyPackets.MAP_BYTES];
        for (int distance : distances) {
            map[distance - 1 >> 3] |= (byte) (1 << (distance - 1 & 7));
        }
        repeat.map(false, MISSING, MemorySegment.ofArray(map), 0);
    }

    @Test
    void map_acrossTheWrap_holesAreSentAgain() {
        has(2, 4);
        assertEquals(MISSING, repeat.repeatFrom(END));
        assertTrue(repeat.has(0));
        assertFalse(repeat.has(1));
        assertTrue(repeat.beforeHighest(1));
        assertFalse(repeat.beforeHighest(2));
    }

    @Test
    void mapWithPacketsThatWereNeverSent_whileRepeating_isDiscarded() {
        has(2, 4);
        repeat.repeatFrom(END);
        has(1, 2, 3, 4, 5, 6, 7, 8);
        assertEquals(SelectiveRepeat.NOTHING, repeat.repeatFrom(END));
        assertFalse(repeat.has(0));
        assertFalse(repeat.beforeHighest(0));
    }

    @Test
    void mapUpToTheLastPacket_isBelieved() {
        has(5);
        assertEquals(MISSING, repeat.repeatFrom(END));
        assertTrue(repeat.has(3));
    }
}
