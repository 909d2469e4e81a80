package io.verbena.memory.vmm;

import io.verbena.memory.Region;
import io.verbena.memory.Revocation;
import io.verbena.verbs.PageTableKind;
import io.verbena.verbs.Translation;
import io.verbena.verbs.VirtualMemoryFigures;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The virtual memory manager: owns the tables, the frames and the processes. See docs/memory.md.
 *
 * <p>It does not block. A method that removes access returns a {@link Revocation} for the caller to wait for, and has a
 * second method to call afterwards. Changes are made under the lock (the monitor of this object); engines take it only
 * for a missing page.
 */
public final class Vmm {

    /** No particular segment ID: the lowest that is free. */
    public static final int ANY_ID = SegmentTable.ANY_ID;

    private static final int MOST_SEGMENTS = 1 << 22;

    private final int pageShift;
    private final PageTableKind kind;
    private final FramePool pool;
    private final Pager pager;
    private final Optional<InvertedPageTable> inverted;
    private final PagingObservers observers = new PagingObservers();
    private final List<Process> processes = new ArrayList<>();
    private volatile SegmentTable virtualSegments = SegmentTable.EMPTY;

    /**
     * Creates a VMM.
     *
     * @param frameBytes size of the frame pool
     * @param pageBytes size of a page: a power of two
     * @param readAhead maximum number of pages that are read ahead of sequential access; 0 for none
     */
    public Vmm(long frameBytes, int pageBytes, PageTableKind kind, int readAhead) {
        if (Integer.bitCount(pageBytes) != 1 || pageBytes < 512 || pageBytes > 1 << 20) {
            throw new IllegalArgumentException(
                    "the page size must be a power of two from 512 to 1048576, not " + pageBytes);
        }
        if (frameBytes < 8L * pageBytes || frameBytes / pageBytes > 1 << 26) {
            throw new IllegalArgumentException("the frame pool must have 8 to 67108864 pages of " + pageBytes
                    + " bytes, not " + frameBytes + " bytes in all");
        }
        this.kind = kind;
        pageShift = Integer.numberOfTrailingZeros(pageBytes);
        pool = new FramePool(frameBytes, pageShift);
        inverted =
                kind == PageTableKind.INVERTED ? Optional.of(new InvertedPageTable(pool.frames())) : Optional.empty();
        pager = new Pager(this, observers, pool, readAhead);
    }

    public int pageShift() {
        return pageShift;
    }

    public PageTableKind kind() {
        return kind;
    }

    public Pager pager() {
        return pager;
    }

    MemorySegment frames() {
        return pool.memory();
    }

    long pagesOf(long bytes) {
        return pool.pagesOf(bytes);
    }

    SegmentTable virtualSegments() {
        return virtualSegments;
    }

    // For users of the VMM.

    /** The engines and listeners that paging affects. */
    public PagingObservers observers() {
        return observers;
    }

    // Processes.

    /**
     * Adds a process without any mapping.
     *
     * @param mostBytes limit of what it maps
     * @param maxFrames limit of what is in frames, 1 or more
     */
    public synchronized Process newProcess(String name, boolean kernel, long mostBytes, int maxFrames) {
        Process process = new Process(name, kernel, mostBytes, Math.max(8, maxFrames));
        processes.add(process);
        return process;
    }

    /** Its segments are unmapped already. */
    public synchronized void endProcess(Process process) {
        processes.remove(process);
    }

    public synchronized List<Process> processes() {
        return List.copyOf(processes);
    }

    synchronized void register(Process process, DriverTables driver) {
        process.register(driver);
    }

    synchronized void unregister(Process process, DriverTables driver) {
        process.unregister(driver);
    }

    /** A range as a region uses it. */
    public AddressRange range(AddressView view, long address, long length) {
        return new AddressRange(pager, pool, view, address, length);
    }

    // Mapping.

    /** Checks whether a segment can be mapped, before a file is opened or extended for it. */
    public synchronized void checkMap(Process process, int id, long length) {
        checkLength(length);
        process.checkRoom(length);
        process.idFor(id);
    }

    /**
     * Maps pages of a store, which is the VMM's from now on.
     *
     * @param id segment ID, or {@link #ANY_ID}
     */
    public synchronized Mapping mapPageable(Process process, int id, PageStore store, long length) {
        return map(process, id, SegmentContent.pages(store), length);
    }

    /** Maps pinned memory. */
    public synchronized Mapping mapPinned(
            Process process, int id, MemorySegment memory, Runnable giveBack, boolean writable) {
        return map(process, id, SegmentContent.pinned(memory, giveBack, writable), memory.byteSize());
    }

    private Mapping map(Process process, int id, SegmentContent content, long length) {
        checkLength(length);
        int upper = virtualSegments.freeId();
        if (upper >= MOST_SEGMENTS) {
            throw new IllegalStateException("all " + MOST_SEGMENTS + " virtual segments are in use; unmap some first");
        }
        process.checkRoom(length);
        int segmentId = process.idFor(id);
        VirtualSegment segment = new VirtualSegment(upper, process.frames(), content, length, pageShift);
        if (kind != PageTableKind.FLAT) {
            segment.tables()
                    .add(inverted.map(table -> table.of(upper, pageShift)).orElseGet(FlatPageTable::new));
        }
        Mapping mapping = enter(process, segmentId, segment, segment.writable());
        virtualSegments = virtualSegments.with(new SegmentEntry(
                upper, length, segment.writable(), segment, segment.tables().getFirst()));
        return mapping;
    }

    private static void checkLength(long length) {
        if (length < 1 || length > AddressLayout.MOST_SEGMENT_BYTES) {
            throw new IllegalArgumentException(
                    "a segment must have 1 to " + AddressLayout.MOST_SEGMENT_BYTES + " bytes, not " + length);
        }
    }

    private Mapping enter(Process process, int id, VirtualSegment segment, boolean writable) {
        PageTable table;
        if (kind == PageTableKind.FLAT) {
            FlatPageTable own = new FlatPageTable();
            if (!segment.tables().isEmpty()) {
                own.copyFrom((FlatPageTable) segment.tables().getFirst());
            }
            segment.tables().add(own);
            table = own;
        } else {
            table = segment.tables().getFirst();
        }
        segment.attach(1);
        process.account(segment.length());
        process.update(process.table().with(new SegmentEntry(id, segment.length(), writable, segment, table)));
        return new Mapping(process, id);
    }

    /** Maps a segment into another process too, at an address of its own. */
    public synchronized Mapping share(Mapping mapping, Process with, int id, boolean writable) {
        VirtualSegment segment = entry(mapping).segment();
        if (writable && !segment.writable()) {
            throw new IllegalArgumentException("invalid parameter: the content of the segment is read-only");
        }
        with.checkRoom(segment.length());
        return enter(with, with.idFor(id), segment, writable);
    }

    /** Under the lock. */
    SegmentEntry entry(Mapping mapping) {
        SegmentEntry entry = mapping.process().table().find(mapping.id());
        if (entry == null) {
            throw new IllegalStateException("the segment is unmapped");
        }
        return entry;
    }

    /** Length of a mapped segment in bytes. */
    public synchronized long length(Mapping mapping) {
        return entry(mapping).length();
    }

    /** Whether a mapped segment is pageable. */
    public synchronized boolean pageable(Mapping mapping) {
        return entry(mapping).segment().pageable();
    }

    /** Whether the process may write the segment. */
    public synchronized boolean writable(Mapping mapping) {
        return entry(mapping).writable();
    }

    /** Whether the pages bypass the page cache of the operating system. */
    public synchronized boolean direct(Mapping mapping) {
        VirtualSegment segment = entry(mapping).segment();
        return segment.pageable() && segment.store().direct();
    }

    /** The memory of a pinned segment. */
    public synchronized Optional<MemorySegment> pinned(Mapping mapping) {
        return entry(mapping).segment().pinned();
    }

    /** Registers a region over a pinned segment that bypasses the tables, so that it is notified when they change. */
    public synchronized void addPinnedRegion(Mapping mapping, Region region) {
        entry(mapping).segment().pinnedRegions().add(new VirtualSegment.PinnedRegion(mapping, region));
    }

    /** Such a region is closed. */
    public synchronized void removePinnedRegion(Region region) {
        for (SegmentEntry entry : virtualSegments.entries()) {
            entry.segment().pinnedRegions().removeIf(each -> each.region() == region);
        }
    }

    /** Makes a pageable segment longer, for all processes that share it. */
    public synchronized void grow(Mapping mapping, long length) throws IOException {
        checkLength(length);
        SegmentEntry entry = entry(mapping);
        if (!entry.segment().pageable() || length < entry.length()) {
            throw new IllegalArgumentException("invalid parameter: only a pageable segment can grow; this one is "
                    + (entry.segment().pageable() ? "already longer" : "pinned"));
        }
        mapping.process().checkRoom(length - entry.length());
        entry.segment().store().resize(length);
        resize(entry.segment(), length);
    }

    /**
     * Makes a pageable segment shorter, for all processes that share it: accesses that begin now end at the new end.
     * Then wait, then call {@link Removal#dropBehind}.
     */
    public synchronized Revocation shrink(Mapping mapping, long length) {
        checkLength(length);
        SegmentEntry entry = entry(mapping);
        if (!entry.segment().pageable() || length > entry.length()) {
            throw new IllegalArgumentException("invalid parameter: only a pageable segment can shrink; this one is "
                    + (entry.segment().pageable() ? "already shorter" : "pinned"));
        }
        Revocation.checkCaller(observers.epochs());
        resize(entry.segment(), length);
        return Revocation.begin(observers.epochs());
    }

    private static List<Region> pinnedRegions(VirtualSegment segment, Mapping mapping) {
        return segment.pinnedRegions().stream()
                .filter(each -> each.mapping().equals(mapping))
                .map(VirtualSegment.PinnedRegion::region)
                .toList();
    }

    private void resize(VirtualSegment segment, long length) {
        segment.length(length);
        for (Process process : processes) {
            for (SegmentEntry each : process.table().entries()) {
                if (each.segment() == segment) {
                    process.account(length - each.length());
                    process.update(process.table()
                            .with(new SegmentEntry(each.id(), length, each.writable(), segment, each.table())));
                }
            }
        }
        virtualSegments = virtualSegments.with(new SegmentEntry(
                segment.upper(),
                length,
                segment.writable(),
                segment,
                segment.tables().getFirst()));
    }

    /** Changes the protection of a segment for a process. If write access is removed, wait for the revocation. */
    public synchronized Revocation protect(Mapping mapping, boolean writable) {
        SegmentEntry entry = entry(mapping);
        if (writable && !entry.segment().writable()) {
            throw new IllegalArgumentException("invalid parameter: the content of the segment is read-only");
        }
        Revocation.checkCaller(observers.epochs());
        mapping.process()
                .update(mapping.process()
                        .table()
                        .with(new SegmentEntry(entry.id(), entry.length(), writable, entry.segment(), entry.table())));
        if (!writable) {
            pinnedRegions(entry.segment(), mapping).forEach(Region::withdrawWriting);
        }
        return Revocation.begin(observers.epochs());
    }

    /**
     * Unmaps a segment of a process: accesses that begin now find nothing. Then wait, then call
     * {@link Removal#giveBack}.
     */
    public Leaving unmap(Mapping mapping) {
        return unmap(mapping, "its segment was unmapped");
    }

    /** As {@link #unmap(Mapping)}, for a reason that lost regions report. */
    public synchronized Leaving unmap(Mapping mapping, String reason) {
        SegmentEntry entry = entry(mapping);
        VirtualSegment segment = entry.segment();
        Process process = mapping.process();
        Revocation.checkCaller(observers.epochs());
        process.update(process.table().without(mapping.id()));
        process.account(-segment.length());
        pinnedRegions(segment, mapping).forEach(region -> region.markLost(reason));
        boolean last = segment.attach(-1) == 0;
        if (last) {
            virtualSegments = virtualSegments.without(segment.upper());
        }
        return new Leaving(segment, entry.table(), last, Revocation.begin(observers.epochs()));
    }

    /**
     * A process has unmapped a segment that others still map: its page table is removed, and its changed bits are kept.
     */
    synchronized void dropTable(VirtualSegment segment, PageTable table) {
        if (kind != PageTableKind.FLAT || segment.attached() == 0) {
            return;
        }
        segment.tables().remove(table);
        pager.keepChanges(segment, table);
        virtualSegments = virtualSegments.with(new SegmentEntry(
                segment.upper(),
                segment.length(),
                segment.writable(),
                segment,
                segment.tables().getFirst()));
    }

    /** Requests the missing pages of a range. Returns true if all are resident. */
    public boolean swapIn(Mapping mapping, long offset, long length) throws IOException {
        SegmentEntry entry;
        synchronized (this) {
            entry = entry(mapping);
        }
        if (offset < 0 || length < 0 || !entry.covers(offset, length)) {
            throw new IndexOutOfBoundsException("the range is not within the segment");
        }
        boolean all = true;
        for (long page = offset >>> pageShift; page < pagesOf(offset + length); page++) {
            if (!PageEntry.has(entry.table().get(page), PageEntry.VALID)) {
                Pager.Asked asked = pager.ask(entry.segment(), page);
                if (asked == Pager.Asked.FAILED) {
                    throw new IOException(
                            "a page cannot be read: " + entry.segment().store().name());
                }
                all &= asked == Pager.Asked.PRESENT;
            }
        }
        return all;
    }

    /**
     * MapLocalPage: the physical page of a virtual address.
     *
     * @return the frame, or -1 while the page is being read
     * @throws IllegalArgumentException if the address is not mapped
     */
    public long mapLocalPage(long virtualAddress) {
        SegmentEntry entry = virtualAddress < 0 ? null : virtualSegments.find(AddressLayout.upper(virtualAddress));
        long within = AddressLayout.within(virtualAddress);
        if (entry == null || !entry.covers(within, 1)) {
            throw new IllegalArgumentException(
                    String.format("nothing is mapped at virtual address 0x%x", virtualAddress));
        }
        long page = within >>> pageShift;
        long seen = entry.table().get(page);
        if (PageEntry.has(seen, PageEntry.VALID)) {
            return PageEntry.frame(seen);
        }
        pager.ask(entry.segment(), page);
        return -1;
    }

    /** The current translation of an address through the tables. */
    public Translation lookUp(Process process, long address) {
        return TableWalk.of(process, address, pageShift, pool);
    }

    /** Number of resident bytes of a segment. Iterates over the frames. */
    public synchronized long residentBytes(Mapping mapping) {
        SegmentEntry entry = entry(mapping);
        return entry.segment().pageable() ? pool.bytesOf(pager.resident(entry.segment())) : entry.length();
    }

    public synchronized VirtualMemoryFigures figures() {
        Pager.Figures counts = pager.figures();
        List<SegmentEntry> all = virtualSegments.entries();
        return new VirtualMemoryFigures(
                pool.frames(),
                pager.freeFrames(),
                all.size(),
                all.stream().mapToLong(SegmentEntry::length).sum(),
                counts.faults,
                counts.pagedIn,
                counts.pagedAhead,
                counts.evicted,
                counts.written,
                counts.failedReads,
                counts.failedWrites,
                pager.waiting());
    }

    /** Releases the frames, after all processes have ended and nothing uses them any more. */
    public void close() {
        pool.close();
    }
}
