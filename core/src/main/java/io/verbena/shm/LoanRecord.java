package io.verbena.shm;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What a record says about memory that its writer lends, instead of bytes of the stream. In the order of the machine.
 *
 * <pre>
 *    0 | kind            4 | slot, or key     4 |
 *    8 | count           4 | handle           4 |   announcement: bytes of the region
 *   16 | offset, or process                  8 |
 *   24 | nonce                               16 |
 * </pre>
 */
final class LoanRecord {

    static final int LENGTH = 40;

    /** Kinds. */
    static final int ANNOUNCEMENT = 1;

    static final int LOAN = 2;
    static final int FORGET = 3;

    /** The writer wants to access memory of the reader directly; the slot is the key. */
    static final int REQUEST = 4;

    private final ByteBuffer copy = ByteBuffer.allocateDirect(LENGTH).order(ByteOrder.nativeOrder());

    /** Copies it from the ring, where the peer can change it. */
    void load(ByteBuffer memory, int at) {
        copy.put(0, memory, at, LENGTH);
    }

    void store(ByteBuffer memory, int at) {
        memory.put(at, copy, 0, LENGTH);
    }

    LoanRecord announcement(int slot, SharedBlock block) {
        return fill(ANNOUNCEMENT, slot, block.length(), block.handle(), block.process())
                .nonce(block.nonceHigh(), block.nonceLow());
    }

    LoanRecord loan(int slot, long offset, int count) {
        return fill(LOAN, slot, count, 0, offset);
    }

    LoanRecord forget(int slot) {
        return fill(FORGET, slot, 0, 0, 0);
    }

    LoanRecord request(int key) {
        return fill(REQUEST, key, 0, 0, 0);
    }

    private LoanRecord fill(int kind, int slot, int count, int handle, long word) {
        copy.putInt(0, kind);
        copy.putInt(4, slot);
        copy.putInt(8, count);
        copy.putInt(12, handle);
        copy.putLong(16, word);
        return nonce(0, 0);
    }

    private LoanRecord nonce(long high, long low) {
        copy.putLong(24, high);
        copy.putLong(32, low);
        return this;
    }

    int kind() {
        return copy.getInt(0);
    }

    int slot() {
        return copy.getInt(4);
    }

    int count() {
        return copy.getInt(8);
    }

    int handle() {
        return copy.getInt(12);
    }

    long offset() {
        return copy.getLong(16);
    }

    long process() {
        return copy.getLong(16);
    }

    long nonceHigh() {
        return copy.getLong(24);
    }

    long nonceLow() {
        return copy.getLong(32);
    }

    @Override
    public String toString() {
        return "LoanRecord kind=" + kind() + " slot=" + slot() + " count=" + count() + " at=" + offset();
    }
}
