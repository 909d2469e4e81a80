package io.verbena.base;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A region of a peer that this process may access directly; {@link SharedGrants} has the protocol. What is permitted was
 * copied when the grant arrived and does not change: of the words in shared memory only {@code grant} is read, and only
 * compared. So no bytes that the peer writes can make this process access anything else than the memory that it was given.
 *
 * <p>One thread at a time.
 */
public final class GrantedMemory {

    private static final VarHandle WORD = SharedGrants.WORD;
    private static final int ALIGNMENT = Long.BYTES;

    /** Bytes copied between {@link #enter} and {@link #leave} at most; the owner of the memory waits for it if it revokes the grant. */
    public static final int PIECE_BYTES = 128 * 1024;

    private final MemorySegment memory;
    private final MemorySegment page;
    private final Terms terms;
    private final long grantAt;
    private final long insideAt;

    /** What {@code inside} is now; even while outside. */
    private long inside;

    /** The memory as a buffer, for {@link #piece}. */
    private @Nullable ByteBuffer bytes;

    /**
     * What a peer permits.
     *
     * @param key the key for which it is
     * @param base address of the first byte, as the key names it
     * @param rights a bit for each right
     * @param slot slot of the connection
     * @param number the value of {@code grant} while it is valid
     */
    public record Terms(int key, long base, int rights, int slot, long number) {

        /** Whether the values are possible. */
        public boolean valid() {
            return key != 0 && slot >= 0 && slot < SharedGrants.SLOTS && number != 0;
        }
    }

    /**
     * Memory of a peer.
     *
     * @param memory the region, writable, whose size the peer cannot change
     * @param page the page of {@link SharedGrants}
     */
    public GrantedMemory(MemorySegment memory, MemorySegment page, Terms terms) {
        assert terms.valid() && page.byteSize() == SharedGrants.PAGE_BYTES;
        this.memory = memory;
        this.page = page;
        this.terms = terms;
        grantAt = SharedGrants.grantAt(terms.slot());
        insideAt = SharedGrants.insideAt(terms.slot());
        inside = (long) WORD.getAcquire(page, insideAt) + 1 & -2L;
    }

    /** The key for which it is. */
    public int key() {
        return terms.key();
    }

    /** Whether the grant permits an access. */
    public boolean permits(long address, long length, int rightBit) {
        // Modulo 2^64, as addresses are: an address before the first byte has a large offset or a negative one.
        long start = address - terms.base();
        return (terms.rights() & rightBit) != 0
                && start >= 0
                && length >= 0
                && length <= memory.byteSize()
                && start <= memory.byteSize() - length;
    }

    /** Whether the grant is valid now. It may not be any more when this returns. */
    public boolean live() {
        return (long) WORD.getAcquire(page, grantAt) == terms.number();
    }

    /** Begins to access the memory. If it returns false, the grant was revoked, and the memory must not be accessed. */
    public boolean enter() {
        assert (inside & 1) == 0;
        WORD.setOpaque(page, insideAt, ++inside);
        VarHandle.fullFence();
        if (live()) {
            return true;
        }
        leave();
        return false;
    }

    /** The memory is not accessed any more. */
    public void leave() {
        assert (inside & 1) == 1;
        WORD.setRelease(page, insideAt, ++inside);
    }

    // Between enter and leave.

    /** Bytes from an address that the grant permits, from position to limit, until the next call: as many, or {@link #PIECE_BYTES}. */
    public ByteBuffer piece(long address, int length) {
        assert (inside & 1) == 1;
        ByteBuffer byteBuffer = bytes == null ? memory.asByteBuffer() : bytes;
        bytes = byteBuffer;
        int at = (int) offset(address);
        return byteBuffer.limit(at + Math.min(length, PIECE_BYTES)).position(at);
    }

    /** The memory of the region. */
    public MemorySegment memory() {
        assert (inside & 1) == 1;
        return memory;
    }

    /** Where an address is in the memory. */
    public long offset(long address) {
        return address - terms.base();
    }

    /** Whether the word at an address can be accessed atomically. */
    public boolean aligned(long address) {
        return (offset(address) & ALIGNMENT - 1) == 0 && (address & ALIGNMENT - 1) == 0;
    }

    /** Adds to the word at an address, atomically for all processes. Returns the previous value. */
    public long getAndAdd(long address, long addend) {
        return (long) WORD.getAndAdd(memory(), offset(address), addend);
    }

    /** Replaces the word at an address if it has a value, atomically for all processes. Returns the previous value. */
    public long compareAndExchange(long address, long expected, long replacement) {
        return (long) WORD.compareAndExchange(memory(), offset(address), expected, replacement);
    }
}
