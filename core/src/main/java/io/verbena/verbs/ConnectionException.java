package io.verbena.verbs;

import java.io.IOException;

/** A connection did not come about. */
public class ConnectionException extends IOException {

    private static final long serialVersionUID = 1L;

    /** What went wrong. */
    public enum Kind {
        /** Nobody listens there. */
        REFUSED,
        /** The peer's application turned it away. */
        REJECTED,
        /** No answer in time. */
        TIMED_OUT,
        /** The peer spoke something else or the connection broke. */
        FAILED
    }

    private final Kind kind;
    private final byte[] privateData;

    public ConnectionException(Kind kind, String sentence, byte[] privateData) {
        super(sentence);
        this.kind = kind;
        this.privateData = privateData.clone();
    }

    public Kind kind() {
        return kind;
    }

    /** What the peer's application sent along when it rejected. */
    public byte[] privateData() {
        return privateData.clone();
    }
}
