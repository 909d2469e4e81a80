package io.verbena.ib;

/**
 * What the two ends of an end-to-end context have agreed on.
 *
 * @param localContext number of the context here
 * @param remoteContext its number at the peer
 * @param mtuBytes payload of a full packet
 * @param firstSendPsn first PSN that this side's requester sends
 * @param firstReceivePsn first PSN that this side's responder expects
 * @param retries how often requests are sent again without progress
 * @param receiverNotReadyRetries the same for a queue pair whose peer is not ready; 7 is for ever
 * @param ackTimeoutNs how long to wait for an acknowledgement
 * @param receiverNotReadyCode RNR timer code that the peer is told
 * @param windowPackets most packets that are not acknowledged at a time
 */
public record RdSettings(
        int localContext,
        int remoteContext,
        int mtuBytes,
        int firstSendPsn,
        int firstReceivePsn,
        int retries,
        int receiverNotReadyRetries,
        long ackTimeoutNs,
        int receiverNotReadyCode,
        int windowPackets) {

    /** Packets that one Read request asks for. */
    int readPackets() {
        return Math.max(1, windowPackets / 2);
    }
}
