package io.verbena.verbs;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Associates queue pairs with memory: a queue pair can access only the regions of its own domain. One domain per
 * connection is the safe choice. Any thread may call any method. Methods throw {@link IllegalStateException} after the
 * domain was closed.
 */
public interface ProtectionDomain extends AutoCloseable {

    /** The RNIC that this domain belongs to. */
    Rnic rnic();

    /**
     * Allocates zeroed memory and registers it. It is aligned to pages if it has a page (4 KiB) or more, else to 64 bytes.
     *
     * @param bytes 1 or more; sizes above 2 GiB are supported
     * @param rights access rights; without any, the memory can only be the source of local work
     * @throws IllegalArgumentException if {@code bytes} is less than 1
     */
    MemoryRegion allocate(long bytes, AccessRight... rights);

    /**
     * Allocates memory as {@link #allocate} does, which its program may use longer than the region is registered: the
     * garbage collector frees it when its segment is not reachable any more. Closing the region ends the accesses of
     * peers only.
     *
     * @param bytes 1 or more; sizes above 2 GiB are supported
     * @param rights access rights; without any, the memory can only be the source of local work
     * @throws IllegalArgumentException if {@code bytes} is less than 1
     */
    default MemoryRegion allocateCollected(long bytes, AccessRight... rights) {
        if (bytes < 1) {
            throw new IllegalArgumentException("a region needs at least 1 byte, not " + bytes);
        }
        return register(Arena.ofAuto().allocate(bytes, 4096), rights);
    }

    /**
     * Registers memory of the application. It remains the property of the application and must stay accessible until
     * the region is closed. If its arena is closed earlier, only the operations on the region fail.
     *
     * @throws IllegalArgumentException for heap segments and segments of confined arenas, which the RNIC cannot access
     */
    MemoryRegion register(MemorySegment segment, AccessRight... rights);

    /**
     * Maps a part of a file and registers it. With {@link AccessRight#REMOTE_WRITE}, {@link AccessRight#REMOTE_ATOMIC}
     * or {@link AccessRight#LOCAL_WRITE} the file is opened for writing and extended to {@code offset + bytes} if it is
     * shorter.
     *
     * @throws IOException if the file cannot be opened or mapped
     */
    MemoryRegion map(Path file, long offset, long bytes, AccessRight... rights) throws IOException;

    /**
     * Registers a part of a segment of an address space. A pinned segment is translated in one step. Pages of a
     * pageable segment are paged in when work or a peer accesses them. A domain serves one address space: the first one
     * used.
     *
     * @throws IllegalArgumentException if the range is not within the segment, the rights require writing and the
     *     segment is not writable, or the domain serves another address space
     * @throws UnsupportedOperationException if the RNIC supports pinned memory only
     */
    default MemoryRegion register(AddressSegment segment, long offset, long bytes, AccessRight... rights) {
        throw new UnsupportedOperationException("This RNIC supports pinned memory only, no paging.");
    }

    /**
     * Registers a whole address space, mapped or not. Offsets in this region are effective addresses, in work requests,
     * in binds and for peers. An access to unmapped memory is a page fault.
     *
     * @throws UnsupportedOperationException if the RNIC supports pinned memory only
     */
    default MemoryRegion register(AddressSpace space, AccessRight... rights) {
        throw new UnsupportedOperationException("This RNIC supports pinned memory only, no paging.");
    }

    /**
     * Registers the virtual addresses of a kernel process, as {@link #register(AddressSpace, AccessRight...)} does for
     * effective addresses.
     *
     * @throws IllegalArgumentException if the address space belongs to a user process
     * @throws UnsupportedOperationException if the RNIC supports pinned memory only
     */
    default MemoryRegion registerVirtual(AddressSpace kernel, AccessRight... rights) {
        throw new UnsupportedOperationException("This RNIC supports pinned memory only, no paging.");
    }

    /** AllocateRKey: a memory window with default options. */
    default MemoryWindow allocateWindow() {
        return allocateWindow(WindowOptions.defaults());
    }

    /** AllocateRKey: a memory window, that is, a key that can be bound to a part of a region. */
    MemoryWindow allocateWindow(WindowOptions options);

    /** AllocateRKey: several memory windows at once; either all are allocated or none. */
    default List<MemoryWindow> allocateWindows(int count, WindowOptions options) {
        List<MemoryWindow> created = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                created.add(allocateWindow(options));
            }
            return created;
        } catch (RuntimeException e) {
            created.forEach(MemoryWindow::close);
            throw e;
        }
    }

    /**
     * Create QP. The queue pair is not connected; receives can be posted at once.
     *
     * @throws IllegalArgumentException if a CQ or the SRQ belongs to another RNIC, or a value exceeds the limits of the
     *     RNIC
     * @throws UnsupportedOperationException if the RNIC does not have the transport service
     */
    QueuePair createQueuePair(QueuePairOptions options);

    /** Create QP with default options and one CQ for both queues. */
    default QueuePair createQueuePair(CompletionQueue cq) {
        return createQueuePair(QueuePairOptions.of(cq));
    }

    /** Create SRQ. */
    SharedReceiveQueue createSharedReceiveQueue(SharedReceiveQueueOptions options);

    /**
     * Create AH, for datagram services.
     *
     * @throws UnsupportedOperationException if the RNIC has no datagram services
     */
    AddressHandle createAddressHandle(AddressHandleAttributes attributes);

    /**
     * Frees the domain.
     *
     * @throws IllegalStateException if regions, windows or queue pairs of the domain are open
     */
    @Override
    void close();
}
