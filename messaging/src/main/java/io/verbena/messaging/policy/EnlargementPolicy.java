package io.verbena.messaging.policy;

import java.time.Duration;
import java.util.List;

/**
 * When buffers grow and shrink. Start from {@link #defaults()} and change what matters.
 *
 * @param phases sizes of buffers, smallest first; a channel starts with the first
 * @param rule what of a vector is compared with the threshold
 * @param wholeVector a vector with a large element waits as a whole for large buffers
 * @param provisionFirst the sender provisions its own buffers before it asks the peer, not after the acknowledgement
 * @param skip goes straight to the phase that fits, over those between
 * @param shrinkAfter idle time after which a channel goes back to the first phase; zero: never
 * @param refusalPause how long a refused size is not asked for again
 */
public record EnlargementPolicy(
        List<Phase> phases,
        SizeRule rule,
        boolean wholeVector,
        boolean provisionFirst,
        boolean skip,
        Duration shrinkAfter,
        Duration refusalPause) {

    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE / 4);

    /** Checks that the phases grow. */
    public EnlargementPolicy {
        phases = List.copyOf(phases);
        if (phases.isEmpty()) {
            throw new IllegalArgumentException("a policy has one phase or more");
        }
        for (int i = 1; i < phases.size(); i++) {
            if (phases.get(i).payloadBytes() <= phases.get(i - 1).payloadBytes()) {
                throw new IllegalArgumentException("phases must grow: "
                        + phases.get(i).payloadBytes() + " bytes come after "
                        + phases.get(i - 1).payloadBytes());
            }
        }
        shrinkAfter = bounded(shrinkAfter);
        refusalPause = bounded(refusalPause);
        if (shrinkAfter.isNegative() || refusalPause.isNegative()) {
            throw new IllegalArgumentException("times must not be negative");
        }
    }

    /** A time that a nanosecond clock can count: ChronoUnit.FOREVER and the like become 73 years. */
    public static Duration bounded(Duration time) {
        return time.compareTo(LONGEST) > 0 ? LONGEST : time;
    }

    /** 700 B, then 16 KiB; by element; no shrinking. */
    public static EnlargementPolicy defaults() {
        return of(Phase.of(700), Phase.of(16 << 10));
    }

    /** Other phases, the rest as usual. */
    public static EnlargementPolicy of(Phase... phases) {
        return new EnlargementPolicy(
                List.of(phases), SizeRule.BY_ELEMENT, false, false, true, Duration.ZERO, Duration.ofSeconds(1));
    }

    public EnlargementPolicy withRule(SizeRule value) {
        return new EnlargementPolicy(phases, value, wholeVector, provisionFirst, skip, shrinkAfter, refusalPause);
    }

    public EnlargementPolicy withWholeVector(boolean value) {
        return new EnlargementPolicy(phases, rule, value, provisionFirst, skip, shrinkAfter, refusalPause);
    }

    public EnlargementPolicy withProvisionFirst(boolean value) {
        return new EnlargementPolicy(phases, rule, wholeVector, value, skip, shrinkAfter, refusalPause);
    }

    public EnlargementPolicy withSkip(boolean value) {
        return new EnlargementPolicy(phases, rule, wholeVector, provisionFirst, value, shrinkAfter, refusalPause);
    }

    public EnlargementPolicy withShrinkAfter(Duration value) {
        return new EnlargementPolicy(phases, rule, wholeVector, provisionFirst, skip, value, refusalPause);
    }

    public EnlargementPolicy withRefusalPause(Duration value) {
        return new EnlargementPolicy(phases, rule, wholeVector, provisionFirst, skip, shrinkAfter, value);
    }

    /** Payload of the buffers that a channel starts with. */
    public int firstPayloadBytes() {
        return phases.getFirst().payloadBytes();
    }

    /** Payload of the largest buffers. */
    public int lastPayloadBytes() {
        return phases.getLast().payloadBytes();
    }

    /** Threshold of the largest buffers. */
    public int lastThresholdBytes() {
        return phases.getLast().thresholdBytes();
    }

    /** Threshold that holds for buffers of this payload: that of its phase, or all of it if it is no phase's. */
    public int thresholdBytes(int payloadBytes) {
        for (Phase phase : phases) {
            if (phase.payloadBytes() == payloadBytes) {
                return phase.thresholdBytes();
            }
        }
        return payloadBytes;
    }

    /** Payload of the buffers to ask for when {@code needBytes} is too large for those of {@code payloadBytes}; 0: there are none. */
    public int targetPayloadBytes(int payloadBytes, long needBytes) {
        if (needBytes > lastThresholdBytes()) {
            return 0;
        }
        for (Phase phase : phases) {
            if (phase.payloadBytes() > payloadBytes && (!skip || phase.thresholdBytes() >= needBytes)) {
                return phase.payloadBytes();
            }
        }
        return 0;
    }

    /** Number of the phase with this payload, from 0: how many phases are smaller. */
    public int phaseNumber(int payloadBytes) {
        int number = 0;
        while (number < phases.size() - 1 && phases.get(number).payloadBytes() < payloadBytes) {
            number++;
        }
        return number;
    }
}
