package io.verbena.files.store;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/**
 * Reserves the disk space of a file: by posix_fallocate, which takes no time for a file of any length, or, where that is not possible,
 * by writing zeros.
 */
final class DiskSpace {

    private static final int PIECE_BYTES = 1 << 20;

    /** open(2) on Linux. */
    private static final int WRITE_ONLY = 1;

    private static final int CLOSE_ON_EXEC = 0x80000;

    private DiskSpace() {}

    /** Extends a file up to a length, with space for the bytes from an offset on. */
    static void reserve(Path file, FileChannel channel, long from, long to) throws IOException {
        if (from < to
                && !Native.CALLS.map(calls -> calls.reserve(file, from, to)).orElse(false)) {
            Zeros.append(channel, from, to, PIECE_BYTES);
        }
    }

    /** The calls, if this program may make them. */
    private record Native(MethodHandle open, MethodHandle allocate, MethodHandle close) {

        static final Optional<Native> CALLS = calls();

        private static Optional<Native> calls() {
            boolean linux =
                    System.getProperty("os.name", "").toLowerCase(Locale.ROOT).startsWith("linux");
            boolean wide = ValueLayout.ADDRESS.byteSize() == Long.BYTES; // so that a length has 64 bits
            if (!linux || !wide || !DiskSpace.class.getModule().isNativeAccessEnabled()) {
                return Optional.empty();
            }
            Linker linker = Linker.nativeLinker();
            FunctionDescriptor open =
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT);
            FunctionDescriptor allocate = FunctionDescriptor.of(
                    ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG);
            FunctionDescriptor close = FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);
            return linker.defaultLookup()
                    .find("open")
                    .flatMap(first -> linker.defaultLookup()
                            .find("posix_fallocate")
                            .flatMap(second -> linker.defaultLookup()
                                    .find("close")
                                    .map(third -> new Native(
                                            linker.downcallHandle(first, open, Linker.Option.firstVariadicArg(2)),
                                            linker.downcallHandle(second, allocate),
                                            linker.downcallHandle(third, close)))));
        }

        /** Whether it was possible. On a full disk, writing zeros fails with the reason. */
        boolean reserve(Path file, long from, long to) {
            try (Arena arena = Arena.ofConfined()) {
                int descriptor =
                        (int) open.invokeExact(arena.allocateFrom(file.toString()), WRITE_ONLY | CLOSE_ON_EXEC);
                if (descriptor < 0) {
                    return false;
                }
                int error = (int) allocate.invokeExact(descriptor, from, to - from);
                int _ = (int) close.invokeExact(descriptor);
                return error == 0;
            } catch (Throwable e) {
                throw new IllegalStateException("a native call failed", e);
            }
        }
    }
}
