package io.verbena.messaging.channel;

import io.verbena.messaging.policy.EnlargementPolicy;
import io.verbena.messaging.protocol.SendSide;
import io.verbena.messaging.ring.ControlMemory;
import io.verbena.messaging.ring.RingSettings;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.SurvivalOptions;
import java.time.Duration;

/**
 * Parameters of channels. Start from {@link #defaults()} and change what matters, by the {@code with…} methods or, for several parameters at
 * once, by {@link #toBuilder()}. Immutable.
 *
 * @param policy sizes of buffers and when they change
 * @param slots number of slots of a ring, 2 to 1024; fixed for the life of a channel
 * @param virtualChannels number of independent flows over one connection, 1 to 64
 * @param maxPolled maximum number of channels whose rings are polled; all others announce their elements
 * @param memoryBudgetBytes maximum number of registered bytes of rings, staging buffers and control blocks of one endpoint
 * @param maxPayloadBytes payload of the largest buffers that a peer is granted
 * @param acknowledgementTimeout time after which a repetition of an acknowledgement is requested
 * @param patience time after which a channel ends if an acknowledgement does not arrive
 * @param tailBound maximum time between the head flag and the tail flag of an acknowledgement
 * @param connectTimeout maximum time to establish a connection
 * @param keepAlive maximum silence of the peer's RNIC before the channel ends, however idle it is; zero disables the check
 * @param survival maximum time for which a channel continues without a transport, see {@link #withSurvival}; zero
 *     if the end of its transport is its end
 */
public record ChannelOptions(
        EnlargementPolicy policy,
        int slots,
        int virtualChannels,
        int maxPolled,
        long memoryBudgetBytes,
        int maxPayloadBytes,
        Duration acknowledgementTimeout,
        Duration patience,
        Duration tailBound,
        Duration connectTimeout,
        Duration keepAlive,
        Duration survival) {

    /** Receives for words other than announcements and repetitions: QUIET, ANNOUNCE, ANNOUNCING of both directions. */
    private static final int SPARE_RECEIVES = 6;

    private static final int MIN_SLOTS = 2;
    private static final int MAX_SLOTS = 1024;
    private static final int MAX_VIRTUAL_CHANNELS = 64;
    private static final Duration MIN_KEEP_ALIVE = Duration.ofMillis(8);

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if a parameter is out of range
     */
    public ChannelOptions {
        acknowledgementTimeout = EnlargementPolicy.bounded(acknowledgementTimeout);
        patience = EnlargementPolicy.bounded(patience);
        tailBound = EnlargementPolicy.bounded(tailBound);
        connectTimeout = EnlargementPolicy.bounded(connectTimeout);
        keepAlive = EnlargementPolicy.bounded(keepAlive);
        survival = EnlargementPolicy.bounded(survival);
        require(!survival.isNegative(), "survival must not be negative: " + survival);
        require(
                slots >= MIN_SLOTS && slots <= MAX_SLOTS,
                "slots must be " + MIN_SLOTS + " to " + MAX_SLOTS + ", not " + slots);
        require(
                virtualChannels >= 1 && virtualChannels <= MAX_VIRTUAL_CHANNELS,
                "virtualChannels must be 1 to " + MAX_VIRTUAL_CHANNELS + ", not " + virtualChannels);
        require(maxPolled >= 1, "maxPolled must be at least 1, not " + maxPolled);
        require(
                maxPayloadBytes >= policy.firstPayloadBytes(),
                "maxPayloadBytes must be at least the payload of the first phase, " + policy.firstPayloadBytes()
                        + " bytes, not " + maxPayloadBytes);
        require(
                positive(acknowledgementTimeout) && positive(patience) && positive(tailBound),
                "acknowledgementTimeout, patience and tailBound must be positive, not " + acknowledgementTimeout + ", "
                        + patience + " and " + tailBound);
        require(
                keepAlive.isZero() || keepAlive.compareTo(MIN_KEEP_ALIVE) >= 0,
                "keepAlive must be zero or at least 8 ms, not " + keepAlive);
    }

    /** The default policy, 4 slots, 1 virtual channel, 16 channels polled, 1 GiB, buffers up to 1 MiB. */
    public static ChannelOptions defaults() {
        return new Builder().build();
    }

    /** A builder that starts with the values of this object. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** With this policy; {@link #maxPayloadBytes} grows to its largest buffers if necessary. */
    public ChannelOptions withPolicy(EnlargementPolicy value) {
        return toBuilder().policy(value).build();
    }

    public ChannelOptions withSlots(int value) {
        return toBuilder().slots(value).build();
    }

    public ChannelOptions withVirtualChannels(int value) {
        return toBuilder().virtualChannels(value).build();
    }

    public ChannelOptions withMaxPolled(int value) {
        return toBuilder().maxPolled(value).build();
    }

    /** With this maximum number of registered bytes of an endpoint, and this payload of the largest buffers that it grants. */
    public ChannelOptions withMemory(long budgetBytes, int largestPayloadBytes) {
        return toBuilder().memory(budgetBytes, largestPayloadBytes).build();
    }

    /** With these times of the exchange that replaces buffers: {@link #acknowledgementTimeout}, {@link #patience}, {@link #tailBound}. */
    public ChannelOptions withTimes(Duration timeout, Duration longest, Duration tail) {
        return toBuilder().times(timeout, longest, tail).build();
    }

    public ChannelOptions withConnectTimeout(Duration value) {
        return toBuilder().connectTimeout(value).build();
    }

    /**
     * With this keep-alive time: at least 8 ms, or zero for none. A program that computes is not silent: its RNIC responds.
     */
    public ChannelOptions withKeepAlive(Duration value) {
        return toBuilder().keepAlive(value).build();
    }

    /**
     * iWARP and shared memory: channels survive the end of their transport, see {@link ConnectionOptions#surviving},
     * if both sides ask for it. The side that has connected connects again to the same address, for at most this
     * time; then the channel ends as it does without this option. So a peer whose process has ended is noticed after
     * this time, and not at once. Zero switches it off. Elements are not written directly into memory that both
     * processes share.
     */
    public ChannelOptions withSurvival(Duration longest) {
        return toBuilder().survival(longest).build();
    }

    /** Options of the connections of channels. */
    ConnectionOptions connection() {
        ConnectionOptions options =
                ConnectionOptions.defaults().withTimeout(connectTimeout).withKeepAlive(keepAlive);
        return survival.isZero()
                ? options
                : options.withSurvival(SurvivalOptions.over().withPatience(survival));
    }

    /** Settings of the rings of a channel. */
    RingSettings rings() {
        return new RingSettings(
                policy, slots, acknowledgementTimeout.toNanos(), patience.toNanos(), tailBound.toNanos());
    }

    /** Number of receives of a channel: one for each word that can be under way. */
    int receives() {
        return virtualChannels * (slots + SendSide.MAX_REPETITIONS) + SPARE_RECEIVES;
    }

    /** Length of the memory of a channel for control blocks and words. */
    long controlBytes() {
        return ControlMemory.bytes(virtualChannels, receives());
    }

    private static boolean positive(Duration time) {
        return !time.isNegative() && !time.isZero();
    }

    private static void require(boolean condition, String sentence) {
        if (!condition) {
            throw new IllegalArgumentException(sentence);
        }
    }

    /** Collects the parameters of channels; {@link #build()} checks them. Not thread-safe. */
    public static final class Builder {
        private EnlargementPolicy policy = EnlargementPolicy.defaults();
        private int slots = 4;
        private int virtualChannels = 1;
        private int maxPolled = 16;
        private long memoryBudgetBytes = 1L << 30;
        private int maxPayloadBytes = 1 << 20;
        private Duration acknowledgementTimeout = Duration.ofSeconds(2);
        private Duration patience = Duration.ofMinutes(5);
        private Duration tailBound = Duration.ofSeconds(10);
        private Duration connectTimeout = Duration.ofSeconds(30);
        private Duration keepAlive = ConnectionOptions.defaults().keepAlive();
        private Duration survival = Duration.ZERO;

        private Builder() {}

        private Builder(ChannelOptions from) {
            policy = from.policy;
            slots = from.slots;
            virtualChannels = from.virtualChannels;
            maxPolled = from.maxPolled;
            memoryBudgetBytes = from.memoryBudgetBytes;
            maxPayloadBytes = from.maxPayloadBytes;
            acknowledgementTimeout = from.acknowledgementTimeout;
            patience = from.patience;
            tailBound = from.tailBound;
            connectTimeout = from.connectTimeout;
            keepAlive = from.keepAlive;
            survival = from.survival;
        }

        /** Also increases the largest payload that is granted to that of this policy. */
        public Builder policy(EnlargementPolicy value) {
            policy = value;
            maxPayloadBytes = Math.max(maxPayloadBytes, value.lastPayloadBytes());
            return this;
        }

        public Builder slots(int value) {
            slots = value;
            return this;
        }

        public Builder virtualChannels(int value) {
            virtualChannels = value;
            return this;
        }

        public Builder maxPolled(int value) {
            maxPolled = value;
            return this;
        }

        /** Maximum number of registered bytes of an endpoint, and payload of the largest buffers that it grants. */
        public Builder memory(long budgetBytes, int largestPayloadBytes) {
            memoryBudgetBytes = budgetBytes;
            maxPayloadBytes = largestPayloadBytes;
            return this;
        }

        /** Times of the exchange that replaces buffers. */
        public Builder times(Duration timeout, Duration longest, Duration tail) {
            acknowledgementTimeout = timeout;
            patience = longest;
            tailBound = tail;
            return this;
        }

        public Builder connectTimeout(Duration value) {
            connectTimeout = value;
            return this;
        }

        public Builder keepAlive(Duration value) {
            keepAlive = value;
            return this;
        }

        /** Maximum time for which a channel continues without a transport, see {@link ChannelOptions#withSurvival}. */
        public Builder survival(Duration value) {
            survival = value;
            return this;
        }

        public ChannelOptions build() {
            return new ChannelOptions(
                    policy,
                    slots,
                    virtualChannels,
                    maxPolled,
                    memoryBudgetBytes,
                    maxPayloadBytes,
                    acknowledgementTimeout,
                    patience,
                    tailBound,
                    connectTimeout,
                    keepAlive,
                    survival);
        }
    }
}
