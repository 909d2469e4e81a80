package io.verbena.host.system;

import io.verbena.base.HugeMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Files that this process maps by system calls of its own: a file channel would be closed by an interrupt of the thread, and
 * would need the name of the file once more.
 */
public final class FileMapping {

    private static final long PIECE_BYTES = 1L << 20;
    private static final long SMALLEST_BYTES = 1;

    private FileMapping() {}

    /**
     * Maps a file, which may be closed afterwards; with all its pages if it is for writing.
     *
     * @param arena when it ends, the file is unmapped
     * @param unmapped runs after that
     */
    public static MemorySegment map(int fd, long bytes, boolean writable, Arena arena, Runnable unmapped)
            throws IOException {
        return map(fd, bytes, writable, writable, arena, unmapped);
    }

    /** Maps a file whose pages are mapped when they are first used: an engine that maps it does not have to wait for all of them. */
    public static MemorySegment mapLazily(int fd, long bytes, boolean writable, Arena arena) throws IOException {
        return map(fd, bytes, writable, false, arena, () -> {});
    }

    private static MemorySegment map(
            int fd, long bytes, boolean writable, boolean pages, Arena arena, Runnable unmapped) throws IOException {
        try (Arena call = Arena.ofConfined()) {
            long huge = HugeMemory.ofThisProcess().mapFile(fd, bytes, writable, pages);
            long address = huge > 0 ? huge : check(Linux.map(Linux.newState(call), fd, bytes, writable, pages), "mmap");
            MemorySegment memory = MemorySegment.ofAddress(address).reinterpret(bytes, arena, each -> {
                if (huge > 0) {
                    HugeMemory.ofThisProcess().unmap(address, bytes);
                } else {
                    unmap(each);
                }
                unmapped.run();
            });
            return writable ? memory : memory.asReadOnly();
        }
    }

    /** Gives a range of a file all its pages: 0, or a negative reason. */
    @FunctionalInterface
    interface RangeAllocation {
        int allocate(long from, long bytes);
    }

    /**
     * Gives an empty file its size and all its pages, zeroed and as large as possible: memory that the system does not have is missed
     * here, and not when it is used.
     */
    public static void allocate(MemorySegment state, int fd, long bytes) throws IOException {
        check(Linux.size(state, fd, bytes), "ftruncate");
        HugeMemory.ofThisProcess().collapse(fd, bytes, at -> Linux.allocate(state, fd, at, SMALLEST_BYTES));
        allocate((from, count) -> Linux.allocate(state, fd, from, count), bytes);
    }

    /**
     * Allocates pieces: a system up to Linux 6.18 gives up, and takes all pages of the call back, when the thread handles a signal,
     * such as those of a profiler, which come again and again.
     */
    static void allocate(RangeAllocation allocation, long bytes) throws IOException {
        for (long at = 0; at < bytes; at += PIECE_BYTES) {
            int outcome;
            do {
                outcome = allocation.allocate(at, Math.min(PIECE_BYTES, bytes - at));
            } while (outcome == -Linux.EINTR);
            check(outcome, "fallocate");
        }
    }

    private static void unmap(MemorySegment memory) {
        try (Arena call = Arena.ofConfined()) {
            Linux.unmap(Linux.newState(call), memory.address(), memory.byteSize());
        }
    }

    /** The outcome of a system call that has not failed. */
    public static long check(long outcome, String call) throws IOException {
        if (outcome < 0) {
            throw LinuxSockets.exception((int) -outcome, call);
        }
        return outcome;
    }
}
