package io.verbena.verbs;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;

/**
 * The effective address space of a consumer process: a segment table that maps its segments. An effective address means
 * something in its own space only, and is no address of this machine.
 */
public interface AddressSpace extends AutoCloseable {

    String name();

    /** Whether its process may name memory by virtual addresses too. */
    boolean kernel();

    VirtualMemory virtualMemory();

    /** Maps memory that is always there: zeroed, contiguous, translated in one step. */
    AddressSegment mapPinned(long bytes);

    /** Maps zeroed memory whose pages come and go. */
    AddressSegment map(long bytes) throws IOException;

    /**
     * Maps a part of a file; its pages come and go.
     *
     * @param offset a multiple of the page size
     * @param bytes 1 or more; a file that can be written grows to hold them
     * @throws IOException with a sentence, when the file cannot be opened or is too short
     */
    AddressSegment mapFile(Path file, long offset, long bytes, boolean writable) throws IOException;

    /**
     * Maps a segment of another process here too: shared memory. Each process has an address and remote keys of its own for
     * it. Processes here are address spaces of one JVM.
     */
    AddressSegment share(AddressSegment segment, boolean writable);

    /**
     * The same as {@link #map} where the caller says which addresses it gets, as a page fault handler needs. The segment is the one that
     * {@code address} lies in: it begins at that address with the lower 40 bits cleared.
     *
     * @param address an effective address that the new segment is to contain, such as {@link PageFault#address()}
     * @param bytes length of the segment, which must reach beyond {@code address}
     * @throws IllegalStateException when that segment is mapped already, perhaps shorter: {@link AddressSegment#grow} it
     */
    default AddressSegment mapAt(long address, long bytes) throws IOException {
        throw new UnsupportedOperationException("This RNIC chooses the addresses of segments itself.");
    }

    /** {@link #mapPinned} at the segment of an address; see {@link #mapAt}. */
    default AddressSegment mapPinnedAt(long address, long bytes) {
        throw new UnsupportedOperationException("This RNIC chooses the addresses of segments itself.");
    }

    /** {@link #mapFile} at the segment of an address, whose first byte is the one at {@code offset}; see {@link #mapAt}. */
    default AddressSegment mapFileAt(long address, Path file, long offset, long bytes, boolean writable)
            throws IOException {
        throw new UnsupportedOperationException("This RNIC chooses the addresses of segments itself.");
    }

    /** {@link #share} at the segment of an address; see {@link #mapAt}. */
    default AddressSegment shareAt(long address, AddressSegment segment, boolean writable) {
        throw new UnsupportedOperationException("This RNIC chooses the addresses of segments itself.");
    }

    /** What is mapped. */
    List<AddressSegment> segments();

    /**
     * Copies memory of this process out, bringing pages in.
     *
     * @param address effective address
     * @throws IllegalArgumentException when it is not mapped
     * @throws IOException when a page cannot be read
     */
    void read(long address, MemorySegment to, long toOffset, long bytes) throws IOException;

    /** Copies into memory of this process, bringing pages in. */
    void write(long address, MemorySegment from, long fromOffset, long bytes) throws IOException;

    /** The way of an effective address through the tables, as it is now. */
    Translation translate(long address);

    /**
     * MapLocalPage: the physical page of a virtual address, for a kernel process; brought in if need be.
     *
     * @throws IllegalArgumentException when nothing is mapped there, or this is a user process
     */
    long mapLocalPage(long virtualAddress) throws IOException;

    /**
     * The default error handler of this process: asked at each fault, on a thread of its own, about accesses of peers and work
     * requests to what is not mapped. Replaces the one before and the RNIC's.
     */
    void onPageFault(PageFaultHandler handler);

    /** Unmaps everything. Regions over it must be closed. */
    @Override
    void close() throws IOException;
}
