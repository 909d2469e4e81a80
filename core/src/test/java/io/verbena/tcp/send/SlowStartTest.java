package io.verbena.tcp.send;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** RFC 3465 and RFC 9406 section 4.2: byte counting in slow start, and its limits. */
class SlowStartTest {

    private static final int SEGMENT = 1460;

    private final SlowStart slowStart = new SlowStart();

    @Test
    void acknowledgment_withinTheLimit_countsAllBytes() {
        assertEquals(2 * SEGMENT, slowStart.growth(2 * SEGMENT, SEGMENT, false));
        assertEquals(1, slowStart.growth(1, SEGMENT, false));
    }

    @Test
    void acknowledgment_ofManySegments_countsEight() {
        assertEquals(8 * SEGMENT, slowStart.growth(100 * SEGMENT, SEGMENT, false));
    }

    @Test
    void acknowledgment_ofLargePackets_countsThatPacket() {
        slowStart.onPacket(44 * SEGMENT);
        slowStart.onPacket(SEGMENT);
        assertEquals(44 * SEGMENT, slowStart.growth(100 * SEGMENT, SEGMENT, false));
    }

    @Test
    void acknowledgment_afterTimeout_countsTwoSegments() {
        slowStart.onPacket(44 * SEGMENT);
        assertEquals(2 * SEGMENT, slowStart.growth(100 * SEGMENT, SEGMENT, true));
    }
}
