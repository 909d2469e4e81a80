package io.verbena.messaging;

import io.verbena.messaging.policy.EnlargementPolicy;
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
 * @param progressThread whether a thread makes progress while the program does something else; needs an RNIC with engine threads
 */
public record MessagingOptions(
        RnicOptions rnic,
        ChannelOptions channel,
        int rendezvousThresholdBytes,
        RendezvousMode rendezvous,
        long maxUnexpectedBytes,
        Duration timeout,
        boolean progressThread) {

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
        timeout = EnlargementPolicy.bounded(timeout);
        if (timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("the timeout must be positive");
        }
        if (progressThread && rnic.progress() != Progress.ENGINE_THREAD) {
            throw new IllegalArgumentException(
                    "a progress thread needs an RNIC with engine threads: an INLINE one belongs to a single thread");
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
                Duration.ofMinutes(10),
                false);
    }

    public MessagingOptions withRnic(RnicOptions value) {
        return new MessagingOptions(
                value, channel, rendezvousThresholdBytes, rendezvous, maxUnexpectedBytes, timeout, progressThread);
    }

    /** Other channels; the rendezvous threshold becomes that of their largest buffers. */
    public MessagingOptions withChannel(ChannelOptions value) {
        return new MessagingOptions(
                rnic,
                value,
                value.policy().lastThresholdBytes(),
                rendezvous,
                maxUnexpectedBytes,
                timeout,
                progressThread);
    }

    public MessagingOptions withRendezvousThresholdBytes(int value) {
        return new MessagingOptions(rnic, channel, value, rendezvous, maxUnexpectedBytes, timeout, progressThread);
    }

    /** How large messages of this rank go. */
    public MessagingOptions withRendezvous(RendezvousMode value) {
        return new MessagingOptions(
                rnic, channel, rendezvousThresholdBytes, value, maxUnexpectedBytes, timeout, progressThread);
    }

    public MessagingOptions withMaxUnexpectedBytes(long value) {
        return new MessagingOptions(
                rnic, channel, rendezvousThresholdBytes, rendezvous, value, timeout, progressThread);
    }

    public MessagingOptions withTimeout(Duration value) {
        return new MessagingOptions(
                rnic, channel, rendezvousThresholdBytes, rendezvous, maxUnexpectedBytes, value, progressThread);
    }

    /**
     * A thread that makes progress while the program does something else, so that large messages go on (MPI's asynchronous progress).
     * The RNIC gets engine threads. Without it messages wait for the program's next call, and only connections are kept alive meanwhile.
     */
    public MessagingOptions withProgressThread() {
        return new MessagingOptions(
                rnic.withProgress(Progress.ENGINE_THREAD),
                channel,
                rendezvousThresholdBytes,
                rendezvous,
                maxUnexpectedBytes,
                timeout,
                true);
    }
}
