package io.verbena.messaging.protocol;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Tags of abandoned collective operations, which wrap around after 31 bits. */
class AbandonedCollectivesTest {

    private final AbandonedCollectives abandoned = new AbandonedCollectives();

    @Test
    void none_containsNoTag() {
        assertFalse(abandoned.contains(0));
        assertFalse(abandoned.contains(7));
    }

    @Test
    void one_containsItAndEarlierOnes() {
        abandoned.add(7);
        assertTrue(abandoned.contains(7));
        assertTrue(abandoned.contains(6));
        assertFalse(abandoned.contains(8));
        abandoned.add(5);
        assertTrue(abandoned.contains(7));
        abandoned.add(8);
        assertTrue(abandoned.contains(8));
    }

    @Test
    void lastTag_isBeforeTheFirst() {
        abandoned.add(Integer.MAX_VALUE);
        assertTrue(abandoned.contains(Integer.MAX_VALUE));
        assertFalse(abandoned.contains(0));
        abandoned.add(0);
        assertTrue(abandoned.contains(0));
        assertTrue(abandoned.contains(Integer.MAX_VALUE));
        assertFalse(abandoned.contains(1));
    }
}
