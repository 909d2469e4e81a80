package io.verbena.messaging;

import io.verbena.messaging.policy.EnlargementPolicy;
import io.verbena.verbs.ConnectionOptions;
import java.time.Duration;

/**
 * How channels behave. Start from {@link #defaults()} and change what matters.
 *
 * @param policy sizes of buffers and when they change
 * @param slots buffers a ring, 2 to 1024; fixed for the life of a channel
 * @param virtualChannels independent flows over one connection, 1 to 64
 * @param maxPolled most channels whose rings are polled; all others announce their messages
 * @param memoryBudgetBytes most registered bytes for rings, staging and control blocks of one endpoint
 * @param maxPayloadBytes largest buffers that a peer is granted
 * @param acknowledgementTimeout when a repetition of an acknowledgement is asked for
 * @param patience when a channel is given up whose acknowledgement does not come
 * @param tailBound how long a tail flag may come after its head flag
 * @param connectTimeout how long a connection may take to come about
 * @param keepAlive a peer whose RNIC says nothing for longer is lost, however idle the channel is; zero for never
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
        Duration keepAlive) {

    /** Checks the ranges. */
    public ChannelOptions {
        acknowledgementTimeout = EnlargementPolicy.bounded(acknowledgementTimeout);
        patience = EnlargementPolicy.bounded(patience);
        tailBound = EnlargementPolicy.bounded(tailBound);
        connectTimeout = EnlargementPolicy.bounded(connectTimeout);
        keepAlive = EnlargementPolicy.bounded(keepAlive);
        require(slots >= 2 && slots <= 1024, "slots must be 2 to 1024, not " + slots);
        require(
                virtualChannels >= 1 && virtualChannels <= 64,
                "virtualChannels must be 1 to 64, not " + virtualChannels);
        require(maxPolled >= 1, "maxPolled must be 1 or more, not " + maxPolled);
        require(
                maxPayloadBytes >= policy.firstPayloadBytes(),
                "maxPayloadBytes must hold the first phase, " + policy.firstPayloadBytes() + " bytes");
        require(
                positive(acknowledgementTimeout) && positive(patience) && positive(tailBound),
                "times must be positive");
        require(
                !keepAlive.isNegative() && (keepAlive.isZero() || keepAlive.toMillis() >= 8),
                "keepAlive must be zero or at least 8 ms, not " + keepAlive);
    }

    /** The default policy, 4 slots, 1 virtual channel, 16 channels polled, 1 GiB, buffers up to 1 MiB. */
    public static ChannelOptions defaults() {
        return new ChannelOptions(
                EnlargementPolicy.defaults(),
                4,
                1,
                16,
                1L << 30,
                1 << 20,
                Duration.ofSeconds(2),
                Duration.ofMinutes(5),
                Duration.ofSeconds(10),
                Duration.ofSeconds(30),
                ConnectionOptions.defaults().keepAlive());
    }

    public ChannelOptions withPolicy(EnlargementPolicy value) {
        return new ChannelOptions(
                value,
                slots,
                virtualChannels,
                maxPolled,
                memoryBudgetBytes,
                Math.max(maxPayloadBytes, value.lastPayloadBytes()),
                acknowledgementTimeout,
                patience,
                tailBound,
                connectTimeout,
                keepAlive);
    }

    public ChannelOptions withSlots(int value) {
        return new ChannelOptions(
                policy,
                value,
                virtualChannels,
                maxPolled,
                memoryBudgetBytes,
                maxPayloadBytes,
                acknowledgementTimeout,
                patience,
                tailBound,
                connectTimeout,
                keepAlive);
    }

    public ChannelOptions withVirtualChannels(int value) {
        return new ChannelOptions(
                policy,
                slots,
                value,
                maxPolled,
                memoryBudgetBytes,
                maxPayloadBytes,
                acknowledgementTimeout,
                patience,
                tailBound,
                connectTimeout,
                keepAlive);
    }

    public ChannelOptions withMaxPolled(int value) {
        return new ChannelOptions(
                policy,
                slots,
                virtualChannels,
                value,
                memoryBudgetBytes,
                maxPayloadBytes,
                acknowledgementTimeout,
                patience,
                tailBound,
                connectTimeout,
                keepAlive);
    }

    /** Most registered bytes of an endpoint, and the largest buffers that it grants. */
    public ChannelOptions withMemory(long budgetBytes, int largestPayloadBytes) {
        return new ChannelOptions(
                policy,
                slots,
                virtualChannels,
                maxPolled,
                budgetBytes,
                largestPayloadBytes,
                acknowledgementTimeout,
                patience,
                tailBound,
                connectTimeout,
                keepAlive);
    }

    /** Times of the exchange that changes buffers. */
    public ChannelOptions withTimes(Duration timeout, Duration longest, Duration tail) {
        return new ChannelOptions(
                policy,
                slots,
                virtualChannels,
                maxPolled,
                memoryBudgetBytes,
                maxPayloadBytes,
                timeout,
                longest,
                tail,
                connectTimeout,
                keepAlive);
    }

    /** Another bound of silence, at least 8 ms, or none (zero). A program that computes is not silent: its RNIC answers. */
    public ChannelOptions withKeepAlive(Duration value) {
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
                value);
    }

    /** What connections are made with. */
    ConnectionOptions connection() {
        return ConnectionOptions.defaults().withTimeout(connectTimeout).withKeepAlive(keepAlive);
    }

    private static boolean positive(Duration time) {
        return !time.isNegative() && !time.isZero();
    }

    private static void require(boolean condition, String sentence) {
        if (!condition) {
            throw new IllegalArgumentException(sentence);
        }
    }
}
