package io.verbena.rnic.memory;

import io.verbena.memory.CopyResult;
import io.verbena.memory.PeersLeaving;
import io.verbena.memory.Region;
import io.verbena.memory.RegionState;
import io.verbena.memory.Revocation;
import io.verbena.objects.NamedRegion;
import io.verbena.objects.Ownership;
import io.verbena.rnic.context.Closing;
import io.verbena.rnic.context.RnicContext;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.VerbsException;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/** Registered memory as seen by the application. */
public final class SoftMemoryRegion implements NamedRegion {

    /** Maximum time to wait for engines to leave their turns, far longer than any turn. */
    static final long REVOCATION_NS = 10_000_000_000L;

    private final DomainObjects domain;
    private final Region region;
    private final Runnable afterwards;
    private final Closing closing = new Closing();
    private final AtomicBoolean lossReported = new AtomicBoolean();

    /** @param afterwards called when the region is closed and no longer in use */
    public SoftMemoryRegion(DomainObjects domain, Region region, Runnable afterwards) {
        this.domain = domain;
        this.region = region;
        this.afterwards = afterwards;
    }

    DomainObjects domain() {
        return domain;
    }

    public Region region() {
        return region;
    }

    /** A region given by the application, which must belong to the same protection domain and must be open. */
    public static SoftMemoryRegion of(MemoryRegion region, DomainObjects domain) {
        if (!(region instanceof SoftMemoryRegion softMemoryRegion)) {
            throw Ownership.foreign("memory region");
        }
        Ownership.check("memory region", softMemoryRegion.domain() == domain, softMemoryRegion.closed());
        return softMemoryRegion;
    }

    @Override
    public MemorySegment segment() {
        if (!region.pinned()) {
            throw new UnsupportedOperationException(
                    "a pageable region is not contiguous in memory; use" + " AddressSpace.read and AddressSpace.write");
        }
        return region.segment();
    }

    @Override
    public ProtectionDomain protectionDomain() {
        return domain.domain();
    }

    @Override
    public long length() {
        return region.length();
    }

    @Override
    public Set<AccessRight> rights() {
        return region.rights();
    }

    @Override
    public int localKey() {
        return region.localKey();
    }

    @Override
    public int rkey() {
        return region.rkey();
    }

    @Override
    public long address() {
        return region.baseAddress();
    }

    @Override
    public boolean valid() {
        return region.state() == RegionState.LIVE;
    }

    @Override
    public boolean closed() {
        return closing.begun();
    }

    @Override
    public void copyInline(long offset, MemorySegment to, long at, int length) {
        if (!region.pinned()) {
            throw new IllegalArgumentException(
                    "a pageable region cannot be sent inline, for a page may be away; post it without that flag");
        }
        if (region.copyOut(offset, to, at, length) != CopyResult.DONE) {
            throw new IllegalStateException("the memory of the region is gone: " + region.lostReason());
        }
    }

    @Override
    public int renewKey() {
        RnicContext context = domain.context();
        context.engines().checkOutsideTurn();
        int key = context.regions().renewKey(region);
        // An engine that checked the old key before may still be copying.
        if (!awaitRevocation()) {
            throw new VerbsException("An engine did not leave its turn in time; the old key may still be in use.");
        }
        findLoss();
        if (region.state() == RegionState.LOST) {
            throw new VerbsException("The memory of the region is lost: " + region.lostReason() + ".");
        }
        return key;
    }

    /** Reports, once, that the memory of the region was lost. */
    void findLoss() {
        if (region.state() == RegionState.LIVE || region.state() == RegionState.INVALIDATED) {
            if (region.pinned() && !region.segment().scope().isAlive()) {
                region.markLost("the arena of the memory was closed while it was registered");
            }
        }
        if (region.state() == RegionState.LOST && lossReported.compareAndSet(false, true)) {
            domain.context()
                    .events()
                    .raise(
                            AsyncEventType.REGION_LOST,
                            this,
                            "A memory region of " + length() + " bytes is lost: " + region.lostReason() + ".");
        }
    }

    @Override
    public void close() {
        RnicContext context = domain.context();
        closing.close(context, () -> context.regions().deregister(region), this::release);
    }

    /** Waits until neither engines nor peers use the region by a key that has ended. Returns false on timeout. */
    private boolean awaitRevocation() {
        RnicContext context = domain.context();
        Revocation revocation = context.engines().beginRevocation();
        PeersLeaving peers = context.regions().peersLeaving();
        return context.engines().awaitRevocation(revocation, REVOCATION_NS)
                && context.engines().awaitPeers(peers::settled, REVOCATION_NS);
    }

    private void release() {
        if (!awaitRevocation()) {
            throw new VerbsException(
                    "An engine did not leave its turn in time; the memory is not released because it may still be"
                            + " in use. Close the region again.");
        }
        region.release();
        afterwards.run();
        domain.remove(this);
    }
}
