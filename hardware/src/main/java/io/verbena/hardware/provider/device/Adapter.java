package io.verbena.hardware.provider.device;

import io.verbena.hardware.abi.CallFailedException;
import io.verbena.hardware.abi.ContextCalls;
import io.verbena.hardware.abi.Errno;
import io.verbena.hardware.abi.Native;
import io.verbena.hardware.abi.NativeFunction;
import io.verbena.hardware.abi.RdmaLibraries;
import io.verbena.verbs.VerbsException;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** An open adapter: its ibv_context, how it is called, and what it says about itself. */
public final class Adapter implements AutoCloseable {

    private final RdmaLibraries libraries;
    private final long context;
    private final ContextCalls calls;
    private final AdapterFacts facts;
    private Optional<SiwKeys> siwKeys = Optional.empty();

    private Adapter(RdmaLibraries libraries, long context, boolean critical) {
        this.libraries = libraries;
        this.context = context;
        calls = new ContextCalls(context, critical);
        facts = new AdapterFacts(libraries, calls, context);
    }

    /**
     * Opens a device.
     *
     * @param name the name that {@code ibv_devices} shows; empty for the only one that has an active port
     * @param critical whether the libraries are native code
     */
    public static Adapter open(RdmaLibraries libraries, String name, boolean critical) {
        return withDevices(libraries, devices -> {
            if (name.isEmpty() && devices.length > 0) {
                return openActive(libraries, devices, critical);
            }
            List<String> names = new ArrayList<>();
            for (long device : devices) {
                String each = name(device);
                names.add(each);
                if (name.equals(each)) {
                    return open(libraries, device, critical);
                }
            }
            throw new VerbsException(
                    names.isEmpty()
                            ? Obstacles.NO_DEVICE
                            : "There is no RDMA device named '" + name + "'; the devices are " + names + ".");
        });
    }

    private static Adapter openActive(RdmaLibraries libraries, long[] devices, boolean critical) {
        if (devices.length == 1) {
            return open(libraries, devices[0], critical);
        }
        List<Adapter> active = new ArrayList<>();
        List<String> names = new ArrayList<>();
        boolean opened = false;
        try {
            for (long device : devices) {
                Adapter each = open(libraries, device, critical);
                if (each.facts().active()) {
                    active.add(each);
                } else {
                    each.close();
                }
                names.add(name(device) + (each.facts().active() ? "" : " (no active port)"));
            }
            opened = active.size() == 1;
        } finally {
            if (!opened) {
                active.forEach(Adapter::close);
            }
        }
        if (!opened) {
            throw new VerbsException(
                    "The RDMA devices are " + names + "; name one of them: provider ibverbs:" + name(devices[0]) + ".");
        }
        return active.getFirst();
    }

    private static Adapter open(RdmaLibraries libraries, long device, boolean critical) {
        long context;
        try {
            context = libraries.call(NativeFunction.OPEN_DEVICE, device);
        } catch (CallFailedException e) {
            throw new VerbsException(
                    "The device " + name(device) + " cannot be opened: " + Errno.text(e.errno())
                            + ". Check the rights on /dev/infiniband/uverbs*; members of the group 'rdma' often have them.",
                    e);
        }
        boolean opened = false;
        try {
            Adapter adapter = new Adapter(libraries, context, critical);
            adapter.selfTest();
            if (adapter.facts.siw()) {
                adapter.siwKeys = Optional.of(new SiwKeys(libraries, context));
            }
            opened = true;
            return adapter;
        } finally {
            if (!opened) {
                libraries.attempt(NativeFunction.CLOSE_DEVICE, context);
            }
        }
    }

    /** Names of all devices. */
    public static List<String> devices(RdmaLibraries libraries) {
        return withDevices(libraries, devices -> {
            List<String> names = new ArrayList<>();
            for (long device : devices) {
                names.add(name(device));
            }
            return names;
        });
    }

    private static String name(long device) {
        return Native.text(device + io.verbena.hardware.abi.IbvDevice.NAME, 64);
    }

    private static <T> T withDevices(RdmaLibraries libraries, Function<long[], T> use) {
        try (Arena arena = Arena.ofConfined()) {
            long count = arena.allocate(Integer.BYTES, 8).address();
            long list = libraries.call(NativeFunction.GET_DEVICE_LIST, count);
            try {
                long[] devices = new long[Native.intAt(count)];
                for (int i = 0; i < devices.length; i++) {
                    devices[i] = Native.longAt(list + (long) i * Long.BYTES);
                }
                return use.apply(devices);
            } finally {
                libraries.call(NativeFunction.FREE_DEVICE_LIST, list);
            }
        }
    }

    /** Reads back what was written through the layouts, so that an unknown one is found before it does harm. */
    private void selfTest() {
        int wanted = 8;
        long cq = libraries.call(NativeFunction.CREATE_CQ, context, wanted, 0, 0, 0);
        try (Arena arena = Arena.ofConfined()) {
            int granted = Native.intAt(cq + io.verbena.hardware.abi.IbvCq.CQE);
            boolean plausible = Native.longAt(cq) == context && granted >= wanted && granted < 1 << 24;
            long entries = arena.allocate(io.verbena.hardware.abi.IbvWc.STRUCT.sizeBytes(), 8)
                    .address();
            if (!plausible || calls.pollCq(cq, 1, entries) != 0) {
                throw new VerbsException("The self-test of " + facts.name()
                        + " failed: a new completion queue does not read as expected, so that the installed rdma-core has an"
                        + " unknown layout. Verbena knows versions 44 to 65.");
            }
        } finally {
            libraries.call(NativeFunction.DESTROY_CQ, cq);
        }
    }

    public RdmaLibraries libraries() {
        return libraries;
    }

    public long context() {
        return context;
    }

    public ContextCalls calls() {
        return calls;
    }

    public AdapterFacts facts() {
        return facts;
    }

    @Override
    public void close() {
        siwKeys.ifPresent(SiwKeys::close);
        libraries.attempt(NativeFunction.CLOSE_DEVICE, context);
    }
}
