package io.verbena.messaging.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.messaging.policy.EnlargementPolicy;
import io.verbena.messaging.policy.Phase;
import io.verbena.messaging.policy.SizeRule;
import org.junit.jupiter.api.Test;

/** Which elements of a vector determine the size of the buffers. */
class DecisionTest {

    private static final EnlargementPolicy POLICY = EnlargementPolicy.of(Phase.of(100), Phase.of(1000));
    private static final int[] LENGTHS = {10, 300, 20, 999_999};

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
}
