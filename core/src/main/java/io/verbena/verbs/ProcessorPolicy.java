package io.verbena.verbs;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Which of the signalled handlers of a processor is next: a higher priority goes first; at one priority classes share the
 * processor's time by weight; and a handler that waited longer than the patience goes before all that, at most every second
 * time.
 *
 * @param strictPriority whether priorities count at all; without them only weights do
 * @param weights weight of a service class, 1 to 10,000; a class that is not named has 1
 * @param patience longest wait of a signalled handler while others go first
 */
public record ProcessorPolicy(boolean strictPriority, Map<String, Integer> weights, Duration patience) {

    private static final int MOST_WEIGHT = 10_000;

    /** Checks the ranges. */
    public ProcessorPolicy {
        weights = Map.copyOf(weights);
        weights.forEach((name, weight) -> {
            if (weight < 1 || weight > MOST_WEIGHT) {
                throw new IllegalArgumentException(
                        "the weight of class '" + name + "' must be 1 to " + MOST_WEIGHT + ", not " + weight);
            }
        });
        if (patience.isNegative()) {
            throw new IllegalArgumentException("patience must not be negative");
        }
    }

    /** Strict priority, equal weights, a patience of 10 milliseconds. */
    public static ProcessorPolicy defaults() {
        return new ProcessorPolicy(true, Map.of(), Duration.ofMillis(10));
    }

    /** Weights only. */
    public ProcessorPolicy withoutPriority() {
        return new ProcessorPolicy(false, weights, patience);
    }

    public ProcessorPolicy withWeight(String serviceClass, int weight) {
        Map<String, Integer> more = new HashMap<>(weights);
        more.put(serviceClass, weight);
        return new ProcessorPolicy(strictPriority, more, patience);
    }

    public ProcessorPolicy withPatience(Duration value) {
        return new ProcessorPolicy(strictPriority, weights, value);
    }

    /** Weight of a class. */
    public int weight(String serviceClass) {
        return weights.getOrDefault(serviceClass, 1);
    }
}
