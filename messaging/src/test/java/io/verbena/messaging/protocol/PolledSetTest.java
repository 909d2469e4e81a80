package io.verbena.messaging.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class PolledSetTest {

    private final PolledSet<Mark> set = new PolledSet<>(2, 100);
    private final Mark first = new Mark();
    private final Mark second = new Mark();
    private final Mark third = new Mark();

    private static final class Mark extends PolledSet.Member {}

    @Test
    void roomLeft_isAdmittedOnce() {
        assertTrue(set.admit(first, 0));
        assertTrue(first.polled());
        assertFalse(set.admit(first, 0));
        assertEquals(1, set.size());
        assertSame(first, set.get(0));
        assertTrue(set.admit(second, 0));
        assertFalse(set.admit(third, 0));
        assertFalse(third.polled());
        assertEquals(2, set.size());
    }

    @Test
    void full_idlestForLongEnough_isToLeave_oneAtATime() {
        set.admit(first, 0);
        assertEquals(Optional.empty(), set.replaceable(1000), "there is room");
        set.admit(second, 10);
        assertEquals(Optional.empty(), set.replaceable(99));
        first.busy(50);
        assertEquals(Optional.empty(), set.replaceable(109), "the second is idle since 10");
        assertSame(second, set.replaceable(110).orElseThrow());
        assertEquals(Optional.empty(), set.replaceable(10_000), "one is leaving");
        assertTrue(second.polled(), "until its peer announces");
        set.remove(second);
        assertFalse(second.polled());
        assertTrue(set.admit(third, 10_000));
        assertSame(first, set.replaceable(10_000).orElseThrow());
    }

    @Test
    void idleEquallyLong_whoCameFirstLeaves() {
        set.admit(first, 0);
        set.admit(second, 0);
        assertSame(first, set.replaceable(100).orElseThrow());
    }

    @Test
    void removed_thatWasNotLeaving_leavesTheOtherLeaving() {
        set.admit(first, 0);
        set.admit(second, 10);
        assertSame(first, set.replaceable(200).orElseThrow());
        set.remove(second);
        set.remove(second);
        assertEquals(1, set.size());
        set.admit(third, 200);
        assertEquals(Optional.empty(), set.replaceable(10_000), "the first is still leaving");
        set.remove(first);
        set.admit(first, 20_000);
        assertSame(third, set.replaceable(20_000).orElseThrow(), "it is a member again, and no member is leaving");
    }

    @Test
    void clockWraps_idlestIsFoundByDifference() {
        set.admit(first, Long.MAX_VALUE - 5);
        set.admit(second, Long.MIN_VALUE + 5);
        assertSame(first, set.replaceable(Long.MIN_VALUE + 200).orElseThrow());
    }
}
