package io.verbena.port;

import java.io.IOException;

/** A stream failed, or could not be connected, for a reason that is handled in its own way. */
public final class StreamException extends IOException {

    private static final long serialVersionUID = 1L;

    /** Reasons that are handled in different ways; any other failure is a plain {@link IOException}. */
    public enum Reason {
        /** Nothing listens at the address. */
        REFUSED,
        /** The system gave the peer up because it does not answer. */
        PEER_SILENT,
        /** The peer, or something on the path, has reset the stream. */
        RESET,
        /** The peer has ended its direction and takes nothing any more. What it had sent before can be read, and then its end. */
        PEER_ENDED,
        /** Local memory that was to be read or written is inaccessible. The stream itself may be intact. */
        MEMORY_GONE
    }

    private final Reason reason;

    /** A failure with its reason and the system's text for it. */
    public StreamException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    /** What happened. */
    public Reason reason() {
        return reason;
    }

    /** Whether a failure has this reason. */
    public static boolean is(Throwable failure, Reason reason) {
        return failure instanceof StreamException typed && typed.reason == reason;
    }
}
