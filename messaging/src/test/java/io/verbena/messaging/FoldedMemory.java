package io.verbena.messaging;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Memory of many gigabytes that takes a few megabytes: the same pages appear again and again (Linux). A length of the fold that divides no power
 * of two makes an offset that lost its high bits visible.
 */
final class FoldedMemory implements AutoCloseable {

    /** A multiple of every page size, and 37 of these. */
    static final long FOLD_BYTES = 37 * (64 << 10);

    private static final int PROT_NONE = 0;
    private static final int PROT_READ_WRITE = 3;
    private static final int MAP_SHARED = 1;
    private static final int MAP_PRIVATE = 2;
    private static final int MAP_FIXED = 0x10;
    private static final int MAP_ANONYMOUS = 0x20;
    private static final int MAP_NORESERVE = 0x4000;

    private final MethodHandle munmap = call("munmap", JAVA_INT, ADDRESS, JAVA_LONG);
    private final MemorySegment all;
    private final MemorySegment base;

    FoldedMemory(long bytes) {
        long folds = (bytes + FOLD_BYTES - 1) / FOLD_BYTES;
        try (Arena arena = Arena.ofConfined()) {
            MethodHandle mmap = call("mmap", ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG);
            int file = (int)
                    call("memfd_create", JAVA_INT, ADDRESS, JAVA_INT).invokeExact(arena.allocateFrom("folded"), 0);
            if (file < 0
                    || (int) call("ftruncate", JAVA_INT, JAVA_INT, JAVA_LONG).invokeExact(file, FOLD_BYTES) != 0) {
                throw new IllegalStateException("no memory file");
            }
            base = (MemorySegment) mmap.invokeExact(
                    MemorySegment.NULL,
                    folds * FOLD_BYTES,
                    PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                    -1,
                    0L);
            for (long i = 0; i < folds; i++) {
                MemorySegment at = MemorySegment.ofAddress(base.address() + i * FOLD_BYTES);
                MemorySegment mapped = (MemorySegment)
                        mmap.invokeExact(at, FOLD_BYTES, PROT_READ_WRITE, MAP_SHARED | MAP_FIXED, file, 0L);
                if (mapped.address() != at.address()) {
                    throw new IllegalStateException("fold " + i + " is not mapped");
                }
            }
            int closed = (int) call("close", JAVA_INT, JAVA_INT).invokeExact(file);
            assert closed == 0;
            all = base.reinterpret(folds * FOLD_BYTES);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    private static MethodHandle call(String name, MemoryLayout result, MemoryLayout... arguments) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(
                linker.defaultLookup().findOrThrow(name), FunctionDescriptor.of(result, arguments));
    }

    /** All of it, every fold. */
    MemorySegment segment() {
        return all;
    }

    @Override
    public void close() {
        try {
            int closed = (int) munmap.invokeExact(base, all.byteSize());
            assert closed == 0;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }
}
