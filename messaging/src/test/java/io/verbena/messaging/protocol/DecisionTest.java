package io.verbena.messaging.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.messaging.policy.EnlargementPolicy;
import io.verbena.messaging.policy.Phase;
import io.verbena.messaging.policy.SizeRule;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What of a vector counts, and tables of transitions. */
class DecisionTest {

    private static final EnlargementPolicy POLICY = EnlargementPolicy.of(Phase.of(100), Phase.of(1000));
    private static final int[] LENGTHS = {10, 300, 20, 999_999};

    private enum State {
        HERE,
        THERE
    }

    private enum Event {
        GO,
        STAY,
        NEVER
    }

    @Test
    void byElement_theNextOneAlone() {
        assertEquals(10, VectorDecision.need(POLICY, LENGTHS, 0, 3));
        assertEquals(300, VectorDecision.need(POLICY, LENGTHS, 1, 3));
    }

    @Test
    void byLargestOrAsAWhole_theLargestThatIsLeft() {
        for (EnlargementPolicy policy :
                new EnlargementPolicy[] {POLICY.withRule(SizeRule.BY_LARGEST), POLICY.withWholeVector(true)}) {
            assertEquals(300, VectorDecision.need(policy, LENGTHS, 0, 3));
            assertEquals(20, VectorDecision.need(policy, LENGTHS, 2, 3));
        }
    }

    @Test
    void bySum_noMoreThanTheLargestBuffersHold_noLessThanTheLargestElement() {
        EnlargementPolicy policy = POLICY.withRule(SizeRule.BY_SUM);
        assertEquals(330, VectorDecision.need(policy, LENGTHS, 0, 3));
        assertEquals(320, VectorDecision.need(policy, LENGTHS, 1, 3));
        assertEquals(1000, VectorDecision.need(policy, new int[] {600, 600}, 0, 2));
        assertEquals(1200, VectorDecision.need(policy, new int[] {1200, 1}, 0, 2));
        int most = Integer.MAX_VALUE;
        assertEquals(most, VectorDecision.need(policy, new int[] {most, most}, 0, 2));
    }

    @Test
    void table_movesIgnoresAndRefuses() {
        StateTable<State, Event> table = StateTable.of(State.class, Event.class)
                .move(State.HERE, Event.GO, State.THERE)
                .ignore(State.THERE, Event.GO)
                .everywhere(Event.STAY, State.HERE)
                .build();
        assertEquals(State.THERE, table.next(State.HERE, Event.GO));
        assertEquals(State.THERE, table.next(State.THERE, Event.GO));
        assertEquals(State.HERE, table.next(State.THERE, Event.STAY));
        assertEquals(Optional.of(State.THERE), table.move(State.HERE, Event.GO));
        assertEquals(Optional.empty(), table.move(State.THERE, Event.GO));
        String sentence =
                String.valueOf(assertThrows(IllegalStateException.class, () -> table.next(State.HERE, Event.NEVER))
                        .getMessage());
        assertTrue(sentence.contains("NEVER") && sentence.contains("HERE"), sentence);
        assertEquals("""
                    P_HERE : HERE
                    P_THERE : THERE
                    [*] --> P_HERE
                    P_HERE --> P_THERE : GO
                    P_HERE --> P_HERE : STAY
                    P_THERE --> P_HERE : STAY
            """, table.mermaid("P_"));
    }

    @Test
    void table_explicitMoveWinsOverEverywhere_andTwiceIsRefused() {
        StateTable.Builder<State, Event> builder = StateTable.of(State.class, Event.class)
                .move(State.HERE, Event.GO, State.THERE)
                .everywhere(Event.GO, State.HERE);
        assertEquals(State.THERE, builder.build().next(State.HERE, Event.GO));
        assertEquals(State.HERE, builder.build().next(State.THERE, Event.GO));
        assertThrows(IllegalArgumentException.class, () -> builder.move(State.HERE, Event.GO, State.HERE));
    }
}
