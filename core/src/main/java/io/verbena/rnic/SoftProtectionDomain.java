package io.verbena.rnic;

import io.verbena.memory.Backing;
import io.verbena.memory.MappedFiles;
import io.verbena.memory.Region;
import io.verbena.memory.vmm.AddressRange;
import io.verbena.memory.vmm.AddressView;
import io.verbena.memory.vmm.VirtualAddresses;
import io.verbena.objects.RegionRules;
import io.verbena.rnic.context.RnicContext;
import io.verbena.rnic.datagram.Datagrams;
import io.verbena.rnic.memory.DomainObjects;
import io.verbena.rnic.memory.SoftAddressHandle;
import io.verbena.rnic.memory.SoftAddressSegment;
import io.verbena.rnic.memory.SoftAddressSpace;
import io.verbena.rnic.memory.SoftMemoryRegion;
import io.verbena.rnic.memory.SoftMemoryWindow;
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
import java.util.Optional;
import java.util.Set;

/** A protection domain: the number shared by queue pairs and regions that may be used together. */
final class SoftProtectionDomain implements ProtectionDomain {

    private final RnicContext context;
    private final QueuePairFactory factory;
    private final int number;
    private final DomainObjects objects;
    private volatile boolean closed;

    SoftProtectionDomain(RnicContext context, QueuePairFactory factory, int number) {
        this.context = context;
        this.factory = factory;
        this.number = number;
        objects = new DomainObjects(context, this, number);
    }

    @Override
    public Rnic rnic() {
        return context.rnic();
    }

    @Override
    public MemoryRegion allocate(long bytes, AccessRight... rights) {
        RegionRules.length(bytes);
        checkOpen();
        return register(context.memory().allocate(bytes), setOf(rights));
    }

    @Override
    public MemoryRegion allocateCollected(long bytes, AccessRight... rights) {
        RegionRules.length(bytes);
        checkOpen();
        return register(context.memory().allocateCollected(bytes), setOf(rights));
    }

    @Override
    public MemoryRegion register(MemorySegment segment, AccessRight... rights) {
        checkOpen();
        return keep(context.regions().register(segment, number, setOf(rights)));
    }

    @Override
    public MemoryRegion map(Path file, long offset, long bytes, AccessRight... rights) throws IOException {
        checkOpen();
        Set<AccessRight> set = setOf(rights);
        return register(MappedFiles.map(file, offset, bytes, RegionRules.needWriting(set)), set);
    }

    @Override
    public MemoryRegion register(AddressSegment segment, long offset, long bytes, AccessRight... rights) {
        checkOpen();
        if (!(segment instanceof SoftAddressSegment softAddressSegment)
                || softAddressSegment.memory().context() != context) {
            throw new IllegalArgumentException("the segment belongs to another RNIC");
        }
        long length = softAddressSegment.length();
        if (offset < 0 || bytes < 1 || offset > length - bytes) {
            throw new IllegalArgumentException(
                    bytes + " bytes from " + offset + " are not within a segment of " + length + " bytes");
        }
        Set<AccessRight> set = setOf(rights);
        if (RegionRules.needWriting(set) && !softAddressSegment.writable()) {
            throw new IllegalArgumentException("the segment is read-only and cannot be registered with " + set);
        }
        Optional<MemorySegment> pinned = softAddressSegment.segment();
        objects.serve(softAddressSegment.space());
        if (pinned.isEmpty()) {
            return keepPaged(
                    softAddressSegment.space(),
                    softAddressSegment.space().driver(),
                    softAddressSegment.address() + offset,
                    bytes,
                    false,
                    set);
        }
        Region region =
                context.regions().register(Backing.collected(pinned.get().asSlice(offset, bytes)), number, set);
        SoftMemoryRegion softMemoryRegion =
                keep(new SoftMemoryRegion(objects, region, () -> softAddressSegment.removePinned(region)));
        try {
            softAddressSegment.addPinned(region);
        } catch (RuntimeException e) {
            softMemoryRegion.close(); // the segment was unmapped meanwhile
            throw e;
        }
        return softMemoryRegion;
    }

    @Override
    public MemoryRegion register(AddressSpace space, AccessRight... rights) {
        SoftAddressSpace softAddressSpace = own(space);
        return keepPaged(
                softAddressSpace,
                softAddressSpace.driver(),
                0,
                softAddressSpace.driver().length(),
                true,
                setOf(rights));
    }

    @Override
    public MemoryRegion registerVirtual(AddressSpace kernel, AccessRight... rights) {
        SoftAddressSpace space = own(kernel);
        AddressView view = new VirtualAddresses(space.memory().vmm(), space.process());
        return keepPaged(space, view, 0, view.length(), true, setOf(rights));
    }

    private SoftAddressSpace own(AddressSpace space) {
        checkOpen();
        if (!(space instanceof SoftAddressSpace softAddressSpace)
                || softAddressSpace.memory().context() != context) {
            throw new IllegalArgumentException("the address space belongs to another RNIC");
        }
        softAddressSpace.checkOpen();
        return softAddressSpace;
    }

    private SoftMemoryRegion keepPaged(
            SoftAddressSpace of,
            AddressView view,
            long address,
            long bytes,
            boolean zeroBased,
            Set<AccessRight> rights) {
        objects.serve(of);
        AddressRange range = of.memory().vmm().range(view, address, bytes);
        Region region = context.regions().register(range, zeroBased, number, rights);
        of.driver().openQueuePair();
        return keep(new SoftMemoryRegion(objects, region, () -> of.driver().closeQueuePair()));
    }

    private SoftMemoryRegion register(Backing backing, Set<AccessRight> rights) {
        try {
            return keep(context.regions().register(backing, number, rights));
        } catch (RuntimeException e) {
            backing.giveBack().run();
            throw e;
        }
    }

    private SoftMemoryRegion keep(Region region) {
        return keep(new SoftMemoryRegion(objects, region, () -> {}));
    }

    private SoftMemoryRegion keep(SoftMemoryRegion kept) {
        return objects.add(kept);
    }

    private Set<AccessRight> setOf(AccessRight... rights) {
        Set<AccessRight> set = RegionRules.rights(rights);
        if (!context.limits().adapter().incomingRdma()
                && !EnumSet.of(AccessRight.LOCAL_WRITE).containsAll(set)) {
            throw new IllegalArgumentException("the adapter of this RNIC does not perform RDMA operations of peers: a"
                    + " region has the right LOCAL_WRITE or none, not " + set + "; peers can send messages");
        }
        return set;
    }

    @Override
    public MemoryWindow allocateWindow(WindowOptions windowOptions) {
        checkOpen();
        return objects.add(new SoftMemoryWindow(objects, windowOptions));
    }

    @Override
    public AddressHandle createAddressHandle(AddressHandleAttributes attributes) {
        checkOpen();
        Datagrams transport =
                factory.datagrams().orElseThrow(() -> context.limits().noDatagrams());
        return objects.add(new SoftAddressHandle(objects, transport, attributes));
    }

    @Override
    public QueuePair createQueuePair(QueuePairOptions options) {
        checkOpen();
        SoftQueuePair softQueuePair = factory.create(objects, options);
        objects.queuePairCreated();
        return softQueuePair;
    }

    @Override
    public SharedReceiveQueue createSharedReceiveQueue(SharedReceiveQueueOptions options) {
        checkOpen();
        SoftSharedReceiveQueue softSharedReceiveQueue =
                new SoftSharedReceiveQueue(objects, context.engines().next(), options);
        objects.queueCreated();
        return softSharedReceiveQueue;
    }

    private void checkOpen() {
        context.checkOpen();
        if (closed) {
            throw new IllegalStateException("the protection domain is closed");
        }
    }

    /** Closes all regions when the RNIC is closed. */
    void closeAll() {
        objects.closeMemory();
        closed = true;
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        objects.checkEmpty();
        closed = true;
        context.forget(this);
    }
}
