package io.verbena.messaging;

import io.verbena.verbs.Progress;
import io.verbena.verbs.RnicOptions;
import java.time.Duration;

/**
 * How a communicator works. Start from {@link #defaults()} and change what matters.
 *
 * @param rnic how each rank's RNIC is opened
 * @param channel its channels
 * @param rendezvousThresholdBytes messages above this go straight from user memory to user memory; at most the threshold of
 *     the largest buffers
 * @param rendezvous how those go that this rank sends
 * @param maxUnexpectedBytes most bytes kept of messages that no receive wants yet, shared evenly between the other ranks (with at
 *     least 256 KiB for each, or all if that is less); beyond it a message stays with its sender
 * @param timeout longest wait of a blocking call
 */
public record MessagingOptions(
        RnicOptions rnic,
        ChannelOptions channel,
        int rendezvousThresholdBytes,
        RendezvousMode rendezvous,
        long maxUnexpectedBytes,
        Duration timeout) {

    /** Checks the ranges. */
    public MessagingOptions {
        int most = channel.policy().lastThresholdBytes();
        if (rendezvousThresholdBytes < 0 || rendezvousThresholdBytes > most) {
            throw new IllegalArgumentException("the rendezvous threshold must be 0 to the " + most
                    + " bytes of the largest buffers, not " + rendezvousThresholdBytes
                    + ": larger messages would fit no buffer");
        }
        if (channel.policy().firstPayloadBytes() < Rendezvous.LONGEST_BYTES) {
            throw new IllegalArgumentException("the first phase must hold a request, " + Rendezvous.LONGEST_BYTES
                    + " bytes, not " + channel.policy().firstPayloadBytes());
        }
        if (timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("the timeout must be positive");
        }
    }

    /** INLINE progress, default channels, rendezvous by RDMA Read above their largest buffers, 64 MiB unexpected, ten minutes. */
    public static MessagingOptions defaults() {
        ChannelOptions channel = ChannelOptions.defaults();
        return new MessagingOptions(
                RnicOptions.defaults().withProgress(Progress.INLINE),
                channel,
                channel.policy().lastThresholdBytes(),
                RendezvousMode.READ,
                64 << 20,
                Duration.ofMinutes(10));
    }

    public MessagingOptions withRnic(RnicOptions value) {
        return new MessagingOptions(value, channel, rendezvousThresholdBytes, rendezvous, maxUnexpectedBytes, timeout);
    }

    /** Other channels; the rendezvous threshold becomes that of their largest buffers. */
    public MessagingOptions withChannel(ChannelOptions value) {
        return new MessagingOptions(
                rnic, value, value.policy().lastThresholdBytes(), rendezvous, maxUnexpectedBytes, timeout);
    }

    public MessagingOptions withRendezvousThresholdBytes(int value) {
        return new MessagingOptions(rnic, channel, value, rendezvous, maxUnexpectedBytes, timeout);
    }

    /** How large messages of this rank go. */
    public MessagingOptions withRendezvous(RendezvousMode value) {
        return new MessagingOptions(rnic, channel, rendezvousThresholdBytes, value, maxUnexpectedBytes, timeout);
    }

    public MessagingOptions withMaxUnexpectedBytes(long value) {
        return new MessagingOptions(rnic, channel, rendezvousThresholdBytes, rendezvous, value, timeout);
    }

    public MessagingOptions withTimeout(Duration value) {
        return new MessagingOptions(rnic, channel, rendezvousThresholdBytes, rendezvous, maxUnexpectedBytes, value);
    }
}
