package io.verbena.shm;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The writing side of loans: payload in a {@link SharedBlock} is not copied to the ring, but a record names it, and the peer
 * copies it from there. The peer opens each block once, after a record that announces it; until then, and if it cannot, payload
 * is copied to the ring.
 *
 * <pre>
 *   writer                                        reader
 *   announce: slot, process, handle, nonce ---->  opens it
 *                                          &lt;----  opened := number of the announcement, and whether it succeeded
 *   loan: slot, offset, count -------------------> copies
 *                                          &lt;----  consumed: the loan is returned
 * </pre>
 */
final class Lender {

    /** No slot. */
    static final int NONE = -1;

    /** Payload of fewer bytes is copied to the ring: the reader would copy it via a slab in any case. */
    static final int LEAST_BYTES = 8 * 1024;

    private final BlockTable blocks;
    private final ByteBuffer memory;
    private final int openedWord;

    private final @Nullable SharedBlock[] slots = new SharedBlock[SharedLayout.SLOTS];
    private final boolean[] open = new boolean[SharedLayout.SLOTS];
    private int announced = NONE;
    private long announcements;
    private int releasesSeen;

    private long lent;
    private long returned;

    Lender(BlockTable blocks, ByteBuffer memory, boolean initiator) {
        this.blocks = blocks;
        this.memory = memory;
        openedWord = SharedLayout.word(!initiator, SharedLayout.OPENED);
        releasesSeen = blocks.released();
    }

    // Blocks.

    /**
     * Where the block of a range of addresses is known to the peer; {@link #NONE} if the range must be copied. Announces the
     * block, if it has not been.
     *
     * @throws IOException if the peer wrote impossible values into the ring
     */
    int slotOf(long address, int count, RingWriter out) throws IOException {
        if (count < LEAST_BYTES) {
            return NONE;
        }
        takeAnswer();
        forgetReleased(out);
        for (int i = 0; i < slots.length; i++) {
            SharedBlock block = slots[i];
            if (block != null && block.contains(address, count)) {
                return open[i] ? i : NONE;
            }
        }
        SharedBlock block = announced == NONE ? blocks.at(address, count) : null;
        if (block != null) {
            announce(block, out);
        }
        return NONE;
    }

    /** Offset of an address in the block of a slot. */
    long offset(int slot, long address) {
        SharedBlock block = slots[slot];
        assert block != null;
        return address - block.address();
    }

    private void takeAnswer() {
        if (announced != NONE) {
            long answer = SharedLayout.load(memory, openedWord);
            if (answer >>> 1 == announcements) {
                open[announced] = (answer & 1) != 0;
                announced = NONE;
            }
        }
    }

    private void announce(SharedBlock block, RingWriter out) throws IOException {
        for (int i = 0; i < slots.length; i++) {
            if (slots[i] == null) {
                if (out.announce(i, block)) {
                    slots[i] = block;
                    open[i] = false;
                    announced = i;
                    announcements++;
                }
                return;
            }
        }
    }

    /** Lets the peer unmap blocks whose regions were released. */
    private void forgetReleased(RingWriter out) throws IOException {
        int releases = blocks.released();
        if (releases == releasesSeen || announced != NONE) {
            return;
        }
        for (int i = 0; i < slots.length; i++) {
            SharedBlock block = slots[i];
            if (block != null && block.released()) {
                if (!out.forget(i)) {
                    return;
                }
                slots[i] = null;
                open[i] = false;
            }
        }
        releasesSeen = releases;
    }

    // Loans.

    /** A record up to this position names a loan. */
    void lent(long position) {
        lent = position;
    }

    /** Position after the last loan. */
    long lent() {
        return lent;
    }

    /** The peer has consumed everything up to this position. Returns whether that is more than before and there were loans. */
    boolean returned(long position) {
        boolean news = out() && position - returned > 0;
        returned = position;
        return news;
    }

    /** Position up to which the peer is known to have consumed. */
    long returned() {
        return returned;
    }

    /** Whether loans are not known to be returned. */
    boolean out() {
        return lent - returned > 0;
    }
}
