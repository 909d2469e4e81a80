package io.verbena.ib;

/** What the two ends of a reliable connection may agree on besides the specification's minimum. */
public enum RcOption {
    /** The responder reports in each acknowledgement how many receives are posted. Not for a shared receive queue. */
    REPORTS_CREDITS,
    /** The requester sends Sends and immediate data only as far as the peer has reported receives. */
    HEEDS_CREDITS,
    /** Packets that were marked by a congested router are answered with notifications, and notifications lower the rate. */
    CONGESTION_CONTROL,
    /**
     * An extension, between two Verbenas only: requests that came before a lost one are kept and acknowledged selectively, and only
     * what was lost is sent again. Work is still executed and delivered in order.
     */
    SELECTIVE_REPEAT
}
