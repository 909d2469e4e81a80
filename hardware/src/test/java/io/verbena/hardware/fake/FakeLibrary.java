package io.verbena.hardware.fake;

import io.verbena.hardware.abi.Errno;
import io.verbena.hardware.abi.NativeFunction;
import io.verbena.hardware.abi.RdmaLibraries;
import io.verbena.hardware.abi.SystemCalls;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * libibverbs and librdmacm in Java: each function of the table is a stub that native code, and so the provider, can call. The next call
 * of any function can be made to fail in the way of that function.
 */
public final class FakeLibrary implements AutoCloseable {

    /** What a function does with its parameters. */
    @FunctionalInterface
    interface Behaviour {
        long call(long[] arguments);
    }

    /** In place of an errno: the function fails and leaves errno as it is. */
    public static final int NO_REASON = FakeFailure.NO_REASON;

    private static final int MINUS_ONE = -1;

    private final FakeCut cut = new FakeCut();
    private final FakeMemory memory = new FakeMemory();
    private final FakeAdapter adapter = new FakeAdapter(this, memory);
    private final Map<NativeFunction, Behaviour> behaviours = new EnumMap<>(NativeFunction.class);
    private final Map<NativeFunction, Integer> failures = new EnumMap<>(NativeFunction.class);
    private final FakeManager manager;
    private final RdmaLibraries libraries;

    public FakeLibrary() {
        adapter.install(behaviours);
        manager = new FakeManager(adapter, memory);
        manager.install(behaviours);
        libraries = RdmaLibraries.over(function -> Optional.of(stub(function)));
    }

    /** What the provider calls. */
    public RdmaLibraries libraries() {
        return libraries;
    }

    public FakeAdapter adapter() {
        return adapter;
    }

    FakeCut cut() {
        return cut;
    }

    /**
     * The path of a connection breaks while requests are under way. Several breaks follow each other.
     *
     * @param answered requests that are executed and answered before
     * @param lost requests after them that are executed, and whose answers are lost
     */
    public synchronized void cutAfter(int answered, int lost) {
        cut.add(answered, lost);
    }

    /** The time is over for which queue pairs wait for answers that were lost. */
    public synchronized void timeOut() {
        cut.timeOut();
    }

    /** A datagram service of another program takes a port. */
    public synchronized void serviceTakes(int port) {
        manager.serviceTakes(port);
    }

    /** The network ends the membership in all multicast groups. */
    public synchronized void loseGroups() {
        manager.datagrams().lose();
    }

    /** The link of the device is InfiniBand. */
    public void infiniband() {
        adapter.devices().infiniband();
    }

    /** The device is siw, with iWARP and the limits of its plug-in. */
    public void siw() {
        adapter.siw();
        new FakeKeys().install(behaviours);
        behaviours.put(NativeFunction.RESIZE_CQ, _ -> {
            throw new FakeFailure(Errno.EOPNOTSUPP);
        });
    }

    /** The device is rxe, with the values that its kernel driver has for flags. */
    public void rxe() {
        adapter.rxe();
    }

    /** The next call of this function fails with an errno and has no effect. */
    public synchronized void failNext(NativeFunction function, int errno) {
        failures.put(function, errno);
    }

    /** No call will fail any more. */
    public synchronized void failNone() {
        failures.clear();
    }

    private MemorySegment stub(NativeFunction function) {
        return stub(function.descriptor(), arguments -> run(function, arguments));
    }

    /** A native function with this behaviour. */
    MemorySegment stub(FunctionDescriptor type, Behaviour behaviour) {
        try {
            MethodHandle call = MethodHandles.lookup()
                    .findVirtual(Behaviour.class, "call", MethodType.methodType(long.class, long[].class))
                    .bindTo(behaviour)
                    .asCollector(long[].class, type.argumentLayouts().size());
            return Linker.nativeLinker()
                    .upcallStub(MethodHandles.explicitCastArguments(call, type.toMethodType()), type, memory.arena());
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private synchronized long run(NativeFunction function, long[] arguments) {
        Integer errno = failures.remove(function);
        if (errno == null) {
            try {
                Behaviour behaviour = behaviours.get(function);
                return behaviour == null ? fail(function, Errno.ENOSYS) : behaviour.call(arguments);
            } catch (FakeFailure e) {
                errno = e.errno();
            }
        }
        return fail(function, errno);
    }

    private static long fail(NativeFunction function, int errno) {
        if (errno != NO_REASON) {
            SystemCalls.errno(errno);
        }
        return switch (function.convention()) {
            case POINTER -> 0;
            case RESULT -> errno;
            case MINUS_ONE -> MINUS_ONE;
            case COUNT -> -errno;
            case VALUE -> 0;
        };
    }

    @Override
    public void close() {
        memory.close();
    }
}
