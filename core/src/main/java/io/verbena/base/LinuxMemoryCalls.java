package io.verbena.base;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import java.util.Optional;

/** The calls of Linux, on the machines that the project knows, if this module has native access. */
final class LinuxMemoryCalls implements MemoryCalls {

    private static final String ARCHITECTURE = System.getProperty("os.arch", "");
    private static final boolean X86 = ARCHITECTURE.equals("amd64") || ARCHITECTURE.equals("x86_64");
    private static final long SYS_MMAP = X86 ? 9 : 222;
    private static final long SYS_MUNMAP = X86 ? 11 : 215;
    private static final long SYS_MADVISE = X86 ? 28 : 233;

    private static final MemoryLayout STATE = Linker.Option.captureStateLayout();
    private static final long ERRNO_OFFSET = STATE.byteOffset(MemoryLayout.PathElement.groupElement("errno"));

    /** Has the form of the handle of all other system calls, so that the JVM makes no code of its own for it. */
    private final MethodHandle systemCall;

    private LinuxMemoryCalls() {
        MemoryLayout[] parameters = new MemoryLayout[7];
        Arrays.fill(parameters, JAVA_LONG);
        Linker linker = Linker.nativeLinker();
        systemCall = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("syscall"),
                FunctionDescriptor.of(JAVA_LONG, parameters),
                Linker.Option.captureCallState("errno"),
                Linker.Option.firstVariadicArg(1));
    }

    /** The calls, if this process can make them. */
    static Optional<MemoryCalls> ofThisProcess() {
        boolean known = System.getProperty("os.name", "").equals("Linux") && (X86 || ARCHITECTURE.equals("aarch64"));
        return known && LinuxMemoryCalls.class.getModule().isNativeAccessEnabled()
                ? Optional.of(new LinuxMemoryCalls())
                : Optional.empty();
    }

    private long call(long number, long a, long b, long c, long d, long e) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            long result = (long) systemCall.invokeExact(state, number, a, b, c, d, e, 0L);
            return result == -1 ? -state.get(JAVA_INT, ERRNO_OFFSET) : result;
        } catch (Throwable thrown) {
            throw new AssertionError("a system call cannot throw", thrown);
        }
    }

    @Override
    public long map(long address, long bytes, int protection, int flags, int fd) {
        return call(SYS_MMAP, address, bytes, protection, flags, fd);
    }

    @Override
    public long unmap(long address, long bytes) {
        return call(SYS_MUNMAP, address, bytes, 0, 0, 0);
    }

    @Override
    public long advise(long address, long bytes, int advice) {
        return call(SYS_MADVISE, address, bytes, advice, 0, 0);
    }
}
