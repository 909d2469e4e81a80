package io.verbena.ib;

import java.util.Set;

/**
 * What the two ends of a reliable connection have agreed on.
 *
 * @param localQp number of this queue pair
 * @param remoteQp number of the peer's queue pair
 * @param mtuBytes payload of a full packet: 256, 512, 1024, 2048 or 4096
 * @param firstSendPsn first PSN that this side's requester sends
 * @param firstReceivePsn first PSN that this side's responder expects
 * @param outboundReads Reads and atomics that may be outstanding at the peer, 0 for none
 * @param inboundReads Reads and atomics of the peer that this side keeps, 0 for none
 * @param retries how often requests are sent again without progress, 0 to 7
 * @param receiverNotReadyRetries the same after "receiver not ready", 0 to 6; 7 is for ever
 * @param ackTimeoutNs how long to wait for an acknowledgement; 0 is for ever
 * @param receiverNotReadyCode RNR timer code that the peer is told, 0 to 31
 * @param windowPackets most packets that are not acknowledged at a time; responses to Reads count
 * @param options what is used besides
 */
public record RcSettings(
        int localQp,
        int remoteQp,
        int mtuBytes,
        int firstSendPsn,
        int firstReceivePsn,
        int outboundReads,
        int inboundReads,
        int retries,
        int receiverNotReadyRetries,
        long ackTimeoutNs,
        int receiverNotReadyCode,
        int windowPackets,
        Set<RcOption> options) {

    /** A value of the retry counters of "receiver not ready" that never runs out. */
    public static final int FOREVER = 7;

    /** Checks the ranges. */
    public RcSettings {
        if (Integer.bitCount(mtuBytes) != 1 || mtuBytes < 256 || mtuBytes > 4096) {
            throw new IllegalArgumentException("the path MTU is 256, 512, 1024, 2048 or 4096, not " + mtuBytes);
        }
        if (windowPackets < 1 || windowPackets > Psn.MASK / 2) {
            throw new IllegalArgumentException("the window is 1 to 2^23 - 1 packets, not " + windowPackets);
        }
        options = Set.copyOf(options);
    }

    /** Without options. */
    public RcSettings(
            int localQp,
            int remoteQp,
            int mtuBytes,
            int firstSendPsn,
            int firstReceivePsn,
            int outboundReads,
            int inboundReads,
            int retries,
            int receiverNotReadyRetries,
            long ackTimeoutNs,
            int receiverNotReadyCode,
            int windowPackets) {
        this(
                localQp,
                remoteQp,
                mtuBytes,
                firstSendPsn,
                firstReceivePsn,
                outboundReads,
                inboundReads,
                retries,
                receiverNotReadyRetries,
                ackTimeoutNs,
                receiverNotReadyCode,
                windowPackets,
                Set.of());
    }

    /** The same with these options. */
    public RcSettings with(RcOption... chosen) {
        return new RcSettings(
                localQp,
                remoteQp,
                mtuBytes,
                firstSendPsn,
                firstReceivePsn,
                outboundReads,
                inboundReads,
                retries,
                receiverNotReadyRetries,
                ackTimeoutNs,
                receiverNotReadyCode,
                windowPackets,
                Set.of(chosen));
    }

    /** Packets that one Read request asks for: a longer Read is several requests, so that responses fit the window. */
    int readPackets() {
        return Math.max(1, windowPackets / 2);
    }
}
