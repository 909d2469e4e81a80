package io.verbena.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Instants anywhere on the circle of a clock's numbers. */
class TimesTest {

    @ParameterizedTest
    @ValueSource(longs = {0, -1, 5, Long.MAX_VALUE - 3, Long.MIN_VALUE, Long.MIN_VALUE + 2})
    void instants_anywhere_haveTheOrderOfTheirDifference(long nowNs) {
        long soon = Times.after(nowNs, 7);
        long later = Times.after(nowNs, 1_000_000_000_000L);
        assertEquals(soon, Times.earlier(soon, later));
        assertEquals(soon, Times.earlier(later, soon));
        assertFalse(Times.due(soon, nowNs));
        assertFalse(Times.due(soon, nowNs + 6));
        assertTrue(Times.due(soon, nowNs + 7));
        assertTrue(Times.due(soon, later));
        assertEquals(7, Times.leftNs(soon, nowNs));
        assertEquals(0, Times.leftNs(soon, nowNs + 7));
        assertEquals(0, Times.leftNs(soon, later));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MAX_VALUE, Long.MAX_VALUE - 1, Long.MIN_VALUE})
    void never_anyTime_isLaterThanEverything(long nowNs) {
        assertFalse(Times.due(Times.NEVER, nowNs));
        assertEquals(Long.MAX_VALUE, Times.leftNs(Times.NEVER, nowNs));
        assertEquals(Long.MIN_VALUE, Times.earlier(Times.NEVER, Long.MIN_VALUE));
        assertEquals(Long.MIN_VALUE, Times.earlier(Long.MIN_VALUE, Times.NEVER));
        assertEquals(Times.NEVER, Times.earlier(Times.NEVER, Times.NEVER));
    }

    @Test
    void after_hitsTheNumberOfNever_isOneLater() {
        assertEquals(Long.MIN_VALUE, Times.after(Long.MAX_VALUE - 10, 10));
        assertEquals(Long.MAX_VALUE - 1, Times.after(Long.MAX_VALUE - 10, 9));
        assertEquals(Long.MIN_VALUE, Times.after(Long.MAX_VALUE - 10, 11));
    }

    @Test
    void after_longerThanTheClockCanTell_isAsLateAsItCan() {
        assertEquals(Long.MAX_VALUE / 4 + 5, Times.after(5, Long.MAX_VALUE));
        assertEquals(5, Times.after(5, -1));
    }

    @Test
    void nanos_anyDuration_fits() {
        assertEquals(0, Times.nanos(Duration.ofNanos(-1)));
        assertEquals(3_000_000_000L, Times.nanos(Duration.ofSeconds(3)));
        assertEquals(Long.MAX_VALUE / 4, Times.nanos(ChronoUnit.FOREVER.getDuration()));
        assertEquals(Long.MAX_VALUE / 4, Times.nanos(Duration.ofNanos(Long.MAX_VALUE / 4 + 1)));
        assertEquals(Long.MAX_VALUE / 4, Times.nanos(Duration.ofNanos(Long.MAX_VALUE / 4)));
    }
}
