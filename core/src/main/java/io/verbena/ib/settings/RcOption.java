package io.verbena.ib.settings;

/** Options that the two ends of a reliable connection negotiate. */
public enum RcOption {
    /** The responder reports the number of posted receives in each acknowledgement. Not for a shared receive queue. */
    REPORTS_CREDITS,
    /** The requester sends Sends and immediate data only for receives that the peer has reported. */
    HEEDS_CREDITS,
    /**
     * The responder answers packets that a congested router marked with notifications, and the requester lowers its
     * rate.
     */
    CONGESTION_CONTROL,
    /**
     * An extension between two Verbenas: packets that arrive after a lost one are kept or placed and acknowledged
     * selectively, and only lost packets are sent again. Work is executed and delivered in order.
     */
    SELECTIVE_REPEAT,
    /**
     * An extension between two Verbenas: requests are spread over several paths, each names its final place, and is
     * acknowledged by itself. Includes what {@link #SELECTIVE_REPEAT} is for; both are set.
     */
    PATHS
}
