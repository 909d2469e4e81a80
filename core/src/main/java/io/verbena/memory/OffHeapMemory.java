package io.verbena.memory;

import io.verbena.base.HugeMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Memory of this process outside the Java heap: zeroed, page aligned if it has a page or more, else at {@link #LINE_BYTES}, limited by {@code -XX:MaxDirectMemorySize} (which
 * defaults to the limit of the heap).
 *
 * <p>Closing a shared arena stops every thread of the JVM briefly. Measured on two cores with JDK 25: about 17 µs if
 * the other threads sleep, 40 to 100 µs with a busy thread on each core, tens of milliseconds if many more threads than
 * cores are busy (each must run once before the handshake is complete). Opening takes 1 µs. So small regions, which are
 * created and closed with connections, use memory that the garbage collector frees when the segment is unreachable
 * ({@link Arena#ofAuto()}, without a handshake). Large regions, for which waiting for the collector would retain too
 * much memory, use a shared arena that is closed at once.
 *
 * <p>The smallest regions are cut from blocks, because an arena of its own and the alignment cost a region as much as a page
 * and a dozen objects. The collector frees a block when none of its regions is reachable. Memory is never reused for another region: a program that
 * keeps the segment of a closed region sees its own old bytes or an exception, never the bytes of another region.
 */
public final class OffHeapMemory implements MemoryProvider {

    /** Regions of this many bytes and more are freed at once when they are closed. */
    public static final long FREED_AT_ONCE_BYTES = 1 << 20;

    /** Alignment of allocations: at least one page on common machines. */
    public static final long PAGE_BYTES = 4096;

    /** Alignment of regions that are smaller than a page: a cache line, so that regions share none. */
    static final long LINE_BYTES = 64;

    /** A block, and the longest region in one: what is left over at the end of a block is an eighth of it at most. */
    static final long BLOCK_BYTES = 64 * 1024;

    private static final long MOST_IN_BLOCK_BYTES = BLOCK_BYTES / 8;

    private MemorySegment block = MemorySegment.NULL;
    private long used;

    @Override
    public Backing allocate(long bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("a region needs at least 1 byte, not " + bytes);
        }
        if (bytes <= MOST_IN_BLOCK_BYTES) {
            return Backing.collected(cut(bytes));
        }
        if (bytes < FREED_AT_ONCE_BYTES) {
            return Backing.collected(Arena.ofAuto().allocate(bytes, PAGE_BYTES));
        }
        Arena arena = Arena.ofShared();
        try {
            return Backing.of(HugeMemory.ofThisProcess().allocate(bytes, PAGE_BYTES, arena), arena);
        } catch (Throwable e) {
            arena.close();
            throw e;
        }
    }

    private synchronized MemorySegment cut(long bytes) {
        long alignment = bytes < PAGE_BYTES ? LINE_BYTES : PAGE_BYTES;
        long from = used + alignment - 1 & -alignment;
        if (from + bytes > block.byteSize()) {
            block = Arena.ofAuto().allocate(BLOCK_BYTES, PAGE_BYTES);
            from = 0;
        }
        used = from + bytes + LINE_BYTES - 1 & -LINE_BYTES;
        return block.asSlice(from, bytes);
    }
}
