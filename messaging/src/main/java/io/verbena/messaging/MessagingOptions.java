package io.verbena.messaging;

import io.verbena.messaging.channel.ChannelOptions;
import io.verbena.messaging.channel.ElementKind;
import io.verbena.messaging.policy.EnlargementPolicy;
import io.verbena.verbs.Progress;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.SurvivalOptions;
import java.time.Duration;

/**
 * Parameters of a communicator. Start from {@link #defaults()} and change what matters, by the {@code with…} methods or, for several
 * parameters at once, by {@link #toBuilder()}. Immutable.
 *
 * @param rnic options of the RNIC of each rank
 * @param channel options of its channels
 * @param rendezvousThresholdBytes longer messages are transferred from user memory to user memory; at most the threshold of the largest
 *     buffers
 * @param rendezvous direction of the transfer of long messages that this rank sends
 * @param maxUnexpectedBytes maximum number of bytes kept of messages without a receive, shared evenly between the other ranks (at least
 *     256 KiB for each, or all if that is less); beyond it a message stays at its sender
 * @param maxUnexpectedRequests maximum number of announcements kept of messages of each other rank that stay at their sender and have no
 *     receive; beyond it the announcement waits too
 * @param timeout maximum duration of a blocking call
 * @param progressThread whether a thread makes progress while the program computes; requires an RNIC with engine threads
 */
public record MessagingOptions(
        RnicOptions rnic,
        ChannelOptions channel,
        int rendezvousThresholdBytes,
        RendezvousMode rendezvous,
        long maxUnexpectedBytes,
        int maxUnexpectedRequests,
        Duration timeout,
        boolean progressThread) {

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if a parameter is out of range
     */
    public MessagingOptions {
        int most = channel.policy().lastThresholdBytes();
        if (rendezvousThresholdBytes < 0 || rendezvousThresholdBytes > most) {
            throw new IllegalArgumentException("the rendezvous threshold must be 0 to the " + most
                    + " bytes of the largest buffers, not " + rendezvousThresholdBytes
                    + ": longer messages would fit no buffer");
        }
        if (channel.policy().firstPayloadBytes() < ElementKind.MAX_CONTROL_BYTES) {
            throw new IllegalArgumentException(
                    "the buffers of the first phase must hold an announcement, " + ElementKind.MAX_CONTROL_BYTES
                            + " bytes, not " + channel.policy().firstPayloadBytes());
        }
        if (maxUnexpectedBytes < 0) {
            throw new IllegalArgumentException("maxUnexpectedBytes must not be negative: " + maxUnexpectedBytes);
        }
        if (maxUnexpectedRequests < 1) {
            throw new IllegalArgumentException("maxUnexpectedRequests must be at least 1, not " + maxUnexpectedRequests
                    + ": no long message could be sent");
        }
        timeout = EnlargementPolicy.bounded(timeout);
        if (timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("the timeout must be positive, not " + timeout);
        }
        if (progressThread && rnic.progress() != Progress.ENGINE_THREAD) {
            throw new IllegalArgumentException(
                    "a progress thread requires an RNIC with engine threads: an INLINE RNIC belongs to a single"
                            + " thread");
        }
    }

    /**
     * INLINE progress, direct access between ranks that share memory (ranks of a job trust each other), default
     * channels, rendezvous by RDMA Read above their largest buffers, 64 MiB and 2^20 announcements of unexpected
     * messages, ten minutes.
     */
    public static MessagingOptions defaults() {
        return new Builder().build();
    }

    /** A builder that starts with the values of this object. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    public MessagingOptions withRnic(RnicOptions value) {
        return toBuilder().rnic(value).build();
    }

    /** With these channels; the rendezvous threshold becomes that of their largest buffers. */
    public MessagingOptions withChannel(ChannelOptions value) {
        return toBuilder().channel(value).build();
    }

    public MessagingOptions withRendezvousThresholdBytes(int value) {
        return toBuilder().rendezvousThresholdBytes(value).build();
    }

    public MessagingOptions withRendezvous(RendezvousMode value) {
        return toBuilder().rendezvous(value).build();
    }

    public MessagingOptions withMaxUnexpectedBytes(long value) {
        return toBuilder().maxUnexpectedBytes(value).build();
    }

    public MessagingOptions withMaxUnexpectedRequests(int value) {
        return toBuilder().maxUnexpectedRequests(value).build();
    }

    public MessagingOptions withTimeout(Duration value) {
        return toBuilder().timeout(value).build();
    }

    /**
     * With a thread that makes progress while the program computes, so that large messages continue (MPI's asynchronous progress). The RNIC
     * gets engine threads. Without this thread messages wait for the next call of the program; only the connections are kept alive meanwhile.
     */
    public MessagingOptions withProgressThread() {
        return toBuilder().progressThread().build();
    }

    /**
     * With connections between ranks that survive the end of their transport, for at most a minute without one: see
     * {@link ChannelOptions#withSurvival}. All ranks must ask for it. A rank whose process has ended is reported to
     * have failed after that time.
     */
    public MessagingOptions surviving() {
        return withSurvival(SurvivalOptions.PATIENCE);
    }

    /** The same, with this maximum time without a transport; zero switches it off. */
    public MessagingOptions withSurvival(Duration longest) {
        return toBuilder().survival(longest).build();
    }

    /** Collects the parameters of a communicator; {@link #build()} checks them. Not thread-safe. */
    public static final class Builder {

        /** Rings of messages have a few hundred bytes. */
        private static final int LEAST_DIRECT_BYTES = 256;

        private RnicOptions rnic = RnicOptions.defaults()
                .withProgress(Progress.INLINE)
                .withIwarp(iwarp -> iwarp.withDirect(true).withLeastDirectBytes(LEAST_DIRECT_BYTES));
        private ChannelOptions channel = ChannelOptions.defaults();
        private int rendezvousThresholdBytes = channel.policy().lastThresholdBytes();
        private RendezvousMode rendezvous = RendezvousMode.READ;
        private long maxUnexpectedBytes = 64 << 20;
        private int maxUnexpectedRequests = 1 << 20;
        private Duration timeout = Duration.ofMinutes(10);
        private boolean progressThread;

        private Builder() {}

        private Builder(MessagingOptions from) {
            rnic = from.rnic;
            channel = from.channel;
            rendezvousThresholdBytes = from.rendezvousThresholdBytes;
            rendezvous = from.rendezvous;
            maxUnexpectedBytes = from.maxUnexpectedBytes;
            maxUnexpectedRequests = from.maxUnexpectedRequests;
            timeout = from.timeout;
            progressThread = from.progressThread;
        }

        public Builder rnic(RnicOptions value) {
            rnic = value;
            return this;
        }

        /** Also sets the rendezvous threshold to that of the largest buffers of these channels. */
        public Builder channel(ChannelOptions value) {
            channel = value;
            rendezvousThresholdBytes = value.policy().lastThresholdBytes();
            return this;
        }

        /** The channels survive the end of their transport, for at most this time without one. */
        public Builder survival(Duration longest) {
            channel = channel.withSurvival(longest);
            return this;
        }

        public Builder rendezvousThresholdBytes(int value) {
            rendezvousThresholdBytes = value;
            return this;
        }

        public Builder rendezvous(RendezvousMode value) {
            rendezvous = value;
            return this;
        }

        public Builder maxUnexpectedBytes(long value) {
            maxUnexpectedBytes = value;
            return this;
        }

        public Builder maxUnexpectedRequests(int value) {
            maxUnexpectedRequests = value;
            return this;
        }

        public Builder timeout(Duration value) {
            timeout = value;
            return this;
        }

        /** Starts a progress thread, and gives the RNIC engine threads. */
        public Builder progressThread() {
            progressThread = true;
            rnic = rnic.withProgress(Progress.ENGINE_THREAD);
            return this;
        }

        public MessagingOptions build() {
            return new MessagingOptions(
                    rnic,
                    channel,
                    rendezvousThresholdBytes,
                    rendezvous,
                    maxUnexpectedBytes,
                    maxUnexpectedRequests,
                    timeout,
                    progressThread);
        }
    }
}
