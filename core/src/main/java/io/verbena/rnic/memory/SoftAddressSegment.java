package io.verbena.rnic.memory;

import io.verbena.memory.Region;
import io.verbena.memory.Revocation;
import io.verbena.memory.vmm.AddressLayout;
import io.verbena.memory.vmm.Leaving;
import io.verbena.memory.vmm.Mapping;
import io.verbena.memory.vmm.SharedSegments;
import io.verbena.memory.vmm.Vmm;
import io.verbena.rnic.context.Closing;
import io.verbena.rnic.context.RnicContext;
import io.verbena.verbs.AddressSegment;
import io.verbena.verbs.AddressSpace;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.SegmentOffer;
import io.verbena.verbs.SegmentOfferOptions;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** A segment of an address space as seen by the application. */
public final class SoftAddressSegment implements AddressSegment {

    /** Maximum time to wait for a program that uses the memory in a call of foreign code. */
    private static final long UNMAP_NS = 60_000_000_000L;

    private final SoftAddressSpace space;
    private final Vmm vmm;
    private final Mapping mapping;
    private final SegmentOrigin origin;
    private final Consumer<String> onEnd = this::ended;

    /** Guarded by itself. */
    private final Set<SoftSegmentOffer> offers = new HashSet<>();

    private final Closing closing = new Closing();

    /** What is left to release once it is unmapped. Accessed by the thread that closes it. */
    private Optional<Leaving> unmapped = Optional.empty();

    SoftAddressSegment(SoftAddressSpace space, Mapping mapping, SegmentOrigin origin) {
        this.space = space;
        this.origin = origin;
        this.mapping = mapping;
        vmm = space.memory().vmm();
    }

    /**
     * Follows the end of the segment in another process from now on.
     *
     * @throws IllegalStateException if it has ended, and is unmapped again
     */
    void follow() {
        origin.add(onEnd);
    }

    public SoftAddressSpace space() {
        return space;
    }

    public SoftVirtualMemory memory() {
        return space.memory();
    }

    /** Another process has ended the segment: unmaps it, as soon as the program does not use it in a call of foreign code. */
    private void ended(String why) {
        RnicContext context = memory().context();
        String sentence = "Segment " + id() + " of " + space + " is unmapped: " + why + ".";
        context.events().raise(AsyncEventType.REGION_LOST, this, sentence);
        long deadlineNs = context.environment().nowNs() + UNMAP_NS;
        boolean unmappedHere = false;
        while (!unmappedHere
                && !context.stopped()
                && deadlineNs - context.environment().nowNs() > 0) {
            try {
                close();
                unmappedHere = true;
            } catch (IOException | RuntimeException e) {
                memory().pause(); // the program uses the memory in a call, or an engine is in its turn
            }
        }
    }

    /** Where its memory comes from. */
    SegmentOrigin origin() {
        return origin;
    }

    /** Whether it is not closed, nor being closed. */
    boolean mapped() {
        return !closing.begun();
    }

    Mapping mapping() {
        return mapping;
    }

    /** Adds a region over the segment's pinned memory that does not go through the tables. */
    public void addPinned(Region region) {
        vmm.addPinnedRegion(mapping, region);
    }

    public void removePinned(Region region) {
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
        return vmm.length(live());
    }

    @Override
    public boolean pageable() {
        return vmm.pageable(live());
    }

    @Override
    public boolean writable() {
        return vmm.writable(live());
    }

    @Override
    public boolean direct() {
        return vmm.direct(live());
    }

    @Override
    public long residentBytes() {
        return vmm.residentBytes(live());
    }

    @Override
    public Optional<MemorySegment> segment() {
        return vmm.pinned(live());
    }

    @Override
    public void grow(long bytes) throws IOException {
        vmm.grow(live(), bytes);
    }

    @Override
    public void shrink(long bytes) throws IOException {
        settle(vmm.shrink(live(), bytes));
        memory().removal().dropBehind(live(), memory()::pause);
    }

    @Override
    public void protect(boolean nowWritable) {
        settle(vmm.protect(live(), nowWritable));
    }

    @Override
    public void swapOut(long offset, long bytes) throws IOException {
        memory().removal().swapOut(live(), offset, bytes, memory()::pause);
    }

    @Override
    public void swapIn(long offset, long bytes) throws IOException {
        long batch = Math.max(1, memory().figures().frames() / 4)
                * (long) memory().options().pageBytes();
        for (long at = 0; at < bytes; at += batch) {
            long from = offset + at;
            long count = Math.min(batch, bytes - at);
            memory().until(() -> vmm.swapIn(live(), from, count));
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
    public SegmentOffer offer(SegmentOfferOptions options) throws IOException {
        SharedSegments.Shareable memory = origin.shareable();
        if (options.writable() && !writable()) {
            throw new IllegalArgumentException(
                    "invalid parameter: the segment is read-only for the process that offers it");
        }
        synchronized (offers) {
            if (closing.begun()) {
                throw new IllegalStateException("the segment is unmapped");
            }
            SoftSegmentOffer softSegmentOffer = new SoftSegmentOffer(memory.offer(options), options, this::offerEnded);
            offers.add(softSegmentOffer);
            return softSegmentOffer;
        }
    }

    private void offerEnded(SoftSegmentOffer offer) {
        synchronized (offers) {
            offers.remove(offer);
        }
    }

    private List<SoftSegmentOffer> offers() {
        synchronized (offers) {
            return List.copyOf(offers);
        }
    }

    /** The mapping for an operation, which fails with the reason if another process has ended the segment. */
    private Mapping live() {
        if (closing.begun()) {
            throw new IllegalStateException("the segment is unmapped: " + origin.reason());
        }
        return mapping;
    }

    @Override
    public void close() throws IOException {
        closing.close(memory().context(), this::unmap, this::release);
    }

    /** Takes the segment out of use. A call that is refused, for example inside a turn, leaves the segment as it is. */
    private void unmap() throws IOException {
        unmapped = Optional.of(vmm.unmap(mapping, origin.reason()));
    }

    private void release() throws IOException {
        long deadlineNs = memory().context().environment().nowNs() + SoftSegmentOffer.CLOSE_NS;
        for (SoftSegmentOffer offer : offers()) {
            offer.end(Math.max(0, deadlineNs - memory().context().environment().nowNs()));
        }
        Leaving leaving = unmapped.orElseThrow();
        settle(leaving.revocation());
        memory().removal().giveBack(leaving, memory()::pause);
        origin.remove(onEnd);
        space.segmentClosed(this);
    }
}
