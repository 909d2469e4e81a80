package io.verbena.ib.cm;

import io.verbena.ib.packet.Psn;

/**
 * The end of a connection that a REQ or a REP states: that of its sender.
 *
 * @param queuePair number of the sender's queue pair, or of its end-to-end context with transport service 2
 * @param startingPsn first PSN that the other side must use
 * @param responderResources Reads and atomics that the sender serves
 * @param initiatorDepth Reads and atomics that the sender has outstanding
 * @param reportsCredits whether the sender reports end-to-end credits
 * @param sharedReceives whether the sender receives from a shared queue
 */
public record CmEndpoint(
        int queuePair,
        int startingPsn,
        int responderResources,
        int initiatorDepth,
        boolean reportsCredits,
        boolean sharedReceives) {

    /** Checks the ranges. */
    public CmEndpoint {
        if (queuePair < 0 || queuePair > Psn.MASK || startingPsn < 0 || startingPsn > Psn.MASK) {
            throw new IllegalArgumentException(
                    "queue pair " + queuePair + " or PSN " + startingPsn + " is out of range: both have 24 bits");
        }
    }
}
