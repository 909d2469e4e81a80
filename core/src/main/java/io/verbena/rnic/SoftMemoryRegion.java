package io.verbena.rnic;

import io.verbena.memory.Region;
import io.verbena.memory.RegionState;
import io.verbena.memory.Revocation;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.VerbsException;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/** Registered memory as the application holds it. */
final class SoftMemoryRegion implements MemoryRegion {

    /** Far longer than any turn of an engine. */
    static final long REVOCATION_NS = 10_000_000_000L;

    private final DomainObjects domain;
    private final Region region;
    private final Runnable afterwards;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final AtomicBoolean lossTold = new AtomicBoolean();

    /** @param afterwards what is to be done when it is closed and nothing uses it any more */
    SoftMemoryRegion(DomainObjects domain, Region region, Runnable afterwards) {
        this.domain = domain;
        this.region = region;
        this.afterwards = afterwards;
    }

    DomainObjects domain() {
        return domain;
    }

    Region region() {
        return region;
    }

    @Override
    public MemorySegment segment() {
        if (!region.pinned()) {
            throw new UnsupportedOperationException("a pageable region lies in no one piece of memory; use"
                    + " AddressSpace.read and AddressSpace.write");
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

    boolean closed() {
        return closed.get();
    }

    @Override
    public int renewKey() {
        RnicContext context = domain.context();
        int key = domain.context().regions().renewKey(region);
        // Whoever had checked the old key before may still be copying.
        if (!context.engines().awaitRevocation(context.engines().beginRevocation(), REVOCATION_NS)) {
            throw new VerbsException("An engine did not leave its turn, so the old key may still be in use.");
        }
        return key;
    }

    /** Looks whether its memory went away, and tells it once. */
    void findLoss() {
        if (region.state() == RegionState.LIVE || region.state() == RegionState.INVALIDATED) {
            if (region.pinned() && !region.segment().scope().isAlive()) {
                region.markLost("the arena of the memory was closed while it was registered");
            }
        }
        if (region.state() == RegionState.LOST && lossTold.compareAndSet(false, true)) {
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
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        RnicContext context = domain.context();
        context.regions().deregister(region);
        Revocation revocation = context.engines().beginRevocation();
        if (!context.engines().awaitRevocation(revocation, REVOCATION_NS)) {
            throw new VerbsException("An engine did not leave its turn; the memory is kept, for it may be in use.");
        }
        region.release();
        afterwards.run();
        domain.remove(this);
    }
}
