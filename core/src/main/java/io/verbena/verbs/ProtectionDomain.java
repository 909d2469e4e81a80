package io.verbena.verbs;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Ties queue pairs and memory together: a queue pair reaches regions of its own domain only. One domain a connection is
 * the safe choice.
 */
public interface ProtectionDomain extends AutoCloseable {

    /** The RNIC that this domain belongs to. */
    Rnic rnic();

    /**
     * Allocates zeroed memory (page aligned) and registers it.
     *
     * @param bytes 1 or more; above 2 GiB works
     * @param rights none means local reads only
     */
    MemoryRegion allocate(long bytes, AccessRight... rights);

    /**
     * Registers the user's own memory. The memory stays the user's: it must live until the region is closed. If its arena
     * is closed before, operations on it fail and nothing else does.
     *
     * @throws IllegalArgumentException for heap segments and segments of confined arenas, which the RNIC cannot reach
     */
    MemoryRegion register(MemorySegment segment, AccessRight... rights);

    /**
     * Maps a part of a file and registers it. With {@link AccessRight#REMOTE_WRITE}, {@link AccessRight#REMOTE_ATOMIC} or
     * {@link AccessRight#LOCAL_WRITE} the file is opened for writing and grows to {@code offset + bytes} when it is shorter.
     *
     * @throws IOException when the file cannot be opened or mapped
     */
    MemoryRegion map(Path file, long offset, long bytes, AccessRight... rights) throws IOException;

    /**
     * Registers a part of a segment of an address space. A pinned one is translated in one step; of a pageable one, pages
     * are brought in when work or a peer needs them. A domain serves one address space, the one that is named first.
     *
     * @throws IllegalArgumentException when the range is not within the segment, rights need writing and it is not writable,
     *     or the domain serves another address space
     */
    default MemoryRegion register(AddressSegment segment, long offset, long bytes, AccessRight... rights) {
        throw new UnsupportedOperationException("This RNIC reaches pinned memory only: there is no paging.");
    }

    /**
     * Registers all of an address space, mapped or not: offsets in this region are effective addresses, in work requests,
     * binds, and in what peers are told. What is not mapped when it is accessed is a page fault.
     */
    default MemoryRegion register(AddressSpace space, AccessRight... rights) {
        throw new UnsupportedOperationException("This RNIC reaches pinned memory only: there is no paging.");
    }

    /**
     * The same for the virtual addresses of a kernel process.
     *
     * @throws IllegalArgumentException invalid parameter: for a user process
     */
    default MemoryRegion registerVirtual(AddressSpace kernel, AccessRight... rights) {
        throw new UnsupportedOperationException("This RNIC reaches pinned memory only: there is no paging.");
    }

    /** AllocateRKey: a memory window, a key that can be bound to a part of a region by work on a send queue. */
    default MemoryWindow allocateWindow() {
        return allocateWindow(WindowOptions.defaults());
    }

    /** AllocateRKey with a scope, perhaps for one use. */
    MemoryWindow allocateWindow(WindowOptions options);

    /** AllocateRKey: several at once; all or none. */
    default List<MemoryWindow> allocateWindows(int count, WindowOptions options) {
        List<MemoryWindow> made = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                made.add(allocateWindow(options));
            }
            return made;
        } catch (RuntimeException e) {
            made.forEach(MemoryWindow::close);
            throw e;
        }
    }

    /** Create QP. It is not connected; receives can be posted at once. */
    QueuePair createQueuePair(QueuePairOptions options);

    /** Create QP with the usual settings, both queues on one CQ. */
    default QueuePair createQueuePair(CompletionQueue cq) {
        return createQueuePair(QueuePairOptions.of(cq));
    }

    /** Create SRQ. */
    SharedReceiveQueue createSharedReceiveQueue(SharedReceiveQueueOptions options);

    /** Create AH, for datagram services. */
    AddressHandle createAddressHandle(AddressHandleAttributes attributes);

    /**
     * Frees the domain.
     *
     * @throws IllegalStateException while regions, windows or queue pairs of it are open
     */
    @Override
    void close();
}
