package io.verbena.memory.vmm;

import io.verbena.memory.CopyResult;
import io.verbena.memory.PagedRange;
import io.verbena.memory.Verdict;
import io.verbena.verbs.PageFault;
import java.lang.foreign.MemorySegment;

/**
 * A range of addresses, as a region uses it: translated at each access, page by page. Engines use it without a lock;
 * only a missing page requires one.
 */
public final class AddressRange extends PagedRange {

    /** Maximum number of pages that {@link #expect} requests; later pages are requested when they are accessed. */
    private static final int MOST_EXPECTED = 64;

    private final Pager pager;
    private final AddressView view;
    private final long start;
    private final long length;
    private final int pageShift;
    private final MemorySegment frames;

    AddressRange(Pager pager, FramePool pool, AddressView view, long start, long length) {
        this.pager = pager;
        this.view = view;
        this.start = start;
        this.length = length;
        this.pageShift = pool.pageShift();
        this.frames = pool.memory();
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public int lowestBits() {
        return (int) start & 7;
    }

    @Override
    public Verdict check(long offset, long bytes, boolean write, int queuePair, int rkey) {
        Verdict verdict = checkMapped(offset, bytes, write);
        return verdict == Verdict.NOT_MAPPED && handlerIsAsked(start + offset, bytes, write, queuePair, rkey)
                ? Verdict.NOT_NOW
                : verdict;
    }

    private boolean handlerIsAsked(long address, long bytes, boolean write, int queuePair, int rkey) {
        return view.unmapped().mustWait(view, queuePair, new PageFault(address, bytes, write, rkey));
    }

    @Override
    public Verdict checkMapped(long offset, long bytes, boolean write) {
        long address = start + offset;
        SegmentEntry entry = view.find(address);
        // A segment has a terabyte of addresses of its own, so what crosses its end crosses a hole.
        if (entry == null || !entry.covers(AddressLayout.within(address), bytes)) {
            return Verdict.NOT_MAPPED;
        }
        return write && !entry.writable() ? Verdict.NO_RIGHT : Verdict.OK;
    }

    @Override
    public CopyResult copyIn(long offset, MemorySegment from, long fromOffset, int bytes) {
        return copy(offset, from, fromOffset, bytes, true);
    }

    @Override
    public CopyResult copyOut(long offset, MemorySegment to, long toOffset, int bytes) {
        return copy(offset, to, toOffset, bytes, false);
    }

    private CopyResult copy(long offset, MemorySegment other, long otherOffset, int bytes, boolean write) {
        long address = start + offset;
        SegmentEntry entry = view.find(address);
        long within = AddressLayout.within(address);
        if (entry == null || !entry.covers(within, bytes) || write && !entry.writable()) {
            // The tables changed since the check: the check is repeated and reports the reason.
            return CopyResult.NOT_NOW;
        }
        MemorySegment pinned = entry.segment().pinned().orElse(null);
        if (pinned != null) {
            move(pinned, within, other, otherOffset, bytes, write);
            return CopyResult.DONE;
        }
        return copyPages(entry, within, other, otherOffset, bytes, write);
    }

    private CopyResult copyPages(
            SegmentEntry entry, long within, MemorySegment other, long otherOffset, int bytes, boolean write) {
        long at = within;
        long end = within + bytes;
        // Only accessed pages are marked as used: until then pages are kept for the access that requested them.
        CopyResult all =
                bytes == 0 ? CopyResult.DONE : askForMissing(entry, within >>> pageShift, end - 1 >>> pageShift);
        while (all == CopyResult.DONE && at < end) {
            long page = at >>> pageShift;
            int piece = (int) (Math.min(end, page + 1 << pageShift) - at);
            long frame = touch(entry, page, write);
            if (frame < 0) {
                return frame == ABSENT ? CopyResult.NOT_NOW : CopyResult.LOST;
            }
            long place = (frame << pageShift) + (at & (1L << pageShift) - 1);
            move(frames, place, other, otherOffset + (at - within), piece, write);
            at += piece;
        }
        return all;
    }

    /** Requests all missing pages together, so that they are read together. */
    private CopyResult askForMissing(SegmentEntry entry, long firstPage, long lastPage) {
        CopyResult result = CopyResult.DONE;
        for (long page = firstPage; page <= lastPage; page++) {
            if (!PageEntry.has(entry.table().get(page), PageEntry.VALID)) {
                switch (pager.ask(entry.segment(), page)) {
                    case PRESENT -> {}
                    case COMING -> result = CopyResult.NOT_NOW;
                    case FAILED -> {
                        return CopyResult.LOST;
                    }
                }
            }
        }
        if (result == CopyResult.NOT_NOW) {
            pager.claim(entry.segment(), firstPage, lastPage);
        }
        return result;
    }

    private static void move(
            MemorySegment memory, long place, MemorySegment other, long otherOffset, int bytes, boolean write) {
        if (write) {
            MemorySegment.copy(other, otherOffset, memory, place, bytes);
        } else {
            MemorySegment.copy(memory, place, other, otherOffset, bytes);
        }
    }

    /**
     * The frame of a page, marked as used; or ABSENT after the page was requested, or GONE. Valid until the engine
     * leaves its turn.
     */
    private long touch(SegmentEntry entry, long page, boolean write) {
        PageTable table = entry.table();
        long marks = write ? PageEntry.VALID | PageEntry.USED | PageEntry.CHANGED : PageEntry.VALID | PageEntry.USED;
        while (true) {
            long seen = table.get(page);
            if (PageEntry.has(seen, marks)) {
                return PageEntry.frame(seen);
            }
            if (PageEntry.has(seen, PageEntry.VALID)) {
                if (table.replace(page, seen, seen | marks)) {
                    return PageEntry.frame(seen);
                }
            } else {
                switch (pager.ask(entry.segment(), page)) {
                    case PRESENT -> {}
                    case COMING -> {
                        return ABSENT;
                    }
                    case FAILED -> {
                        return GONE;
                    }
                }
            }
        }
    }

    @Override
    public MemorySegment memoryOf(long offset) {
        SegmentEntry entry = view.find(start + offset);
        return entry == null ? frames : memoryOf(entry);
    }

    private MemorySegment memoryOf(SegmentEntry entry) {
        return entry.segment().pinned().orElse(frames);
    }

    @Override
    public long locateWord(long offset, MemorySegment memory) {
        long address = start + offset;
        SegmentEntry entry = view.find(address);
        long within = AddressLayout.within(address);
        if (entry == null
                || !memoryOf(entry).equals(memory)
                || !entry.covers(within, Long.BYTES)
                || !entry.writable()) {
            return ABSENT;
        }
        if (!entry.segment().pageable()) {
            return within;
        }
        long frame = touch(entry, within >>> pageShift, true);
        return frame < 0 ? frame : (frame << pageShift) + (within & (1L << pageShift) - 1);
    }

    @Override
    public void expect(long offset, long bytes) {
        long address = start + offset;
        SegmentEntry entry = view.find(address);
        long within = AddressLayout.within(address);
        if (entry == null
                || bytes == 0
                || !entry.covers(within, bytes)
                || !entry.segment().pageable()) {
            return;
        }
        long last = Math.min(within + bytes - 1 >>> pageShift, (within >>> pageShift) + MOST_EXPECTED - 1);
        for (long page = within >>> pageShift; page <= last; page++) {
            if (!PageEntry.has(entry.table().get(page), PageEntry.VALID)) {
                pager.ask(entry.segment(), page);
            }
        }
    }
}
