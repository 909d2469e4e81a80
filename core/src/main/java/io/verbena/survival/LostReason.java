package io.verbena.survival;

/** Why an association cannot continue. */
public enum LostReason {
    /** No address led to the peer within the time that was allowed. */
    TOO_LATE,
    /** The processes at all addresses do not know the association: the process of the peer has ended. */
    UNKNOWN_TO_PEER,
    /** The peer states a progress that it cannot have. */
    VIOLATION;

    /**
     * What has happened, for people.
     *
     * @param last the end of the last transport, or of the last attempt, as a sentence
     */
    public String sentence(String last) {
        return switch (this) {
            case TOO_LATE -> "The connection could not be continued over another transport in time. " + last;
            case UNKNOWN_TO_PEER ->
                "The process of the peer has ended, or has given the connection up: at all its addresses the connection is"
                        + " unknown. " + last;
            case VIOLATION -> "The peer states a progress that it cannot have.";
        };
    }
}
