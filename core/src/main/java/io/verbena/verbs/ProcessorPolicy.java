package io.verbena.verbs;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Order in which a processor serves its signalled handlers: handlers of higher priority are served first; service
 * classes of the same priority share the time of the processor by weight. A handler that has waited longer than the
 * patience is served before all others, but at most every second time.
 *
 * @param strictPriority whether priorities are considered; otherwise only weights are
 * @param weights weight of each service class, 1 to 10,000; the default is 1
 * @param patience maximum time that a signalled handler waits while others are served first
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
            throw new IllegalArgumentException("patience must be zero or more, not " + patience);
        }
    }

    /** Strict priority, equal weights, a patience of 10 milliseconds. */
    public static ProcessorPolicy defaults() {
        return new ProcessorPolicy(true, Map.of(), Duration.ofMillis(10));
    }

    /** The same policy without priorities. */
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

    /** Weight of a service class. */
    public int weight(String serviceClass) {
        return weights.getOrDefault(serviceClass, 1);
    }
}
