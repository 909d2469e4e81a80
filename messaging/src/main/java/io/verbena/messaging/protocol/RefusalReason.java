package io.verbena.messaging.protocol;

/** Why other buffers were granted than requested. */
public enum RefusalReason {
    NONE("the request was granted"),
    RECEIVER_BUDGET("the receiver's budget for registered memory is used up"),
    RECEIVER_MEMORY("the receiver's system has no memory left"),
    TOO_LARGE("the receiver does not grant buffers of that size"),
    SENDER_BUDGET("the sender's budget for registered memory is used up"),
    SENDER_MEMORY("the sender's system has no memory left");

    private static final RefusalReason[] ALL = values();

    private final String description;

    RefusalReason(String description) {
        this.description = description;
    }

    /** A clause for messages. */
    public String description() {
        return description;
    }

    /** Decodes the reason of a peer; an unknown code is treated as {@link #TOO_LARGE}. */
    static RefusalReason of(int code) {
        return code >= 0 && code < ALL.length ? ALL[code] : TOO_LARGE;
    }
}
