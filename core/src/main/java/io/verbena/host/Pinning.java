package io.verbena.host;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.Collection;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Binds threads to cores, on Linux by {@code sched_setaffinity} through the FFM API. Where that is not to be had (another
 * system, native access denied, a core that is not there) the thread stays as it was and a sentence says why.
 */
public final class Pinning {

    /** Cores that the mask of one call names. */
    static final int MOST_CORES = 4096;

    private static final long MASK_BYTES = MOST_CORES / 8;
    private static final boolean LINUX = System.getProperty("os.name", "").equals("Linux");

    private Pinning() {}

    /** The library functions; loaded when first used. */
    private static final class Calls {
        private static final MemoryLayout STATE = Linker.Option.captureStateLayout();
        private static final MethodHandle SET = handle("sched_setaffinity");
        private static final MethodHandle GET = handle("sched_getaffinity");

        private static MethodHandle handle(String name) {
            Linker linker = Linker.nativeLinker();
            SymbolLookup library = linker.defaultLookup();
            return linker.downcallHandle(
                    library.findOrThrow(name),
                    FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS),
                    Linker.Option.captureCallState("errno"));
        }
    }

    /**
     * Binds the calling thread, which must be a platform thread, to these cores, numbered from 0. None: leaves it alone.
     *
     * @return empty when that is done, else one sentence that says why not
     */
    public static String bind(Collection<Integer> cores) {
        if (cores.isEmpty()) {
            return "";
        }
        if (Thread.currentThread().isVirtual()) {
            return "A virtual thread moves between carriers; only a platform thread can be bound to cores.";
        }
        if (!LINUX) {
            return "Threads are bound to cores on Linux only; this one runs unbound.";
        }
        for (int core : cores) {
            if (core < 0 || core >= MOST_CORES) {
                return "There is no core " + core + "; the thread runs unbound.";
            }
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment mask = arena.allocate(MASK_BYTES, 8);
            for (int core : cores) {
                long word = mask.getAtIndex(JAVA_LONG, core / 64);
                mask.setAtIndex(JAVA_LONG, core / 64, word | 1L << (core % 64));
            }
            MemorySegment state = arena.allocate(Calls.STATE);
            int outcome = (int) Calls.SET.invokeExact(state, 0, MASK_BYTES, mask);
            if (outcome == 0) {
                return "";
            }
            return "The system does not bind the thread to cores " + cores + " (errno " + state.get(JAVA_INT, 0)
                    + "); this program may use " + allowed() + ".";
        } catch (Throwable e) {
            return refusal(e);
        }
    }

    /** Cores that the calling thread may run on; empty where that cannot be found out. */
    public static SortedSet<Integer> allowed() {
        SortedSet<Integer> cores = new TreeSet<>();
        if (!LINUX) {
            return cores;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment mask = arena.allocate(MASK_BYTES, 8);
            MemorySegment state = arena.allocate(Calls.STATE);
            int outcome = (int) Calls.GET.invokeExact(state, 0, MASK_BYTES, mask);
            for (int core = 0; outcome >= 0 && core < MOST_CORES; core++) {
                if ((mask.getAtIndex(JAVA_LONG, core / 64) >>> (core % 64) & 1) != 0) {
                    cores.add(core);
                }
            }
        } catch (Throwable e) {
            cores.clear();
        }
        return cores;
    }

    private static String refusal(Throwable e) {
        Throwable cause = e instanceof ExceptionInInitializerError && e.getCause() != null ? e.getCause() : e;
        return "The thread cannot be bound to cores and runs unbound (" + cause
                + "); --enable-native-access=io.verbena, or ALL-UNNAMED on the class path, may help.";
    }
}
