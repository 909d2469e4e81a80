package io.verbena.iwarp;

import java.nio.ByteBuffer;

/** Takes a short FPDU within the call that posts its message; see {@link ShortFrames}. */
public interface FramePath {

    /** Sends the bytes from index 0 on, all or none. Returns false if nothing was sent. */
    boolean send(ByteBuffer frame, int bytes);
}
