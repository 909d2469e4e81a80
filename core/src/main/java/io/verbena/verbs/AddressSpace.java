package io.verbena.verbs;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;

/**
 * The effective address space of a consumer process: a segment table that maps the segments of the process. An
 * effective address is valid in its own address space only; it is not an address of this machine. Any thread may call
 * any method.
 */
public interface AddressSpace extends AutoCloseable {

    /** The name given at creation, for messages and figures. */
    String name();

    /** Whether the process is a kernel process, which may also use virtual addresses. */
    boolean kernel();

    /** The virtual memory manager that created this address space. */
    VirtualMemory virtualMemory();

    /** Maps pinned memory: always resident, zeroed, contiguous, translated in one step. */
    AddressSegment mapPinned(long bytes);

    /**
     * Maps zeroed pageable memory, backed by the swap file.
     *
     * @throws IOException if the swap file cannot be extended
     */
    AddressSegment map(long bytes) throws IOException;

    /**
     * Maps a part of a file as pageable memory.
     *
     * @param offset a multiple of the page size
     * @param bytes 1 or more; a writable file is extended if it is shorter
     * @throws IOException if the file cannot be opened or is too short; the message states the reason
     */
    AddressSegment mapFile(Path file, long offset, long bytes, boolean writable) throws IOException;

    /**
     * Maps a segment of another process into this address space: shared memory. Each process has its own address and
     * its own remote keys for the segment. The processes are address spaces of this JVM; {@link #open} maps a segment of another
     * process of the operating system.
     */
    AddressSegment share(AddressSegment segment, boolean writable);

    /**
     * Maps pageable memory, as {@link #map} does, at an address chosen by the caller, as a page fault handler needs it.
     * The new segment is the one that contains {@code address}: it begins at that address with the lower 40 bits
     * cleared.
     *
     * @param address an effective address that the new segment is to contain, such as {@link PageFault#address()}
     * @param bytes length of the segment, which must extend beyond {@code address}
     * @throws IllegalStateException if the segment is mapped already, perhaps with a smaller length:
     *     {@link AddressSegment#grow} it
     * @throws UnsupportedOperationException if the RNIC chooses the addresses of segments itself
     */
    default AddressSegment mapAt(long address, long bytes) throws IOException {
        throw new UnsupportedOperationException("This RNIC chooses the addresses of segments itself.");
    }

    /** Maps pinned memory at the segment of an address: {@link #mapPinned} with an address, as in {@link #mapAt}. */
    default AddressSegment mapPinnedAt(long address, long bytes) {
        throw new UnsupportedOperationException("This RNIC chooses the addresses of segments itself.");
    }

    /**
     * Maps a file at the segment of an address: {@link #mapFile} with an address, as in {@link #mapAt}. The first byte
     * of the segment is the byte at {@code offset} of the file.
     */
    default AddressSegment mapFileAt(long address, Path file, long offset, long bytes, boolean writable)
            throws IOException {
        throw new UnsupportedOperationException("This RNIC chooses the addresses of segments itself.");
    }

    /** Shares a segment at the segment of an address: {@link #share} with an address, as in {@link #mapAt}. */
    default AddressSegment shareAt(long address, AddressSegment segment, boolean writable) {
        throw new UnsupportedOperationException("This RNIC chooses the addresses of segments itself.");
    }

    /**
     * Maps pinned memory, as {@link #mapPinned} does, that other processes of this host can open, see
     * {@link AddressSegment#offer}.
     *
     * @throws IOException if this process cannot share memory, or the system does not have this much; the message states
     *     the reason
     */
    default AddressSegment mapShareable(long bytes) throws IOException {
        throw new UnsupportedOperationException("This RNIC does not share memory with other processes.");
    }

    /** Maps memory that other processes can open at the segment of an address, as in {@link #mapAt}. */
    default AddressSegment mapShareableAt(long address, long bytes) throws IOException {
        throw new UnsupportedOperationException("This RNIC does not share memory with other processes.");
    }

    /**
     * Maps a segment of another process of this host and user into this address space: shared memory. The segment has its own address
     * and its own remote keys here. When the other process ends the offer, closes its segment or ends itself, the segment is
     * unmapped here too, which {@link AsyncEventType#REGION_LOST} reports.
     *
     * @param writable whether this process may write, which the offer must allow
     * @throws IOException if the segment cannot be opened: the token is not valid any more, or the owner does not respond;
     *     the message states the reason
     */
    default AddressSegment open(SegmentToken token, boolean writable) throws IOException {
        throw new UnsupportedOperationException("This RNIC does not share memory with other processes.");
    }

    /** Opens a segment of another process at the segment of an address, as in {@link #mapAt}. */
    default AddressSegment openAt(long address, SegmentToken token, boolean writable) throws IOException {
        throw new UnsupportedOperationException("This RNIC does not share memory with other processes.");
    }

    /** The mapped segments. */
    List<AddressSegment> segments();

    /**
     * Copies memory of this process into a memory segment; missing pages are paged in.
     *
     * @param address effective address
     * @throws IllegalArgumentException if the range is not mapped
     * @throws IOException if a page cannot be read
     */
    void read(long address, MemorySegment to, long toOffset, long bytes) throws IOException;

    /**
     * Copies a memory segment into memory of this process; missing pages are paged in.
     *
     * @param address effective address
     * @throws IllegalArgumentException if the range is not mapped or not writable
     * @throws IOException if a page cannot be read
     */
    void write(long address, MemorySegment from, long fromOffset, long bytes) throws IOException;

    /** The current translation of an effective address, step by step through the tables. */
    Translation translate(long address);

    /**
     * MapLocalPage: the physical page number of a virtual address of a kernel process. A missing page is paged in.
     *
     * @throws IllegalArgumentException if the address is not mapped, or this is a user process
     */
    long mapLocalPage(long virtualAddress) throws IOException;

    /**
     * Sets the page fault handler of this process, which decides about accesses of peers and work requests to unmapped
     * memory. It is called for each fault, on a thread of its own. It replaces the previous handler and takes
     * precedence over the handler of the RNIC.
     */
    void onPageFault(PageFaultHandler handler);

    /**
     * Unmaps all segments. Regions registered on this address space must be closed first.
     *
     * @throws IOException if a modified page of a file cannot be written
     */
    @Override
    void close() throws IOException;
}
