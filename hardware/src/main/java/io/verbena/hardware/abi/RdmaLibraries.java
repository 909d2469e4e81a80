package io.verbena.hardware.abi;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.verbena.hardware.abi.NativeFunction.Library;
import io.verbena.verbs.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/** The functions of libibverbs and librdmacm. For calls that set something up: a call costs some 100 ns and an array. */
public final class RdmaLibraries {

    private static final StructLayout CAPTURED = Linker.Option.captureStateLayout();
    private static final long ERRNO =
            CAPTURED.byteOffset(java.lang.foreign.MemoryLayout.PathElement.groupElement("errno"));

    private final Map<NativeFunction, MethodHandle> handles = new EnumMap<>(NativeFunction.class);

    private RdmaLibraries(Function<NativeFunction, Optional<MemorySegment>> symbols) {
        Linker linker = Linker.nativeLinker();
        for (NativeFunction function : NativeFunction.values()) {
            MemorySegment symbol = symbols.apply(function)
                    .orElseThrow(() -> new VerbsException(function.library().file() + " does not have the function "
                            + function.symbol() + ": it is older than version 44 of rdma-core; install a newer "
                            + function.library().debianPackage() + "."));
            MethodHandle handle =
                    linker.downcallHandle(symbol, function.descriptor(), Linker.Option.captureCallState("errno"));
            handles.put(function, uniform(handle, function.arity()));
        }
    }

    /**
     * Loads the libraries of this machine.
     *
     * @throws VerbsException if one is missing or too old; the message states how to install it
     */
    public static RdmaLibraries load() {
        SymbolLookup verbs = open(Library.VERBS);
        SymbolLookup cm = open(Library.CM);
        return over(function -> (function.library() == Library.VERBS ? verbs : cm).find(function.symbol()));
    }

    /** Calls whatever a function finds. For tests. */
    public static RdmaLibraries over(Function<NativeFunction, Optional<MemorySegment>> symbols) {
        return new RdmaLibraries(symbols);
    }

    private static SymbolLookup open(Library library) {
        try {
            return SymbolLookup.libraryLookup(library.file(), Arena.global());
        } catch (IllegalArgumentException e) {
            throw new VerbsException(
                    "The library " + library.file()
                            + " is not installed; on Debian and Ubuntu install it with 'apt-get install "
                            + library.debianPackage() + "'.",
                    e);
        }
    }

    /** All parameters after the captured state as one array, everything as 64 bits; the sign of an int remains. */
    private static MethodHandle uniform(MethodHandle handle, int arity) {
        MethodType wide = MethodType.genericMethodType(0).changeReturnType(long.class);
        wide = wide.appendParameterTypes(MemorySegment.class);
        for (int i = 0; i < arity; i++) {
            wide = wide.appendParameterTypes(long.class);
        }
        return MethodHandles.explicitCastArguments(handle, wide).asSpreader(long[].class, arity);
    }

    /**
     * Calls a function.
     *
     * @throws CallFailedException if it reports a failure
     */
    public long call(NativeFunction function, long... arguments) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment captured = arena.allocate(CAPTURED);
            long returned = invoke(function, captured, arguments);
            int errno = function.convention().failure(returned, captured.get(JAVA_INT, ERRNO));
            if (errno != 0) {
                throw new CallFailedException(function, errno);
            }
            return returned;
        }
    }

    /** Calls a function and returns the errno of its failure instead of throwing, 0 if it succeeded. */
    public int attempt(NativeFunction function, long... arguments) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment captured = arena.allocate(CAPTURED);
            long returned = invoke(function, captured, arguments);
            return function.convention().failure(returned, captured.get(JAVA_INT, ERRNO));
        }
    }

    private long invoke(NativeFunction function, MemorySegment captured, long[] arguments) {
        MethodHandle handle = Objects.requireNonNull(handles.get(function));
        if (function.convention().usesErrno()) {
            SystemCalls.errno(0); // a failure that states no reason must not show that of an earlier one
        }
        try {
            return (long) handle.invokeExact(captured, arguments);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError("a downcall throws no checked exception", e);
        }
    }
}
