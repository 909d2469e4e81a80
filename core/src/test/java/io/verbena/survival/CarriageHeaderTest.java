package io.verbena.survival;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class CarriageHeaderTest {

    private static final byte[] OFFER = {9, 8, 7};
    private static final byte[] DATA = {1, 2};

    @Test
    void offerAndRest_areWhatWasPutTogether() {
        byte[] both = CarriageHeader.before(OFFER, DATA);
        assertArrayEquals(OFFER, CarriageHeader.offer(both).orElseThrow());
        assertArrayEquals(DATA, CarriageHeader.rest(both));
        assertTrue(CarriageHeader.isMarked(both));
        assertArrayEquals(new byte[0], CarriageHeader.rest(CarriageHeader.before(OFFER, new byte[0])));
        assertArrayEquals(
                new byte[0],
                CarriageHeader.offer(CarriageHeader.before(new byte[0], DATA)).orElseThrow());
    }

    @Test
    void withoutAnOffer_everythingIsTheRest() {
        assertTrue(CarriageHeader.offer(DATA).isEmpty());
        assertArrayEquals(DATA, CarriageHeader.rest(DATA));
        assertFalse(CarriageHeader.isMarked(DATA));
        assertFalse(CarriageHeader.isMarked(new byte[16]));
    }

    @Test
    void cutOffOrOfAnotherVersion_isNoOffer() {
        byte[] both = CarriageHeader.before(OFFER, new byte[0]);
        for (int length = 0; length < both.length; length++) {
            byte[] part = Arrays.copyOf(both, length);
            assertTrue(CarriageHeader.offer(part).isEmpty());
            assertArrayEquals(part, CarriageHeader.rest(part));
        }
        both[4]++;
        assertTrue(CarriageHeader.offer(both).isEmpty());
        assertTrue(CarriageHeader.isMarked(both));
    }

    @Test
    void describe_showsTheFields() {
        CarriageHeader header = new CarriageHeader().wrap(MemorySegment.ofArray(CarriageHeader.before(OFFER, DATA)), 0);
        assertEquals("version=1 length=3", header.describe(new StringBuilder()).toString());
    }
}
