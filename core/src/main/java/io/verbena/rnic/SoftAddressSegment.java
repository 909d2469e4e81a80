package io.verbena.rnic;

import io.verbena.memory.Region;
import io.verbena.memory.Revocation;
import io.verbena.memory.vmm.AddressLayout;
import io.verbena.memory.vmm.Leaving;
import io.verbena.memory.vmm.Mapping;
import io.verbena.memory.vmm.Vmm;
import io.verbena.verbs.AddressSegment;
import io.verbena.verbs.AddressSpace;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** A segment of an address space as seen by the application. */
final class SoftAddressSegment implements AddressSegment {

    private final SoftAddressSpace space;
    private final Vmm vmm;
    private final Mapping mapping;
    private final Closing closing = new Closing();

    /** What is left to release once it is unmapped. Accessed by the thread that closes it. */
    private Optional<Leaving> unmapped = Optional.empty();

    SoftAddressSegment(SoftAddressSpace space, Mapping mapping) {
        this.space = space;
        this.mapping = mapping;
        vmm = space.memory().vmm();
    }

    SoftAddressSpace space() {
        return space;
    }

    SoftVirtualMemory memory() {
        return space.memory();
    }

    Mapping mapping() {
        return mapping;
    }

    /** Adds a region over the segment's pinned memory that does not go through the tables. */
    void addPinned(Region region) {
        vmm.addPinnedRegion(mapping, region);
    }

    void removePinned(Region region) {
        vmm.removePinnedRegion(region);
    }

    @Override
    public AddressSpace addressSpace() {
        return space;
    }

    @Override
    public int id() {
        return mapping.id();
    }

    @Override
    public long address() {
        return mapping.address();
    }

    @Override
    public long virtualAddress() {
        space.checkKernel();
        return AddressLayout.of(space.translate(address()).upperVirtualAddress());
    }

    @Override
    public long length() {
        return vmm.length(mapping);
    }

    @Override
    public boolean pageable() {
        return vmm.pageable(mapping);
    }

    @Override
    public boolean writable() {
        return vmm.writable(mapping);
    }

    @Override
    public boolean direct() {
        return vmm.direct(mapping);
    }

    @Override
    public long residentBytes() {
        return vmm.residentBytes(mapping);
    }

    @Override
    public Optional<MemorySegment> segment() {
        return vmm.pinned(mapping);
    }

    @Override
    public void grow(long bytes) throws IOException {
        vmm.grow(mapping, bytes);
    }

    @Override
    public void shrink(long bytes) throws IOException {
        settle(vmm.shrink(mapping, bytes));
        memory().removal().dropBehind(mapping, memory()::pause);
    }

    @Override
    public void protect(boolean nowWritable) {
        settle(vmm.protect(mapping, nowWritable));
    }

    @Override
    public void swapOut(long offset, long bytes) throws IOException {
        memory().removal().swapOut(mapping, offset, bytes, memory()::pause);
    }

    @Override
    public void swapIn(long offset, long bytes) throws IOException {
        long batch = Math.max(1, memory().figures().frames() / 4)
                * (long) memory().options().pageBytes();
        for (long at = 0; at < bytes; at += batch) {
            long from = offset + at;
            long count = Math.min(batch, bytes - at);
            memory().until(() -> vmm.swapIn(mapping, from, count));
        }
    }

    private void settle(Revocation revocation) {
        if (!space.memory().context().engines().awaitRevocation(revocation, SoftMemoryRegion.REVOCATION_NS)) {
            throw new VerbsException(
                    "An engine did not leave its turn in time; the memory is not released because it may still be"
                            + " in use.");
        }
    }

    @Override
    public void close() throws IOException {
        closing.close(memory().context(), () -> {}, this::release);
    }

    private void release() throws IOException {
        if (unmapped.isEmpty()) {
            unmapped = Optional.of(vmm.unmap(mapping));
        }
        Leaving leaving = unmapped.get();
        settle(leaving.revocation());
        memory().removal().giveBack(leaving, memory()::pause);
        space.segmentClosed(this);
    }
}
