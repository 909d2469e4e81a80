package io.verbena.rnic;

import io.verbena.memory.Backing;
import io.verbena.memory.MappedFiles;
import io.verbena.memory.Region;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AddressHandle;
import io.verbena.verbs.AddressHandleAttributes;
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

    private SoftMemoryRegion register(Backing backing, Set<AccessRight> rights) {
        try {
            return keep(rnic.regions().register(backing, number, rights));
        } catch (RuntimeException e) {
            backing.giveBack().run();
            throw e;
        }
    }

    private SoftMemoryRegion keep(Region region) {
        SoftMemoryRegion kept = new SoftMemoryRegion(this, region);
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
        throw PostingRules.noDatagrams();
    }

    @Override
    public QueuePair createQueuePair(QueuePairOptions options) {
        checkOpen();
        SoftQueuePair made = rnic.newQueuePair(this, options);
        queues.incrementAndGet();
        return made;
    }

    @Override
    public SharedReceiveQueue createSharedReceiveQueue(SharedReceiveQueueOptions options) {
        checkOpen();
        SoftSharedReceiveQueue made = new SoftSharedReceiveQueue(this, rnic.nextEngine(), options);
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
    }

    void windowClosed(SoftMemoryWindow window) {
        windows.remove(window);
    }

    /** A queue pair's stream is over: keys for its peer end. */
    void endKeysOf(int queuePair) {
        for (SoftMemoryWindow window : windows) {
            window.queuePairGone(queuePair);
        }
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
                    + windows.size() + " memory windows and " + queues.get() + " queue pairs or shared receive queues; close them first");
        }
        closed = true;
        rnic.domainClosed(this);
    }
}
