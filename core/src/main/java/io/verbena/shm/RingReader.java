package io.verbena.shm;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The reading end of a ring, see {@link SharedLayout}. The peer may write anything at any time: each header is loaded once
 * and checked before it is used, the position is this side's own, and bytes are copied out before anyone interprets them.
 * One thread at a time.
 */
final class RingReader {

    private final ByteBuffer memory;
    private final int ring;
    private final int size;
    private int window;
    private final int consumedWord;

    /** Position of the record that is being read. */
    private long head;

    /** Payload bytes of that record, 0 if its header was not loaded, and how many of them were read. */
    private int length;

    private int taken;
    private boolean grows;

    /** Where that record is in the ring. */
    private int slot;

    RingReader(ByteBuffer memory, boolean initiator, int ringBytes) {
        this.memory = memory;
        this.ring = SharedLayout.ring(!initiator, ringBytes);
        this.size = ringBytes;
        this.window = SharedLayout.firstWindow(ringBytes);
        this.consumedWord = SharedLayout.word(initiator, SharedLayout.CONSUMED);
    }

    /** Whether bytes are available. */
    boolean hasBytes() {
        return length != 0 || SharedLayout.load(memory, ring + slot) != 0;
    }

    /**
     * Copies available bytes to a buffer, from index {@code at} on.
     *
     * @return the number of bytes; 0 if none are available
     * @throws IOException if the peer wrote an impossible header
     */
    int read(ByteBuffer target, int at, int count) throws IOException {
        int done = 0;
        while (done < count && load()) {
            int piece = Math.min(count - done, length - taken);
            target.put(at + done, memory, ring + slot + SharedLayout.HEADER + taken, piece);
            done += piece;
            taken += piece;
            if (taken == length) {
                next();
            }
        }
        return done;
    }

    private boolean load() throws IOException {
        if (length != 0) {
            return true;
        }
        long header = SharedLayout.load(memory, ring + slot);
        if (header == 0) {
            return false;
        }
        int announced = (int) header & ~SharedLayout.GROWS;
        boolean growing = ((int) header & SharedLayout.GROWS) != 0;
        if (announced <= 0
                || announced > window - slot - SharedLayout.HEADER
                || SharedLayout.occupied(announced) > window - SharedLayout.LINE
                || growing && (slot + SharedLayout.occupied(announced) != window || window == size)
                || header >>> Integer.SIZE != SharedLayout.number(head)) {
            throw new IOException("The peer wrote an impossible header into shared memory: 0x"
                    + Long.toHexString(header) + " at position " + head);
        }
        length = announced;
        grows = growing;
        taken = 0;
        return true;
    }

    private void next() {
        int occupied = SharedLayout.occupied(length);
        head += occupied;
        slot += occupied;
        if (grows) {
            window *= 2;
        } else if (slot == window) {
            slot = 0;
        }
        length = 0;
        SharedLayout.store(memory, consumedWord, head);
    }

    /** Position up to which the peer may write again. */
    long consumed() {
        return head;
    }

    /** Bytes of the ring that the writer uses now. */
    int window() {
        return window;
    }
}
