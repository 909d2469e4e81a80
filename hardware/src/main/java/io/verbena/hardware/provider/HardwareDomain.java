package io.verbena.hardware.provider;

import io.verbena.base.HugeMemory;
import io.verbena.hardware.abi.NativeFunction;
import io.verbena.hardware.abi.RdmaLibraries;
import io.verbena.hardware.provider.device.AdapterFacts;
import io.verbena.hardware.provider.request.NativeOpcode;
import io.verbena.objects.PostingRules;
import io.verbena.objects.RegionRules;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AddressHandle;
import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.SharedReceiveQueue;
import io.verbena.verbs.SharedReceiveQueueOptions;
import io.verbena.verbs.TransportService;
import io.verbena.verbs.WindowOptions;
import io.verbena.verbs.WorkOpcode;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** A protection domain of an adapter. */
final class HardwareDomain implements AdapterDomain {

    private static final int PAGE_BYTES = 4096;
    private static final int LINE_BYTES = 64;

    private final AdapterContext rnic;
    private final long pd;
    private final AtomicInteger objects = new AtomicInteger();
    private final Set<HardwareWindow> windows = ConcurrentHashMap.newKeySet();
    private Optional<HardwareRegion> unbindRegion = Optional.empty();
    private volatile boolean closed;

    HardwareDomain(AdapterContext rnic) {
        this.rnic = rnic;
        pd = libraries().call(NativeFunction.ALLOC_PD, rnic.adapter().context());
    }

    @Override
    public AdapterContext rnic() {
        return rnic;
    }

    @Override
    public RdmaLibraries libraries() {
        return rnic.adapter().libraries();
    }

    @Override
    public long pd() {
        return pd;
    }

    @Override
    public void freeWindowsOf(MemoryRegion region) {
        windows.forEach(each -> each.regionCloses(region));
    }

    @Override
    public void freeWindowsOf(QueuePair queuePair) {
        windows.forEach(each -> each.queuePairCloses(queuePair));
    }

    @Override
    public synchronized HardwareRegion unbindRegion() {
        HardwareRegion region = unbindRegion.orElseGet(() -> {
            Arena arena = Arena.ofShared();
            return (HardwareRegion) region(arena.allocate(Long.BYTES), arena, AccessRight.BIND);
        });
        unbindRegion = Optional.of(region);
        return region;
    }

    /** Number of the objects that the program has made and not closed. */
    private int open() {
        return objects.get() - (unbindRegion.isPresent() ? 1 : 0);
    }

    // What requests name.

    @Override
    public HardwareRegion region(MemoryRegion region) {
        return HardwareRegion.of(region, this);
    }

    @Override
    public HardwareWindow window(MemoryWindow window) {
        return HardwareWindow.of(window, this);
    }

    @Override
    public HardwareAddressHandle destination(AddressHandle handle) {
        return HardwareAddressHandle.of(handle, this);
    }

    @Override
    public void checkWork(WorkOpcode opcode, long lengthBytes, int elements) {
        checkOperation(opcode);
        PostingRules.atomicElement(opcode, lengthBytes, elements);
    }

    @Override
    public void checkOperation(WorkOpcode opcode) {
        if (opcode != WorkOpcode.RECEIVE
                && (!NativeOpcode.known(opcode) || !rnic.operations().contains(opcode))) {
            throw new UnsupportedOperationException("The adapter has no operation " + opcode + "; see Rnic.query().");
        }
    }

    @Override
    public void invalidated(int key) {
        windows.forEach(each -> each.invalidated(key));
    }

    /** An object of the domain is about to be made. */
    private void enter() {
        if (closed) {
            throw new IllegalStateException("the protection domain is closed");
        }
        rnic.checkOpen();
        objects.incrementAndGet();
    }

    @Override
    public void left(MemoryWindow window) {
        windows.remove(window);
        left();
    }

    @Override
    public void left() {
        objects.decrementAndGet();
    }

    @Override
    public MemoryRegion allocate(long bytes, AccessRight... rights) {
        RegionRules.length(bytes);
        Arena arena = Arena.ofShared();
        long alignment = bytes >= PAGE_BYTES ? PAGE_BYTES : LINE_BYTES;
        MemorySegment memory = HugeMemory.ofThisProcess().allocate(bytes, alignment, arena);
        return region(memory, arena, rights);
    }

    /** Registers memory that is freed with the region, or at once if that fails. */
    private MemoryRegion region(MemorySegment segment, Arena arena, AccessRight... rights) {
        boolean complete = false;
        try {
            MemoryRegion region = region(segment, arena::close, rights);
            complete = true;
            return region;
        } finally {
            if (!complete) {
                arena.close();
            }
        }
    }

    private MemoryRegion region(MemorySegment segment, Runnable free, AccessRight... rights) {
        return make(() -> new HardwareRegion(this, segment, RegionRules.rights(rights), free));
    }

    @Override
    public MemoryRegion register(MemorySegment segment, AccessRight... rights) {
        RegionRules.check(segment, RegionRules.rights(rights));
        return region(segment, () -> {}, rights);
    }

    @Override
    public MemoryRegion map(Path file, long offset, long bytes, AccessRight... rights) throws IOException {
        boolean writes = RegionRules.needWriting(RegionRules.rights(rights));
        Set<StandardOpenOption> modes = writes
                ? Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE)
                : Set.of(StandardOpenOption.READ);
        Arena arena = Arena.ofShared();
        boolean mapped = false;
        try (FileChannel channel = FileChannel.open(file, modes)) {
            FileChannel.MapMode mode = writes ? FileChannel.MapMode.READ_WRITE : FileChannel.MapMode.READ_ONLY;
            MemorySegment segment = channel.map(mode, offset, bytes, arena);
            HugeMemory.ofThisProcess().advise(segment);
            mapped = true;
            return region(segment, arena, rights);
        } finally {
            if (!mapped) {
                arena.close();
            }
        }
    }

    @Override
    public MemoryWindow allocateWindow(WindowOptions options) {
        if (options.scope() == WindowOptions.Scope.QUEUE_PAIR
                && !rnic.operations().contains(WorkOpcode.BIND)) {
            throw new UnsupportedOperationException("The device " + rnic.facts().name()
                    + " has no memory windows for one queue pair; use the scope DOMAIN, or register the part of the memory as a"
                    + " region of its own.");
        }
        return make(() -> {
            HardwareWindow window = new HardwareWindow(this, options);
            windows.add(window);
            return window;
        });
    }

    @Override
    public QueuePair createQueuePair(QueuePairOptions options) {
        return make(() -> HardwareQueuePair.create(this, options));
    }

    private <T> T make(Supplier<T> constructor) {
        enter();
        boolean complete = false;
        try {
            T object = constructor.get();
            complete = true;
            return object;
        } finally {
            if (!complete) {
                left();
            }
        }
    }

    @Override
    public SharedReceiveQueue createSharedReceiveQueue(SharedReceiveQueueOptions options) {
        if (rnic.facts().limit(AdapterFacts.Limit.MAX_SRQ) == 0) {
            throw new UnsupportedOperationException("The device " + rnic.facts().name()
                    + " has no shared receive queues; give each queue pair receives of its own.");
        }
        return make(() -> new HardwareSharedReceiveQueue(this, options));
    }

    @Override
    public AddressHandle createAddressHandle(AddressHandleAttributes attributes) {
        if (!rnic.query().services().contains(TransportService.UNRELIABLE_DATAGRAM)) {
            throw new UnsupportedOperationException(
                    "The device " + rnic.facts().name() + " has no datagrams, and so no address handles.");
        }
        return make(() -> new HardwareAddressHandle(this, attributes));
    }

    /**
     * The RNIC is closed. Returns whether the domain is freed; regions that are still open keep it, and the adapter, until the process
     * ends.
     */
    synchronized boolean endWithRnic() {
        if (open() > 0) {
            return false;
        }
        close();
        return true;
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        if (open() > 0) {
            throw new IllegalStateException("the protection domain has " + open()
                    + " open regions, windows, queues or address handles; close them first");
        }
        unbindRegion.ifPresent(HardwareRegion::close);
        unbindRegion = Optional.empty();
        libraries().call(NativeFunction.DEALLOC_PD, pd);
        closed = true;
        rnic.forget(this);
    }
}
