package io.verbena.memory;

import java.lang.foreign.Arena;

/**
 * Memory of this process outside the Java heap: page aligned, zeroed, counted by the JVM against
 * {@code -XX:MaxDirectMemorySize} (which is the heap's limit unless it is set).
 *
 * <p>Closing a shared arena stops every thread of the JVM for a moment. Measured on two cores with JDK 25: about 17 µs
 * when the others sleep, 40 to 100 µs with a thread busy on each core, tens of milliseconds when many more threads
 * than cores are busy (each must get a core once before the handshake is over). Opening costs 1 µs. So small regions,
 * which come and go with connections, get memory that the collector frees once nobody can reach the segment ({@link
 * Arena#ofAuto()}, no handshake at all), and only large ones, where waiting for the collector would hold too much, a
 * shared arena that is closed at once. Blocks are never handed on to another region: a program that kept the segment
 * of a closed region sees its own old bytes or an exception, never the bytes of somebody else.
 */
public final class OffHeapMemory implements MemoryProvider {

    /** Regions of this many bytes and more are freed at once when they are closed. */
    public static final long FREED_AT_ONCE_BYTES = 1 << 20;

    /** Alignment of what is allocated: at least a page of the common machines. */
    public static final long PAGE_BYTES = 4096;

    @Override
    public Backing allocate(long bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("a region has 1 byte or more, not " + bytes);
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
