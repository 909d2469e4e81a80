package io.verbena.files.store;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The holes of a sparse file, found by lseek with SEEK_DATA on Linux, so that holes are neither read from the disk nor kept in
 * the page cache. On other systems holes are not found, and every byte is read.
 */
final class Holes implements AutoCloseable {

    private static final int O_RDONLY_CLOEXEC = 0x8_0000;
    private static final int SEEK_DATA = 3;
    private static final int ENXIO = 6;
    private static final MemoryLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
    private static final Optional<Calls> CALLS = Calls.link();

    /** The three functions of the C library. */
    private record Calls(MethodHandle open, MethodHandle seek, MethodHandle close) {

        static Optional<Calls> link() {
            if (!"Linux".equals(System.getProperty("os.name")) || !Files.isDirectory(Path.of("/proc/self/fd"))) {
                return Optional.empty();
            }
            try {
                return Optional.of(new Calls(
                        call("open", ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT),
                        call(
                                "lseek",
                                ValueLayout.JAVA_LONG,
                                ValueLayout.JAVA_INT,
                                ValueLayout.JAVA_LONG,
                                ValueLayout.JAVA_INT),
                        call("close", ValueLayout.JAVA_INT, ValueLayout.JAVA_INT)));
            } catch (RuntimeException | LinkageError e) {
                return Optional.empty(); // native access is not enabled
            }
        }

        private static MethodHandle call(String name, MemoryLayout answer, MemoryLayout... arguments) {
            Linker linker = Linker.nativeLinker();
            MemorySegment address = linker.defaultLookup().find(name).orElseThrow();
            Linker.Option[] options = name.equals("lseek")
                    ? new Linker.Option[] {Linker.Option.captureCallState("errno")}
                    : new Linker.Option[0];
            return linker.downcallHandle(address, FunctionDescriptor.of(answer, arguments), options);
        }
    }

    private final Calls calls;
    private final int descriptor;
    private boolean closed;

    private Holes(Calls calls, int descriptor) {
        this.calls = calls;
        this.descriptor = descriptor;
    }

    /** The holes of a file; empty if they cannot be found. */
    static Optional<Holes> of(Path file) {
        if (CALLS.isEmpty()) {
            return Optional.empty();
        }
        try (Arena arena = Arena.ofConfined()) {
            int descriptor =
                    (int) CALLS.get().open().invokeExact(arena.allocateFrom(file.toString()), O_RDONLY_CLOEXEC);
            return descriptor < 0 ? Optional.empty() : Optional.of(new Holes(CALLS.get(), descriptor));
        } catch (Throwable e) {
            throw new IllegalStateException("a C function cannot be called", e);
        }
    }

    /** A path to the file that was opened, even if another file has its name by now. Valid until this is closed. */
    Path file() {
        return Path.of("/proc/self/fd/" + descriptor);
    }

    /** Whether a range has no data. */
    synchronized boolean covers(long offset, long length) {
        if (closed) {
            return false;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            long data = (long) calls.seek().invokeExact(state, descriptor, offset, SEEK_DATA);
            return data < 0 ? (int) ERRNO.get(state, 0L) == ENXIO : data >= offset + length;
        } catch (Throwable e) {
            throw new IllegalStateException("a C function cannot be called", e);
        }
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            int ignored = (int) calls.close().invokeExact(descriptor);
            assert ignored <= 0;
        } catch (Throwable e) {
            throw new IllegalStateException("a C function cannot be called", e);
        }
    }
}
