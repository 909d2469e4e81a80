package io.verbena.hardware.fake;

import static java.lang.foreign.ValueLayout.ADDRESS;

import io.verbena.hardware.abi.Native;
import io.verbena.hardware.abi.Struct;
import io.verbena.hardware.abi.SystemCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;

/** The native memory of the fake library, and errno. Nothing is freed before the fake is closed. */
final class FakeMemory implements AutoCloseable {

    private static final MethodHandle ERRNO_LOCATION = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker().defaultLookup().findOrThrow("__errno_location"),
                    FunctionDescriptor.of(ADDRESS));

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

    static void errno(int value) {
        try {
            Native.putInt(((java.lang.foreign.MemorySegment) ERRNO_LOCATION.invokeExact()).address(), value);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        arena.close();
    }
}
