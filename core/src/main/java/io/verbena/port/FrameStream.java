package io.verbena.port;

import java.nio.ByteBuffer;

/**
 * A stream that accepts a short frame at once, outside of a turn of the engine that uses it: its owner need not collect what it sends in lists, because a
 * call costs little.
 */
public interface FrameStream extends ByteStream {

    /**
     * Writes a frame, in the order of the stream: all of it or nothing.
     *
     * @param frame the bytes from index 0 on
     * @param bytes their number, 1 or more
     * @return false if nothing was written: there is no space now, or the stream has failed, which the next write reports
     */
    boolean writeFrame(ByteBuffer frame, int bytes);
}
