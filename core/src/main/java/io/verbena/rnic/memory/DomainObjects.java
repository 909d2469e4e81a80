package io.verbena.rnic.memory;

import io.verbena.objects.Ownership;
import io.verbena.objects.WorkDomain;
import io.verbena.rnic.context.RnicContext;
import io.verbena.rnic.datagram.SoftEndToEndContext;
import io.verbena.verbs.AddressHandle;
import io.verbena.verbs.EndToEndContext;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.WorkOpcode;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** The objects of a protection domain: regions, windows, queues, and the process whose memory the domain serves. */
public final class DomainObjects implements WorkDomain {

    /** Regions of most domains. */
    private static final int FEW = 2;

    private final RnicContext context;
    private final ProtectionDomain domain;
    private final int number;
    private final Set<SoftMemoryRegion> regions = ConcurrentHashMap.newKeySet(FEW);

    /** Most domains have none of these: made when the first one is added. */
    private volatile Set<SoftMemoryWindow> windows = Set.of();

    private volatile Set<SoftAddressHandle> addressHandles = Set.of();
    private final AtomicInteger queues = new AtomicInteger();
    private Optional<SoftAddressSpace> space = Optional.empty();
    private int queuePairs;

    public DomainObjects(RnicContext context, ProtectionDomain domain, int number) {
        this.context = context;
        this.domain = domain;
        this.number = number;
    }

    public RnicContext context() {
        return context;
    }

    /** The domain as the application holds it. */
    public ProtectionDomain domain() {
        return domain;
    }

    /** Unique within the RNIC. */
    public int number() {
        return number;
    }

    // What requests name.

    @Override
    public SoftMemoryRegion region(MemoryRegion region) {
        return SoftMemoryRegion.of(region, this);
    }

    @Override
    public SoftMemoryWindow window(MemoryWindow window) {
        return SoftMemoryWindow.of(window, this);
    }

    @Override
    public SoftAddressHandle destination(AddressHandle handle) {
        if (!(handle instanceof SoftAddressHandle softAddressHandle)) {
            throw context.limits().datagrams()
                    ? Ownership.foreign("address handle")
                    : context.limits().noDatagrams();
        }
        Ownership.check("address handle", softAddressHandle.domain() == this, softAddressHandle.closed());
        return softAddressHandle;
    }

    @Override
    public SoftEndToEndContext destination(EndToEndContext through) {
        if (through instanceof SoftEndToEndContext softEndToEndContext
                && softEndToEndContext.domain().context() == context) {
            return softEndToEndContext;
        }
        throw Ownership.foreign("end-to-end context");
    }

    @Override
    public void checkWork(WorkOpcode opcode, long lengthBytes, int elements) {
        context.rules().checkWork(opcode, lengthBytes, elements);
    }

    // Regions and windows.

    public SoftMemoryRegion add(SoftMemoryRegion region) {
        regions.add(region);
        return region;
    }

    void remove(SoftMemoryRegion region) {
        regions.remove(region);
    }

    public SoftMemoryWindow add(SoftMemoryWindow window) {
        synchronized (this) {
            windows = windows.isEmpty() ? ConcurrentHashMap.newKeySet() : windows;
            windows.add(window);
        }
        return window;
    }

    synchronized void remove(SoftMemoryWindow window) {
        windows.remove(window);
    }

    public SoftAddressHandle add(SoftAddressHandle handle) {
        synchronized (this) {
            addressHandles = addressHandles.isEmpty() ? ConcurrentHashMap.newKeySet() : addressHandles;
            addressHandles.add(handle);
        }
        return handle;
    }

    synchronized void remove(SoftAddressHandle handle) {
        addressHandles.remove(handle);
    }

    /** Reports the regions whose memory has been lost. Called after a failure. */
    public void findLoss() {
        for (SoftMemoryRegion region : regions) {
            region.findLoss();
        }
    }

    /** Revokes the keys that were bound for the peer of a queue pair whose connection has ended. */
    public void endKeysOf(int queuePair) {
        for (SoftMemoryWindow window : windows) {
            window.queuePairGone(queuePair);
        }
        space().ifPresent(of -> of.process().unmapped().queuePairGone(queuePair));
    }

    // Queues.

    public void queueCreated() {
        queues.incrementAndGet();
    }

    public void queueClosed() {
        queues.decrementAndGet();
    }

    public void queuePairCreated() {
        queueCreated();
        countQueuePair(1);
    }

    public void queuePairClosed() {
        queueClosed();
        countQueuePair(-1);
    }

    // The process that the domain serves.

    /** Binds the domain to a process. The domain's queue pairs then belong to that process. */
    public synchronized void serve(SoftAddressSpace requested) {
        if (space.isPresent() && space.get() != requested) {
            throw new IllegalArgumentException("the protection domain serves " + space.get() + ", not " + requested
                    + "; a protection domain serves one process only; allocate another protection domain");
        }
        if (space.isEmpty()) {
            space = Optional.of(requested);
            for (int i = queuePairs; i > 0; i--) {
                requested.driver().openQueuePair();
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

    // Closing.

    /** Fails if the domain still has objects. */
    public void checkEmpty() {
        if (!regions.isEmpty() || !windows.isEmpty() || !addressHandles.isEmpty() || queues.get() > 0) {
            throw new IllegalStateException("the protection domain has " + regions.size() + " memory regions, "
                    + windows.size() + " memory windows, " + addressHandles.size() + " address handles and "
                    + queues.get() + " queue pairs or shared receive queues; close them first");
        }
    }

    /** Closes all windows, regions and address handles when the RNIC is closed. */
    public void closeMemory() {
        for (SoftMemoryWindow window : windows) {
            window.close();
        }
        for (SoftMemoryRegion region : regions) {
            region.close();
        }
        for (SoftAddressHandle handle : addressHandles) {
            handle.close();
        }
    }
}
