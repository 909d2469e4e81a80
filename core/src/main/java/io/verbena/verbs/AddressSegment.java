package io.verbena.verbs;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** A segment of an {@link AddressSpace}. Any thread may call any method. */
public interface AddressSegment extends AutoCloseable {

    /** The address space that the segment is mapped in. */
    AddressSpace addressSpace();

    /** Effective segment ID: the upper bits of the addresses of the segment. */
    int id();

    /** Effective address of the first byte. */
    long address();

    /**
     * Virtual address of the first byte, for kernel processes.
     *
     * @throws IllegalArgumentException if the address space belongs to a user process
     */
    long virtualAddress();

    /** Length in bytes. */
    long length();

    /** Whether the pages of the segment can be paged out. */
    boolean pageable();

    /** Whether this process may write to the segment. */
    boolean writable();

    /** Whether the pages bypass the page cache of the operating system (direct I/O). */
    boolean direct();

    /** Number of bytes that are in memory now. */
    long residentBytes();

    /** The memory of a pinned segment, for use by the program; empty for a pageable segment. */
    Optional<MemorySegment> segment();

    /**
     * Makes a pageable segment longer, for all address spaces that share it.
     *
     * @param bytes the new length
     * @throws IOException if the backing file cannot be extended
     */
    void grow(long bytes) throws IOException;

    /**
     * Makes a pageable segment shorter, for all address spaces that share it. After the return nothing accesses the
     * removed part.
     *
     * @param bytes the new length
     * @throws IOException if the backing file cannot be changed
     */
    void shrink(long bytes) throws IOException;

    /**
     * Changes the protection for this process. After write access was removed and this method returned, nothing writes
     * to the segment.
     */
    void protect(boolean nowWritable);

    /**
     * Pages out a range of a pageable segment; modified pages are written first.
     *
     * @throws IOException if a page cannot be written
     */
    void swapOut(long offset, long bytes) throws IOException;

    /**
     * Pages in a range of a pageable segment.
     *
     * @throws IOException if a page cannot be read
     */
    void swapIn(long offset, long bytes) throws IOException;

    /**
     * Offers the segment to other processes of this host and user, which open it with the token of the offer. The segment must
     * have been created by {@link AddressSpace#mapShareable} in this process.
     *
     * @throws IllegalArgumentException if the segment is of another kind, or is to be writable but is not so here
     * @throws IOException if the system refuses; the message states the reason
     */
    default SegmentOffer offer(SegmentOfferOptions options) throws IOException {
        throw new UnsupportedOperationException("This RNIC does not share memory with other processes.");
    }

    /**
     * Unmaps the segment, and ends its offers. After the return nothing accesses it in this process. Modified pages of a file
     * are written.
     *
     * @throws IOException if a page cannot be written
     */
    @Override
    void close() throws IOException;
}
