package io.verbena.rnic;

import io.verbena.memory.Backing;
import io.verbena.memory.MappedFiles;
import io.verbena.memory.Region;
import io.verbena.memory.RegionTable;
import io.verbena.memory.vmm.AddressRange;
import io.verbena.memory.vmm.AddressView;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AddressHandle;
import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.AddressSegment;
import io.verbena.verbs.AddressSpace;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.SharedReceiveQueue;
import io.verbena.verbs.SharedReceiveQueueOptions;
import io.verbena.verbs.WindowOptions;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A protection domain: a number that queue pairs and regions share. */
final class SoftProtectionDomain implements ProtectionDomain {

    private final SoftRnic rnic;
    private final int number;
    private final Set<SoftMemoryRegion> regions = ConcurrentHashMap.newKeySet();
    private final Set<SoftMemoryWindow> windows = ConcurrentHashMap.newKeySet();
    private final AtomicInteger queues = new AtomicInteger();
    private Optional<SoftAddressSpace> space = Optional.empty();
    private int queuePairs;
    private volatile boolean closed;

    SoftProtectionDomain(SoftRnic rnic, int number) {
        this.rnic = rnic;
        this.number = number;
    }

    SoftRnic softRnic() {
        return rnic;
    }

    /** Unique within the RNIC. */
    int number() {
        return number;
    }

    @Override
    public Rnic rnic() {
        return rnic;
    }

    @Override
    public MemoryRegion allocate(long bytes, AccessRight... rights) {
        if (bytes < 1) {
            throw new IllegalArgumentException("a region has 1 byte or more, not " + bytes);
        }
        checkOpen();
        return register(rnic.memory().allocate(bytes), setOf(rights));
    }

    @Override
    public MemoryRegion register(MemorySegment segment, AccessRight... rights) {
        checkOpen();
        return keep(rnic.regions().register(segment, number, setOf(rights)));
    }

    @Override
    public MemoryRegion map(Path file, long offset, long bytes, AccessRight... rights) throws IOException {
        checkOpen();
        Set<AccessRight> set = setOf(rights);
        boolean writable = set.contains(AccessRight.LOCAL_WRITE)
                || set.contains(AccessRight.REMOTE_WRITE)
                || set.contains(AccessRight.REMOTE_ATOMIC);
        return register(MappedFiles.map(file, offset, bytes, writable), set);
    }

    @Override
    public MemoryRegion register(AddressSegment segment, long offset, long bytes, AccessRight... rights) {
        checkOpen();
        if (!(segment instanceof SoftAddressSegment mine) || mine.memory().rnic() != rnic) {
            throw new IllegalArgumentException("the segment is of another RNIC");
        }
        long length = mine.length();
        if (offset < 0 || bytes < 1 || offset > length - bytes) {
            throw new IllegalArgumentException(
                    bytes + " bytes from " + offset + " are not within a segment of " + length + " bytes");
        }
        Set<AccessRight> set = setOf(rights);
        if (RegionTable.needWriting(set) && !mine.writable()) {
            throw new IllegalArgumentException(
                    "the segment may not be written, so it cannot be registered with " + set);
        }
        Optional<MemorySegment> pinned = mine.segment();
        serve(mine.space());
        if (pinned.isEmpty()) {
            return keepPaged(mine.space(), mine.space().driver(), mine.address() + offset, bytes, false, set);
        }
        Region region = rnic.regions().register(Backing.collected(pinned.get().asSlice(offset, bytes)), number, set);
        mine.addPinned(region);
        return keep(new SoftMemoryRegion(this, region, () -> mine.removePinned(region)));
    }

    @Override
    public MemoryRegion register(AddressSpace wanted, AccessRight... rights) {
        SoftAddressSpace mine = mine(wanted);
        return keepPaged(mine, mine.driver(), 0, mine.driver().length(), true, setOf(rights));
    }

    @Override
    public MemoryRegion registerVirtual(AddressSpace kernel, AccessRight... rights) {
        SoftAddressSpace mine = mine(kernel);
        AddressView view = mine.memory().vmm().virtualAddresses(mine.process());
        return keepPaged(mine, view, 0, view.length(), true, setOf(rights));
    }

    private SoftAddressSpace mine(AddressSpace wanted) {
        checkOpen();
        if (!(wanted instanceof SoftAddressSpace mine) || mine.memory().rnic() != rnic) {
            throw new IllegalArgumentException("the address space is of another RNIC");
        }
        return mine;
    }

    private SoftMemoryRegion keepPaged(
            SoftAddressSpace of,
            AddressView view,
            long address,
            long bytes,
            boolean zeroBased,
            Set<AccessRight> rights) {
        serve(of);
        AddressRange range = of.memory().vmm().range(view, address, bytes);
        Region region = rnic.regions().register(range, zeroBased, number, rights);
        of.driver().openQueuePair();
        return keep(new SoftMemoryRegion(this, region, () -> of.driver().closeQueuePair()));
    }

    /** Binds the domain to a process: its queue pairs are the process's. */
    private synchronized void serve(SoftAddressSpace wanted) {
        if (space.isPresent() && space.get() != wanted) {
            throw new IllegalArgumentException(
                    "the protection domain serves " + space.get() + ", not " + wanted + "; one process a domain");
        }
        if (space.isEmpty()) {
            space = Optional.of(wanted);
            for (int i = queuePairs; i > 0; i--) {
                wanted.driver().openQueuePair();
            }
        }
    }

    private synchronized Optional<SoftAddressSpace> space() {
        return space;
    }

    private synchronized void countQueuePair(int change) {
        queuePairs += change;
        if (space.isPresent()) {
            if (change > 0) {
                space.get().driver().openQueuePair();
            } else {
                space.get().driver().closeQueuePair();
            }
        }
    }

    private SoftMemoryRegion register(Backing backing, Set<AccessRight> rights) {
        try {
            return keep(rnic.regions().register(backing, number, rights));
        } catch (RuntimeException e) {
            backing.giveBack().run();
            throw e;
        }
    }

    private SoftMemoryRegion keep(Region region) {
        return keep(new SoftMemoryRegion(this, region, () -> {}));
    }

    private SoftMemoryRegion keep(SoftMemoryRegion kept) {
        regions.add(kept);
        return kept;
    }

    private static Set<AccessRight> setOf(AccessRight... rights) {
        Set<AccessRight> set = EnumSet.noneOf(AccessRight.class);
        set.addAll(List.of(rights));
        return set;
    }

    @Override
    public MemoryWindow allocateWindow(WindowOptions windowOptions) {
        checkOpen();
        SoftMemoryWindow made = new SoftMemoryWindow(this, windowOptions);
        windows.add(made);
        return made;
    }

    @Override
    public AddressHandle createAddressHandle(AddressHandleAttributes attributes) {
        throw PostingRules.noDatagrams(rnic.transport().limits());
    }

    @Override
    public QueuePair createQueuePair(QueuePairOptions options) {
        checkOpen();
        SoftQueuePair made = rnic.newQueuePair(this, options);
        queues.incrementAndGet();
        countQueuePair(1);
        return made;
    }

    @Override
    public SharedReceiveQueue createSharedReceiveQueue(SharedReceiveQueueOptions options) {
        checkOpen();
        SoftSharedReceiveQueue made =
                new SoftSharedReceiveQueue(this, rnic.engineGroup().next(), options);
        queues.incrementAndGet();
        return made;
    }

    private void checkOpen() {
        rnic.checkOpen();
        if (closed) {
            throw new IllegalStateException("the protection domain is closed");
        }
    }

    void queuePairClosed() {
        queues.decrementAndGet();
        countQueuePair(-1);
    }

    void windowClosed(SoftMemoryWindow window) {
        windows.remove(window);
    }

    /** A queue pair's stream is over: keys for its peer end. */
    void endKeysOf(SoftQueuePair queuePair) {
        for (SoftMemoryWindow window : windows) {
            window.queuePairGone(queuePair);
        }
        space().ifPresent(of -> of.process().unmapped().queuePairGone(queuePair.number()));
    }

    void srqClosed() {
        queues.decrementAndGet();
    }

    void regionClosed(SoftMemoryRegion region) {
        regions.remove(region);
    }

    /** After a failure: tells which regions' memory has gone. */
    void findLoss() {
        for (SoftMemoryRegion region : regions) {
            region.findLoss();
        }
    }

    /** Closes all regions: the RNIC is closed. */
    void closeAll() {
        for (SoftMemoryWindow window : windows) {
            window.close();
        }
        for (SoftMemoryRegion region : regions) {
            region.close();
        }
        closed = true;
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        if (!regions.isEmpty() || !windows.isEmpty() || queues.get() > 0) {
            throw new IllegalStateException("the protection domain has " + regions.size() + " memory regions, "
                    + windows.size() + " memory windows and " + queues.get()
                    + " queue pairs or shared receive queues; close them first");
        }
        closed = true;
        rnic.domainClosed(this);
    }
}
