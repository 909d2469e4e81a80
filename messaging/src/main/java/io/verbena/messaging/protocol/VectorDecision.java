package io.verbena.messaging.protocol;

import io.verbena.messaging.policy.EnlargementPolicy;
import io.verbena.messaging.policy.SizeRule;

/** The seed's Fig. 5: what of a vector is compared with the threshold when its element {@code i} is due. */
public final class VectorDecision {

    private VectorDecision() {}

    /**
     * What is to be compared with the threshold for the element at {@code from}.
     *
     * @param lengths lengths of all elements
     * @param from first element that was not taken yet
     * @param count number of elements
     */
    public static long need(EnlargementPolicy policy, int[] lengths, int from, int count) {
        if (policy.rule() == SizeRule.BY_ELEMENT && !policy.wholeVector()) {
            return lengths[from]; // 566: the element alone; larger ones behind it wait for their turn (572)
        }
        long largest = 0;
        long sum = 0;
        for (int i = from; i < count; i++) {
            largest = Math.max(largest, lengths[i]);
            sum += lengths[i];
        }
        if (policy.rule() == SizeRule.BY_SUM) {
            return Math.max(
                    largest, Math.min(sum, policy.lastThresholdBytes())); // more than the largest buffers never fits
        }
        return largest;
    }
}
