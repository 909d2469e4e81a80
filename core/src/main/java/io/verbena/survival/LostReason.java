package io.verbena.survival;

/** Why an association cannot continue. */
public enum LostReason {
    /** No address led to the peer within the time that was allowed. */
    TOO_LATE,
    /** The processes at all addresses do not know the association: the process of the peer has ended. */
    UNKNOWN_TO_PEER,
    /** The peer states a progress that it cannot have. */
    VIOLATION
}
