package io.verbena.verbs;

import java.io.IOException;

/** A connection could not be established. */
public class ConnectionException extends IOException {

    private static final long serialVersionUID = 1L;

    /** Reason of the failure. */
    public enum Kind {
        /** Nothing listens at the address. */
        REFUSED,
        /** The application of the peer rejected the request. */
        REJECTED,
        /** The peer did not answer in time. */
        TIMED_OUT,
        /** The peer does not speak the protocol, or the connection broke. */
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

    /** Private data that the application of the peer sent with its rejection. */
    public byte[] privateData() {
        return privateData.clone();
    }
}
