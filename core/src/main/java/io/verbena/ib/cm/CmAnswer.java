package io.verbena.ib.cm;

/**
 * What a responder agrees to, as a REP carries it.
 *
 * @param queuePair number of the sender's queue pair
 * @param startingPsn the PSN that the other side is to send with first
 * @param responderResources Reads and atomics that the sender serves
 * @param initiatorDepth Reads and atomics that the sender will have outstanding
 * @param receiverNotReadyRetries RNR retry count that the other side is to use
 * @param reportsCredits whether the sender reports end-to-end credits
 * @param sharedReceives whether the sender receives from a shared queue
 * @param privateData as a whole
 */
public record CmAnswer(
        int queuePair,
        int startingPsn,
        int responderResources,
        int initiatorDepth,
        int receiverNotReadyRetries,
        boolean reportsCredits,
        boolean sharedReceives,
        byte[] privateData) {

    /** Keeps its own copy. */
    public CmAnswer {
        privateData = privateData.clone();
    }

    @Override
    public byte[] privateData() {
        return privateData.clone();
    }
}
