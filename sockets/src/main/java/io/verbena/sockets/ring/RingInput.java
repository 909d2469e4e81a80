package io.verbena.sockets.ring;

import java.nio.ByteBuffer;

/** The ring that the peer writes. One thread at a time uses it. */
final class RingInput {

    private final ByteBuffer memory;
    private final int ring;
    private final int readAt;
    private final int peerWrittenAt;
    private final int peerGrownAt;
    private final int most;
    private int window = RingLayout.FIRST_WINDOW_BYTES;

    /** Where the next byte is read; the size of the window if it is at the end. */
    private int offset;

    private int doublings;
    private long read;

    /** What the peer had written when this side looked last. */
    private long written;

    RingInput(ByteBuffer memory, boolean client, int ringBytes) {
        this.memory = memory;
        ring = RingLayout.ring(!client, ringBytes);
        readAt = RingLayout.word(client, RingLayout.READ);
        peerWrittenAt = RingLayout.word(!client, RingLayout.WRITTEN);
        peerGrownAt = RingLayout.word(!client, RingLayout.GROWN);
        most = ringBytes;
    }

    /** Bytes that can be read. */
    int available() throws RingViolation {
        long now = RingLayout.load(memory, peerWrittenAt);
        if (now - written < 0 || now - read > most) {
            throw new RingViolation("The peer states that it has written " + now + " bytes, after " + written
                    + ", of which " + read + " were read, in a ring of " + most + ".");
        }
        written = now;
        return (int) (now - read);
    }

    /**
     * Copies what has arrived, and shows the peer that it is read.
     *
     * @return the number of bytes
     */
    int read(ByteBuffer target) throws RingViolation {
        int all = Math.min(target.remaining(), available());
        long before = read;
        try {
            while (read < before + all) {
                int length = piece(before + all);
                target.put(target.position(), memory, ring + offset, length);
                target.position(target.position() + length);
                advance(length);
            }
        } finally {
            show((int) (read - before)); // memory of the program can fail in between
        }
        return all;
    }

    /** What has arrived, as far as it lies in one piece; how much of it was read is stated by {@link #taken(int)}. */
    ByteBuffer arrived() throws RingViolation {
        int all = available();
        int length = all == 0 ? 0 : piece(read + all); // without bytes the writer decides what follows the window
        return memory.slice(ring + offset, length).asReadOnlyBuffer();
    }

    /** This many bytes of the piece were read: shows the peer that there is space. */
    void taken(int bytes) {
        advance(bytes);
        show(bytes);
    }

    /** Reads everything that has arrived, and keeps nothing. */
    void discard() throws RingViolation {
        int all = available();
        long end = read + all;
        while (read < end) {
            advance(piece(end));
        }
        show(all);
    }

    /** Bytes before a position that can be read in one piece. At the end of the window the reader follows the writer. */
    private int piece(long end) {
        if (offset == window) {
            if (window < most && RingLayout.load(memory, peerGrownAt + doublings * Long.BYTES) == read) {
                doublings++;
                window *= 2;
            } else {
                offset = 0;
            }
        }
        return (int) Math.min(end - read, window - offset);
    }

    private void advance(int length) {
        offset += length;
        read += length;
    }

    private void show(int bytes) {
        if (bytes > 0) {
            RingLayout.store(memory, readAt, read);
        }
    }

    /** Whether so much is free that a peer which waits for space is to be woken: not after each small read. */
    boolean hasMuchSpace() {
        return written - read <= window / 2;
    }

    int windowBytes() {
        return window;
    }

    long read() {
        return read;
    }
}
