package io.verbena.memory;

import java.lang.foreign.Arena;

/**
 * Memory of this process outside the Java heap: page aligned, zeroed, limited by {@code -XX:MaxDirectMemorySize} (which
 * defaults to the limit of the heap).
 *
 * <p>Closing a shared arena stops every thread of the JVM briefly. Measured on two cores with JDK 25: about 17 µs if
 * the other threads sleep, 40 to 100 µs with a busy thread on each core, tens of milliseconds if many more threads than
 * cores are busy (each must run once before the handshake is complete). Opening takes 1 µs. So small regions, which are
 * created and closed with connections, use memory that the garbage collector frees when the segment is unreachable
 * ({@link Arena#ofAuto()}, without a handshake). Large regions, for which waiting for the collector would retain too
 * much memory, use a shared arena that is closed at once. Blocks are never reused for another region: a program that
 * keeps the segment of a closed region sees its own old bytes or an exception, never the bytes of another region.
 */
public final class OffHeapMemory implements MemoryProvider {

    /** Regions of this many bytes and more are freed at once when they are closed. */
    public static final long FREED_AT_ONCE_BYTES = 1 << 20;

    /** Alignment of allocations: at least one page on common machines. */
    public static final long PAGE_BYTES = 4096;

    @Override
    public Backing allocate(long bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("a region needs at least 1 byte, not " + bytes);
        }
        if (bytes < FREED_AT_ONCE_BYTES) {
            return Backing.collected(Arena.ofAuto().allocate(bytes, PAGE_BYTES));
        }
        Arena arena = Arena.ofShared();
        try {
            return Backing.of(arena.allocate(bytes, PAGE_BYTES), arena);
        } catch (Throwable e) {
            arena.close();
            throw e;
        }
    }
}
