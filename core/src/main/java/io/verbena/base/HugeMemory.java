package io.verbena.base;

import static io.verbena.base.MemoryCalls.EINVAL;
import static io.verbena.base.MemoryCalls.MADV_COLLAPSE;
import static io.verbena.base.MemoryCalls.MADV_HUGEPAGE;
import static io.verbena.base.MemoryCalls.MADV_POPULATE_WRITE;
import static io.verbena.base.MemoryCalls.MAP_ANONYMOUS;
import static io.verbena.base.MemoryCalls.MAP_FIXED;
import static io.verbena.base.MemoryCalls.MAP_NORESERVE;
import static io.verbena.base.MemoryCalls.MAP_POPULATE;
import static io.verbena.base.MemoryCalls.MAP_PRIVATE;
import static io.verbena.base.MemoryCalls.MAP_SHARED;
import static io.verbena.base.MemoryCalls.NO_FILE;
import static io.verbena.base.MemoryCalls.PROT_NONE;
import static io.verbena.base.MemoryCalls.PROT_READ;
import static io.verbena.base.MemoryCalls.PROT_WRITE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/**
 * Memory that the system is asked to back with pages of 2 MiB: it begins at a multiple of 2 MiB, and the advice is given before the
 * first access, because the JDK zeroes what an arena allocates, which gives it small pages. See docs/memory.md. What the system
 * refuses has no effect: the memory has small pages then. Any thread.
 */
public final class HugeMemory {

    /** Size of a huge page, and the least size of memory that can have one. */
    public static final long PAGE_BYTES = 2 << 20;

    /** System property; the value {@code off} leaves the size of pages to the system. */
    public static final String PROPERTY = "io.verbena.hugePages";

    /** A multiple of the size of every small page that Linux has on the machines that the project knows. */
    private static final long UNIT_BYTES = 64 * 1024;

    private static final long SMALL_PAGE_BYTES = 4096;

    /** Bytes of one call, so that a system that cannot supply them is asked for no more. */
    private static final long PIECE_BYTES = 16 * PAGE_BYTES;

    private static final HugeMemory SYSTEM = new HugeMemory(
            System.getProperty(PROPERTY, "").equals("off") ? Optional.empty() : LinuxMemoryCalls.ofThisProcess(),
            Runtime.getRuntime().maxMemory());

    private final Optional<MemoryCalls> calls;
    private final long mostBytes;
    private final AtomicLong used = new AtomicLong();

    /**
     * Memory of these calls.
     *
     * @param calls empty if memory is left to the JDK
     * @param mostBytes limit of all anonymous memory together; what exceeds it is left to the JDK, which has a limit of its own
     */
    HugeMemory(Optional<MemoryCalls> calls, long mostBytes) {
        this.calls = calls;
        this.mostBytes = mostBytes;
    }

    /** That of this process. */
    public static HugeMemory ofThisProcess() {
        return SYSTEM;
    }

    // Anonymous memory.

    /**
     * Allocates zeroed memory with all its pages.
     *
     * @param alignment a power of two up to {@link #PAGE_BYTES}; memory of a huge page or more begins at a multiple of its size if
     *     the system can be called
     * @param arena frees it
     * @throws OutOfMemoryError if the system does not have it, or it exceeds the limit of the JDK
     */
    public MemorySegment allocate(long bytes, long alignment, Arena arena) {
        return allocate(bytes, alignment, arena, done -> {});
    }

    /**
     * The same for memory that takes long: a gigabyte takes 0.1 to 3 s.
     *
     * @param populated receives the number of bytes that have their pages, after each piece
     */
    public MemorySegment allocate(long bytes, long alignment, Arena arena, LongConsumer populated) {
        Optional<MemorySegment> huge = map(bytes, arena);
        huge.ifPresent(memory -> populate(memory, populated));
        return huge.orElseGet(() -> arena.allocate(bytes, alignment));
    }

    /**
     * Allocates zeroed memory, of which a part may never be used. Pages come into being when they are first accessed; all of them
     * at once if the system cannot be called.
     */
    public MemorySegment reserve(long bytes, long alignment, Arena arena) {
        return map(bytes, arena).orElseGet(() -> arena.allocate(bytes, alignment));
    }

    private Optional<MemorySegment> map(long bytes, Arena arena) {
        if (calls.isEmpty() || bytes < PAGE_BYTES || bytes > mostBytes) {
            return Optional.empty();
        }
        if (used.addAndGet(bytes) > mostBytes) {
            used.addAndGet(-bytes);
            return Optional.empty();
        }
        long address = place(bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
        if (address < 0) {
            used.addAndGet(-bytes);
            return Optional.empty();
        }
        adviseHuge(address, bytes);
        boolean done = false;
        try {
            MemorySegment memory = MemorySegment.ofAddress(address).reinterpret(bytes, arena, each -> free(each));
            done = true;
            return Optional.of(memory);
        } finally {
            if (!done) {
                free(MemorySegment.ofAddress(address).reinterpret(bytes));
            }
        }
    }

    private void free(MemorySegment memory) {
        unmap(memory.address(), memory.byteSize());
        used.addAndGet(-memory.byteSize());
    }

    /** Maps at a multiple of the huge page, and returns the address or a negative reason. */
    private long place(long bytes, int protection, int flags) {
        long length = units(bytes);
        long from = calls().map(0, length + PAGE_BYTES, protection, flags, NO_FILE);
        if (from < 0) {
            return from;
        }
        long address = from + PAGE_BYTES - 1 & -PAGE_BYTES;
        trim(from, address);
        trim(address + length, from + length + PAGE_BYTES);
        return address;
    }

    private void trim(long from, long to) {
        if (to > from) {
            calls().unmap(from, to - from);
        }
    }

    private static long units(long bytes) {
        return bytes + UNIT_BYTES - 1 & -UNIT_BYTES;
    }

    private MemoryCalls calls() {
        return calls.orElseThrow();
    }

    /** Ends a mapping that {@link #mapFile} or this class made. */
    public void unmap(long address, long bytes) {
        calls().unmap(address, units(bytes));
    }

    /** Gives new memory its pages. */
    private void populate(MemorySegment memory, LongConsumer populated) {
        for (long at = 0; at < memory.byteSize(); at += PIECE_BYTES) {
            long bytes = Math.min(PIECE_BYTES, memory.byteSize() - at);
            long outcome = calls().advise(memory.address() + at, units(bytes), MADV_POPULATE_WRITE);
            if (outcome == -EINVAL) {
                touch(memory.asSlice(at)); // an older system
                return;
            }
            if (outcome < 0) {
                return; // the first access decides
            }
            populated.accept(at + bytes);
        }
    }

    private static void touch(MemorySegment memory) {
        for (long at = 0; at < memory.byteSize(); at += SMALL_PAGE_BYTES) {
            memory.set(ValueLayout.JAVA_BYTE, at, (byte) 0);
        }
    }

    // Files.

    /** Asks for huge pages for memory that was mapped elsewhere, where its file system has them. */
    public void advise(MemorySegment memory) {
        if (calls.isPresent() && memory.byteSize() >= PAGE_BYTES) {
            long before = memory.address() & SMALL_PAGE_BYTES - 1; // a part of a file may begin within a page
            adviseHuge(memory.address() - before, memory.byteSize() + before);
        }
    }

    private void adviseHuge(long address, long bytes) {
        calls().advise(address, bytes, MADV_HUGEPAGE);
    }

    /**
     * Maps a file from its beginning, shared, so that huge pages of the file can be huge pages of the process.
     *
     * @param pages whether all its pages are mapped at once
     * @return the address; negative if the file is too short for a huge page, or the system refuses
     */
    public long mapFile(int fd, long bytes, boolean writable, boolean pages) {
        if (calls.isEmpty() || bytes < PAGE_BYTES) {
            return -1;
        }
        long place = place(bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);
        if (place < 0) {
            return place;
        }
        int protection = writable ? PROT_READ | PROT_WRITE : PROT_READ;
        int flags = MAP_SHARED | MAP_FIXED | (pages ? MAP_POPULATE : 0);
        long address = calls().map(place, bytes, protection, flags, fd);
        if (address < 0) {
            unmap(place, bytes);
            return address;
        }
        adviseHuge(address, bytes);
        return address;
    }

    /** Gives one small page to a file at this offset: 0, or a negative reason. */
    @FunctionalInterface
    public interface FirstPage {
        long allocate(long at);
    }

    /**
     * Gives an empty file in memory huge pages as far as the system does that. It does so by request, which is independent of the
     * setting that decides about such pages at the first access (shmem_enabled): the request replaces the small pages of a range
     * of 2 MiB by a huge one. One small page per range is enough, and it is needed.
     */
    public void collapse(int fd, long bytes, FirstPage firstPage) {
        long whole = bytes & -PAGE_BYTES;
        long address = mapFile(fd, bytes, true, false);
        if (address < 0) {
            return;
        }
        try {
            for (long at = 0; at < whole; at += PIECE_BYTES) {
                long end = Math.min(whole, at + PIECE_BYTES);
                for (long page = at; page < end; page += PAGE_BYTES) {
                    if (firstPage.allocate(page) < 0) {
                        return;
                    }
                }
                if (calls().advise(address + at, end - at, MADV_COLLAPSE) < 0) {
                    return;
                }
            }
        } finally {
            unmap(address, bytes);
        }
    }
}
