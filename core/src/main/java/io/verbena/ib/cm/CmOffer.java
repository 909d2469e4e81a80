package io.verbena.ib.cm;

import io.verbena.ib.packet.Psn;

/**
 * The properties that a requester proposes, as contained in a REQ.
 *
 * @param serviceId the requested service
 * @param transportService 0 RC, 1 UC, 2 RD
 * @param queuePair number of the sender's queue pair, or of its end-to-end context with transport service 2
 * @param startingPsn first PSN that the other side must use
 * @param responderResources Reads and atomics that the sender serves
 * @param initiatorDepth Reads and atomics that the sender requests to have outstanding
 * @param mtuCode path MTU, 1 to 5 for 256 to 4096
 * @param retries retry count, 0 to 7
 * @param receiverNotReadyRetries RNR retry count, 0 to 7
 * @param ackTimeoutCode of the path
 * @param reportsCredits whether the sender reports end-to-end credits
 * @param sharedReceives whether the sender receives from a shared queue
 * @param privateData complete private data, including the header of rdma_cm if present. Four bytes that exceed the
 *     field are the attribute modifier of the datagram
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

    /** The transport service RD, which connects end-to-end contexts instead of queue pairs. */
    public static final int RELIABLE_DATAGRAM = 2;

    /** Checks the ranges and copies the private data. */
    public CmOffer {
        if (queuePair < 0 || queuePair > Psn.MASK || startingPsn < 0 || startingPsn > Psn.MASK) {
            throw new IllegalArgumentException(
                    "queue pair " + queuePair + " or PSN " + startingPsn + " is out of range: both have 24 bits");
        }
        privateData = privateData.clone();
    }

    @Override
    public byte[] privateData() {
        return privateData.clone();
    }
}
