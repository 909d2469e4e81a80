package io.verbena.ib.request;

/** Which packets a requester sends again, if not all from the oldest unanswered one on. */
public interface Repetition {

    /** No PSN. */
    int NOTHING = -1;

    /** Whether the packet with this PSN is passed over. */
    boolean has(int psn);

    /** Whether a packet with this PSN or a later one may have to be sent again. */
    boolean beforeHighest(int psn);

    /** Number of PSNs, at most {@code most}, that a Read request at {@code psn} skips or repeats. */
    int run(int psn, int most);

    /**
     * Starts to retransmit if there is something to send again.
     *
     * @param endPsn the first PSN that has not been sent
     * @return the first PSN to examine, or {@link #NOTHING}
     */
    int repeatFrom(int endPsn);
}
