package io.verbena.messaging.policy;

import java.time.Duration;
import java.util.List;

/**
 * When buffers grow and shrink. Start from {@link #defaults()} and change what matters, by the {@code with…} methods or, for several
 * parameters at once, by {@link #toBuilder()}. Immutable.
 *
 * @param phases sizes of buffers, smallest first; a channel starts with the first
 * @param rule which length of a vector is compared with the threshold
 * @param wholeVector whether a vector with a large element waits as a whole for large buffers
 * @param provisionFirst whether the sender provisions its staging buffers before the request, not after the acknowledgement
 * @param skip whether the phase that fits is requested at once, without the phases between
 * @param shrinkAfter idle time after which a channel returns to the first phase; zero for never
 * @param refusalPause time during which a refused size is not requested again
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

    /**
     * Checks that the phases grow.
     *
     * @throws IllegalArgumentException if they do not, or if a time is negative
     */
    public EnlargementPolicy {
        phases = List.copyOf(phases);
        if (phases.isEmpty()) {
            throw new IllegalArgumentException("a policy must have at least one phase");
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

    /** Limits a time to what a nanosecond clock can count: ChronoUnit.FOREVER becomes 73 years. */
    public static Duration bounded(Duration time) {
        if (time.compareTo(LONGEST.negated()) < 0) {
            return LONGEST.negated();
        }
        return time.compareTo(LONGEST) > 0 ? LONGEST : time;
    }

    /** 700 B, then 16 KiB; by element; no shrinking. */
    public static EnlargementPolicy defaults() {
        return new Builder().build();
    }

    /** Other phases, with default values of the other parameters. */
    public static EnlargementPolicy of(Phase... phases) {
        return new Builder().phases(phases).build();
    }

    /** A builder that starts with the values of this object. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    public EnlargementPolicy withRule(SizeRule value) {
        return toBuilder().rule(value).build();
    }

    public EnlargementPolicy withWholeVector(boolean value) {
        return toBuilder().wholeVector(value).build();
    }

    public EnlargementPolicy withProvisionFirst(boolean value) {
        return toBuilder().provisionFirst(value).build();
    }

    public EnlargementPolicy withSkip(boolean value) {
        return toBuilder().skip(value).build();
    }

    public EnlargementPolicy withShrinkAfter(Duration value) {
        return toBuilder().shrinkAfter(value).build();
    }

    public EnlargementPolicy withRefusalPause(Duration value) {
        return toBuilder().refusalPause(value).build();
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

    /** Threshold of buffers of this payload: that of the phase with this payload, otherwise the payload. */
    public int thresholdBytes(int payloadBytes) {
        for (Phase phase : phases) {
            if (phase.payloadBytes() == payloadBytes) {
                return phase.thresholdBytes();
            }
        }
        return payloadBytes;
    }

    /** Payload of the buffers to request if {@code needBytes} exceeds the threshold of buffers of {@code payloadBytes}; 0 if there are none. */
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

    /** Number of the phase with this payload, from 0: the number of smaller phases. */
    public int phaseNumber(int payloadBytes) {
        int number = 0;
        while (number < phases.size() - 1 && phases.get(number).payloadBytes() < payloadBytes) {
            number++;
        }
        return number;
    }

    /** Collects the parameters of a policy; {@link #build()} checks them. Not thread-safe. */
    public static final class Builder {
        private List<Phase> phases = List.of(Phase.of(700), Phase.of(16 << 10));
        private SizeRule rule = SizeRule.BY_ELEMENT;
        private boolean wholeVector;
        private boolean provisionFirst;
        private boolean skip = true;
        private Duration shrinkAfter = Duration.ZERO;
        private Duration refusalPause = Duration.ofSeconds(1);

        private Builder() {}

        private Builder(EnlargementPolicy from) {
            phases = from.phases;
            rule = from.rule;
            wholeVector = from.wholeVector;
            provisionFirst = from.provisionFirst;
            skip = from.skip;
            shrinkAfter = from.shrinkAfter;
            refusalPause = from.refusalPause;
        }

        public Builder phases(Phase... values) {
            phases = List.of(values);
            return this;
        }

        public Builder rule(SizeRule value) {
            rule = value;
            return this;
        }

        public Builder wholeVector(boolean value) {
            wholeVector = value;
            return this;
        }

        public Builder provisionFirst(boolean value) {
            provisionFirst = value;
            return this;
        }

        public Builder skip(boolean value) {
            skip = value;
            return this;
        }

        public Builder shrinkAfter(Duration value) {
            shrinkAfter = value;
            return this;
        }

        public Builder refusalPause(Duration value) {
            refusalPause = value;
            return this;
        }

        public EnlargementPolicy build() {
            return new EnlargementPolicy(phases, rule, wholeVector, provisionFirst, skip, shrinkAfter, refusalPause);
        }
    }
}
