package io.verbena.host;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Files that this process maps by system calls of its own: a file channel would be closed by an interrupt of the thread, and
 * would need the name of the file once more.
 */
final class FileMapping {

    private FileMapping() {}

    /**
     * Maps a file, which may be closed afterwards.
     *
     * @param arena when it ends, the file is unmapped
     * @param unmapped runs after that
     */
    static MemorySegment map(int fd, long bytes, boolean writable, Arena arena, Runnable unmapped) throws IOException {
        try (Arena call = Arena.ofConfined()) {
            long address = check(Linux.map(Linux.newState(call), fd, bytes, writable), "mmap");
            MemorySegment memory = MemorySegment.ofAddress(address).reinterpret(bytes, arena, each -> {
                unmap(each);
                unmapped.run();
            });
            return writable ? memory : memory.asReadOnly();
        }
    }

    private static void unmap(MemorySegment memory) {
        try (Arena call = Arena.ofConfined()) {
            Linux.unmap(Linux.newState(call), memory.address(), memory.byteSize());
        }
    }

    /** The outcome of a system call that has not failed. */
    static long check(long outcome, String call) throws IOException {
        if (outcome < 0) {
            throw LinuxSockets.exception((int) -outcome, call);
        }
        return outcome;
    }
}
