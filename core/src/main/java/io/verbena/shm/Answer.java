package io.verbena.shm;

import java.nio.ByteBuffer;

/**
 * What the acceptor sends first on the socket of a connection. Big endian.
 *
 * <pre>
 *    0 | magic "VRBNSHMA"                     8 |
 *    8 | nonce that stands in the memory     16 |
 *   24 | outcome       4 | reserved           4 |
 * </pre>
 */
final class Answer {

    /** Length of the frame in bytes. */
    static final int LENGTH = 32;

    /** Outcomes. */
    static final int OPENED = 0;

    /** The acceptor cannot open the memory: another user, or another namespace of processes. */
    static final int NOT_OPENED = 1;

    private static final long MAGIC = 0x5652_424e_5348_4d41L;

    private final ByteBuffer frame;

    Answer(ByteBuffer frame) {
        assert frame.capacity() >= LENGTH;
        this.frame = frame;
    }

    Answer fill(long nonceHigh, long nonceLow, int outcome) {
        frame.putLong(0, MAGIC);
        frame.putLong(8, nonceHigh);
        frame.putLong(16, nonceLow);
        frame.putInt(24, outcome);
        frame.putInt(28, 0);
        return this;
    }

    /** Whether this is an answer; needs the first 8 bytes only. */
    boolean valid() {
        return frame.getLong(0) == MAGIC;
    }

    long nonceHigh() {
        return frame.getLong(8);
    }

    long nonceLow() {
        return frame.getLong(16);
    }

    int outcome() {
        return frame.getInt(24);
    }

    @Override
    public String toString() {
        return "Answer outcome=" + outcome();
    }
}
