package io.verbena.survival;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.Times;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The order in which addresses are tried. */
class AddressChoiceTest {

    private static final long MS = 1_000_000;

    private final AddressChoice choice = new AddressChoice(3, Duration.ofMillis(10), Duration.ofMillis(40), () -> 0);

    @Test
    void addresses_areTriedInTurn_fromTheLastOne() {
        assertEquals(1, choice.next(0));
        assertEquals(2, choice.next(0));
        assertEquals(0, choice.next(0));
    }

    @Test
    void failedAddress_isTriedAfterAPauseThatDoublesUpToTheLongest() {
        long nowNs = Long.MAX_VALUE - 20 * MS;
        AddressChoice one = new AddressChoice(1, Duration.ofMillis(10), Duration.ofMillis(40), () -> 0);
        for (long pauseMs : new long[] {10, 20, 40, 40}) {
            assertEquals(0, one.next(nowNs));
            one.failed(0, nowNs);
            assertEquals(AddressChoice.NONE, one.next(nowNs));
            assertEquals(pauseMs * MS, one.nextAtNs() - nowNs);
            nowNs += pauseMs * MS;
        }
        one.worked();
        assertEquals(Times.NEVER, one.nextAtNs());
    }

    @Test
    void randomPart_isAtMostAQuarterOfThePause() {
        for (long random : new long[] {Long.MIN_VALUE, -1, Long.MAX_VALUE}) {
            AddressChoice one = new AddressChoice(1, Duration.ofMillis(10), Duration.ofMillis(40), () -> random);
            one.failed(0, 0);
            assertTrue(one.nextAtNs() >= 10 * MS && one.nextAtNs() <= 12_500_000);
        }
    }

    @Test
    void refusedAddress_isNotTriedBeforeTheAssociationIsCarriedAgain() {
        choice.refused(1);
        assertEquals(2, choice.next(0));
        choice.refused(2);
        assertEquals(0, choice.next(0));
        choice.refused(0);
        assertTrue(choice.allRefused());
        choice.resumed();
        assertEquals(1, choice.next(0));
    }

    @Test
    void noAddress_isNeverTriedAndNeverRefused() {
        AddressChoice none = new AddressChoice(0, Duration.ofMillis(10), Duration.ofMillis(40), () -> 0);
        assertEquals(AddressChoice.NONE, none.next(0));
        assertEquals(Times.NEVER, none.nextAtNs());
        assertFalse(none.allRefused());
    }
}
