package io.verbena.shm;

import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The reading side of loans, see {@link Lender}: the blocks that the peer has announced. Its values are checked before use. */
final class Borrower {

    private final SharedBlocks blocks;
    private final ByteBuffer memory;
    private final int openedWord;
    private final int endingThere;
    private final SharedBlocks.@Nullable Opened[] slots = new SharedBlocks.Opened[SharedLayout.SLOTS];
    private long announcements;

    Borrower(SharedBlocks blocks, ByteBuffer memory, boolean initiator) {
        this.blocks = blocks;
        this.memory = memory;
        openedWord = SharedLayout.word(initiator, SharedLayout.OPENED);
        endingThere = SharedLayout.word(!initiator, SharedLayout.ENDING);
    }

    /** The peer announces a block: it is opened, if that is possible, and the peer learns whether. */
    void announced(LoanRecord record) throws IOException {
        int slot = checked(record.slot());
        forget(slot);
        int opened = 0;
        if (SharedBlock.valid(record.count())) {
            try {
                slots[slot] = blocks.open(
                        record.process(), record.handle(), record.count(), record.nonceHigh(), record.nonceLow());
                opened = 1;
            } catch (IOException e) {
                // The peer copies to the ring.
            }
        }
        announcements++;
        SharedLayout.store(memory, openedWord, announcements << 1 | opened);
    }

    /** The peer has released a block. */
    void forgotten(LoanRecord record) throws IOException {
        forget(checked(record.slot()));
    }

    /** The bytes of the block that a loan is in. */
    ByteBuffer lent(LoanRecord record) throws IOException {
        SharedBlocks.Opened opened = slots[checked(record.slot())];
        if (opened == null) {
            throw new IOException("The peer lends memory that is not open");
        }
        ByteBuffer bytes = opened.bytes();
        int count = record.count();
        long offset = record.offset();
        if (count <= 0 || offset < 0 || offset > bytes.capacity() - count) {
            throw new IOException("The peer lends " + count + " bytes at offset " + offset + " of a block of "
                    + bytes.capacity() + " bytes");
        }
        return bytes;
    }

    /**
     * Fails if the peer has withdrawn its loans, so that bytes that were copied before this call are not to be used.
     */
    void checkNotWithdrawn() throws IOException {
        VarHandle.loadLoadFence();
        if (SharedLayout.load(memory, endingThere) == SharedLayout.RESET) {
            throw new IOException("Connection reset");
        }
    }

    private static int checked(int slot) throws IOException {
        if (slot < 0 || slot >= SharedLayout.SLOTS) {
            throw new IOException("The peer names slot " + slot + " for a block");
        }
        return slot;
    }

    private void forget(int slot) {
        SharedBlocks.Opened opened = slots[slot];
        slots[slot] = null;
        if (opened != null) {
            opened.close();
        }
    }

    void close() {
        for (int i = 0; i < slots.length; i++) {
            forget(i);
        }
    }
}
