package io.verbena.ib.cm;

import io.verbena.ib.Psn;

/**
 * What a requester asks for, as a REQ carries it.
 *
 * @param serviceId who is asked
 * @param transportService 0 RC, 1 UC, 2 RD
 * @param queuePair number of the sender's queue pair
 * @param startingPsn the PSN that the other side is to send with first
 * @param responderResources Reads and atomics that the sender serves
 * @param initiatorDepth Reads and atomics that the sender wants to have outstanding
 * @param mtuCode path MTU, 1 to 5 for 256 to 4096
 * @param retries retry count, 0 to 7
 * @param receiverNotReadyRetries RNR retry count, 0 to 7
 * @param ackTimeoutCode of the path
 * @param reportsCredits whether the sender reports end-to-end credits
 * @param sharedReceives whether the sender receives from a shared queue
 * @param privateData as a whole, with the header of rdma_cm where there is one
 */
public record CmOffer(
        long serviceId,
        int transportService,
        int queuePair,
        int startingPsn,
        int responderResources,
        int initiatorDepth,
        int mtuCode,
        int retries,
        int receiverNotReadyRetries,
        int ackTimeoutCode,
        boolean reportsCredits,
        boolean sharedReceives,
        byte[] privateData) {

    /** Keeps its own copy. */
    public CmOffer {
        if (queuePair < 0 || queuePair > Psn.MASK || startingPsn < 0 || startingPsn > Psn.MASK) {
            throw new IllegalArgumentException("queue pair numbers and PSNs have 24 bits");
        }
        privateData = privateData.clone();
    }

    @Override
    public byte[] privateData() {
        return privateData.clone();
    }
}
