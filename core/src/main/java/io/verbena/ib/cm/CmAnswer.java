package io.verbena.ib.cm;

/**
 * The properties that a responder accepts, as contained in a REP.
 *
 * @param queuePair number of the sender's queue pair, or of its end-to-end context for a request of transport service 2
 * @param startingPsn first PSN that the other side must use
 * @param responderResources Reads and atomics that the sender serves
 * @param initiatorDepth Reads and atomics that the sender has outstanding
 * @param receiverNotReadyRetries RNR retry count that the other side must use
 * @param reportsCredits whether the sender reports end-to-end credits
 * @param sharedReceives whether the sender receives from a shared queue
 * @param privateData complete private data. Four bytes that exceed the
 *     field are the attribute modifier of the datagram
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

    /** Copies the private data. */
    public CmAnswer {
        privateData = privateData.clone();
    }

    @Override
    public byte[] privateData() {
        return privateData.clone();
    }
}
