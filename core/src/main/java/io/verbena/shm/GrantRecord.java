package io.verbena.shm;

import io.verbena.base.GrantedMemory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The answer of a side to a {@link LoanRecord#REQUEST}: memory that its peer may access directly. In the order of the machine.
 *
 * <pre>
 *    0 | key             4 | slot             4 |
 *    8 | length          4 | handle           4 |   length 0: refused
 *   16 | process                              8 |
 *   24 | nonce                               16 |
 *   40 | base address                         8 |
 *   48 | number of the grant                  8 |
 *   56 | rights          4 | reserved         4 |
 * </pre>
 */
final class GrantRecord {

    /** Differs from {@link LoanRecord#LENGTH}, by which the reader knows it. */
    static final int LENGTH = 64;

    private final ByteBuffer copy = ByteBuffer.allocateDirect(LENGTH).order(ByteOrder.nativeOrder());

    /** Copies it from the ring, where the peer can change it. */
    void load(ByteBuffer memory, int at) {
        copy.put(0, memory, at, LENGTH);
    }

    void store(ByteBuffer memory, int at) {
        memory.put(at, copy, 0, LENGTH);
    }

    GrantRecord refusal(int key) {
        for (int at = 0; at < LENGTH; at += Long.BYTES) {
            copy.putLong(at, 0);
        }
        copy.putInt(0, key);
        return this;
    }

    GrantRecord grant(GrantedMemory.Terms terms, SharedBlock block) {
        refusal(terms.key());
        copy.putInt(4, terms.slot());
        copy.putInt(8, block.length());
        copy.putInt(12, block.handle());
        copy.putLong(16, block.process());
        copy.putLong(24, block.nonceHigh());
        copy.putLong(32, block.nonceLow());
        copy.putLong(40, terms.base());
        copy.putLong(48, terms.number());
        copy.putInt(56, terms.rights());
        return this;
    }

    int key() {
        return copy.getInt(0);
    }

    int length() {
        return copy.getInt(8);
    }

    int handle() {
        return copy.getInt(12);
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

    GrantedMemory.Terms terms() {
        return new GrantedMemory.Terms(key(), copy.getLong(40), copy.getInt(56), copy.getInt(4), copy.getLong(48));
    }

    @Override
    public String toString() {
        return "GrantRecord length=" + length() + " slot=" + copy.getInt(4) + " rights=" + copy.getInt(56);
    }
}
