package io.verbena.hardware.fake;

import io.verbena.hardware.abi.Native;
import io.verbena.hardware.abi.Struct;
import io.verbena.hardware.abi.SystemCalls;
import java.lang.foreign.Arena;

/** The native memory of the fake library. Nothing is freed before the fake is closed. */
final class FakeMemory implements AutoCloseable {

    private final Arena arena = Arena.ofShared();
    private final long word = allocate(Long.BYTES);

    Arena arena() {
        return arena;
    }

    long allocate(long bytes) {
        return arena.allocate(bytes, 64).address();
    }

    long allocate(Struct struct) {
        return allocate(struct.sizeBytes());
    }

    /** Makes a descriptor readable. */
    void signal(int fd) {
        Native.putLong(word, 1);
        SystemCalls.writeLong(fd, word);
    }

    /** Makes a descriptor unreadable. */
    void quiet(int fd) {
        SystemCalls.readLong(fd, word);
    }

    @Override
    public void close() {
        arena.close();
    }
}
