package io.verbena.host.system;

import io.verbena.verbs.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.BitSet;
import java.util.Optional;
import java.util.Set;

/**
 * Binds a thread to cores: sched_setaffinity of Linux, through the FFM API. Threads created later by the calling thread
 * inherit its cores. Other systems are not supported; see {@link #unsupported}.
 */
public final class Pinning {

    /** Number of cores in a mask; the kernel rejects masks that are smaller than its own. */
    private static final int MOST_CORES = 8192;

    private static final int MASK_BYTES = MOST_CORES / Byte.SIZE;
    private static final int CALLING_THREAD = 0;

    private static final FunctionDescriptor AFFINITY = FunctionDescriptor.of(
            ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS);

    private Pinning() {}

    /** Why threads cannot be pinned here, one sentence; empty when they can. */
    public static Optional<String> unsupported() {
        if (!System.getProperty("os.name", "").equals("Linux")) {
            return Optional.of("Threads can be pinned to cores on Linux only.");
        }
        return function("sched_setaffinity").isEmpty()
                ? Optional.of("Threads cannot be pinned: the C library has no sched_setaffinity.")
                : Optional.empty();
    }

    /**
     * The cores that the calling thread may run on.
     *
     * @throws VerbsException if the system does not report them
     */
    public static BitSet cores() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment mask = arena.allocate(MASK_BYTES, Long.BYTES);
            int bytes = call("sched_getaffinity", mask);
            if (bytes < 0) {
                throw new VerbsException("The system does not report the cores that this thread may run on.");
            }
            return BitSet.valueOf(mask.toArray(ValueLayout.JAVA_BYTE));
        }
    }

    /**
     * Keeps the calling thread on some cores. It is refused for a virtual thread, which has no core of its own.
     *
     * @throws VerbsException when the system refuses, for example since there are no such cores
     */
    public static void pin(BitSet cores) {
        if (Thread.currentThread().isVirtual()) {
            throw new IllegalStateException("A virtual thread cannot be pinned to a core.");
        }
        if (cores.isEmpty() || cores.length() > MOST_CORES) {
            throw new VerbsException("The machine does not have cores " + cores + "; choose others.");
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment mask = arena.allocate(MASK_BYTES, Long.BYTES);
            byte[] bits = cores.toByteArray();
            MemorySegment.copy(bits, 0, mask, ValueLayout.JAVA_BYTE, 0, bits.length);
            if (call("sched_setaffinity", mask) != 0) {
                throw new VerbsException("The system does not permit this thread to run on cores " + cores
                        + "; it may run on " + cores() + ".");
            }
        }
    }

    /**
     * Binds the calling thread to cores; empty for any. Returns why it runs unbound, or an empty text if it is bound as
     * requested.
     */
    public static String bind(String who, Set<Integer> cores) {
        if (cores.isEmpty()) {
            return "";
        }
        BitSet wanted = new BitSet();
        cores.forEach(wanted::set);
        try {
            Optional<String> unsupported = unsupported();
            if (unsupported.isEmpty()) {
                pin(wanted);
            }
            return unsupported.orElse("");
        } catch (VerbsException | IllegalCallerException e) {
            return who + " runs unbound: " + e.getMessage();
        }
    }

    private static int call(String name, MemorySegment mask) {
        MethodHandle function = function(name)
                .orElseThrow(() -> new VerbsException(
                        unsupported().orElse("Threads cannot be pinned: the C library has no " + name + ".")));
        try {
            return (int) function.invokeExact(CALLING_THREAD, (long) MASK_BYTES, mask);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(name + " cannot be called.", e);
        }
    }

    private static Optional<MethodHandle> function(String name) {
        Linker linker = Linker.nativeLinker();
        return linker.defaultLookup().find(name).map(address -> linker.downcallHandle(address, AFFINITY));
    }
}
