package io.verbena.messaging.protocol;

import io.verbena.messaging.policy.EnlargementPolicy;
import io.verbena.messaging.policy.SizeRule;

/** Decides which length of a vector is compared with the threshold when an element of it is due. */
public final class VectorDecision {

    private VectorDecision() {}

    /**
     * Length to compare with the threshold for the element at {@code from}.
     *
     * @param lengths lengths of all elements
     * @param from first element that was not accepted yet
     * @param count number of elements
     */
    public static long need(EnlargementPolicy policy, int[] lengths, int from, int count) {
        if (policy.rule() == SizeRule.BY_ELEMENT && !policy.wholeVector()) {
            return lengths[from]; // a larger element after it is decided on when it is first
        }
        long largest = 0;
        long sum = 0;
        for (int i = from; i < count; i++) {
            largest = Math.max(largest, lengths[i]);
            sum += lengths[i];
        }
        if (policy.rule() == SizeRule.BY_SUM) {
            return Math.max(largest, Math.min(sum, policy.lastThresholdBytes())); // a larger sum fits no buffers
        }
        return largest;
    }
}
