package io.verbena.verbs;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** A segment of an address space. */
public interface AddressSegment extends AutoCloseable {

    AddressSpace addressSpace();

    /** Effective segment ID: the upper bits of its addresses. */
    int id();

    /** Effective address of its first byte. */
    long address();

    /**
     * Virtual address of its first byte, for kernel processes.
     *
     * @throws IllegalArgumentException in a user process
     */
    long virtualAddress();

    /** Length in bytes. */
    long length();

    /** Whether its pages come and go. */
    boolean pageable();

    /** Whether this process may write it. */
    boolean writable();

    /** Whether its pages pass by the operating system's cache. */
    boolean direct();

    /** Bytes of it that are in memory now. */
    long residentBytes();

    /** A pinned segment's memory, for the program's own use. */
    Optional<MemorySegment> segment();

    /** Makes a pageable segment longer, for all who share it. */
    void grow(long bytes) throws IOException;

    /** Makes a pageable segment shorter, for all who share it: when this returns, nothing touches what was cut off. */
    void shrink(long bytes) throws IOException;

    /** Changes what this process may do with it: when writing was taken away and this returned, nothing writes. */
    void protect(boolean nowWritable);

    /** Takes pages of it out of memory, and writes those that were changed. */
    void swapOut(long offset, long bytes) throws IOException;

    /** Brings pages of it in. */
    void swapIn(long offset, long bytes) throws IOException;

    /** Unmaps it: when this returned, nothing touches it. What was changed of a file is written. */
    @Override
    void close() throws IOException;
}
