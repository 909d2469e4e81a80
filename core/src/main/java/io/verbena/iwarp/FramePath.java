package io.verbena.iwarp;

import java.nio.ByteBuffer;

/** Takes a short FPDU within the call that posts its message; see {@link ShortFrames}. */
public interface FramePath {

    /** Sends the bytes from index 0 on, all or none. Returns false if nothing was sent. */
    boolean send(ByteBuffer frame, int bytes);

    /** Whether the peer takes an FPDU as a {@link ShortMessage}. */
    default boolean shortens() {
        return false;
    }

    /** Sends a {@link ShortMessage}. Returns false if nothing was sent. */
    default boolean sendShort(ByteBuffer message, int bytes) {
        return false;
    }
}
