package io.verbena.memory.vmm;

import io.verbena.memory.Region;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A part of the virtual address space and its content: a store and frames, or pinned memory. Several processes may have
 * it in their segment tables. Guarded by the lock of the VMM unless stated otherwise.
 */
final class VirtualSegment {

    private final int upper;
    private final FrameAllowance owner;
    private final SegmentContent content;
    private final int pageShift;

    /** One for all processes, or one each. */
    private final List<PageTable> tables = new ArrayList<>();

    /** Regions registered over pinned memory, which do not go through the tables. */
    private final List<PinnedRegion> pinnedRegions = new ArrayList<>();

    private volatile long length;
    private int attached;

    /** Number of pages being read or written. */
    private int inFlight;

    private boolean dead;
    private long nextExpected = -1;
    private int ahead;

    /**
     * @param upper upper virtual address
     * @param owner the process that mapped it first: its pages are counted there
     */
    VirtualSegment(int upper, FrameAllowance owner, SegmentContent content, long length, int pageShift) {
        this.upper = upper;
        this.owner = owner;
        this.content = content;
        this.length = length;
        this.pageShift = pageShift;
    }

    // Any thread.

    int upper() {
        return upper;
    }

    /** Where its pages are counted. */
    FrameAllowance owner() {
        return owner;
    }

    /** The memory of a pinned segment; empty if the segment is pageable. */
    Optional<MemorySegment> pinned() {
        return content.pinned();
    }

    boolean pageable() {
        return content.store().isPresent();
    }

    PageStore store() {
        return content.store().orElseThrow();
    }

    boolean writable() {
        return content.writable();
    }

    long length() {
        return length;
    }

    long pages() {
        return AddressLayout.pagesOf(length, pageShift);
    }

    // Under the lock.

    void length(long bytes) {
        length = bytes;
    }

    List<PageTable> tables() {
        return tables;
    }

    List<PinnedRegion> pinnedRegions() {
        return pinnedRegions;
    }

    /** A region over pinned memory, and the mapping that it was registered with, whose end and protection concern it. */
    record PinnedRegion(Mapping mapping, Region region) {}

    /** One more process has it, or one less; how many now. */
    int attach(int change) {
        attached += change;
        return attached;
    }

    int attached() {
        return attached;
    }

    int inFlight() {
        return inFlight;
    }

    void inFlight(int change) {
        inFlight += change;
    }

    boolean dead() {
        return dead;
    }

    void kill() {
        dead = true;
    }

    void giveBack() {
        content.giveBack().run();
    }

    /** The entry of a page, combined from all tables. */
    long entry(long page) {
        long all = PageEntry.NONE;
        for (int i = 0; i < tables.size(); i++) {
            all |= tables.get(i).get(page);
        }
        return all;
    }

    void put(long page, long entry) {
        for (int i = 0; i < tables.size(); i++) {
            tables.get(i).put(page, entry);
        }
    }

    /**
     * Invalidates a valid page: no engine that begins a turn from now on finds it.
     *
     * @return the previous entry, including the bits that engines set until then
     */
    long retire(long page) {
        long last = PageEntry.NONE;
        for (int i = 0; i < tables.size(); i++) {
            PageTable table = tables.get(i);
            long seen;
            do {
                seen = table.get(page);
            } while (!table.replace(page, seen, PageEntry.LEAVING));
            last |= seen;
        }
        return last;
    }

    void markChanged(long page) {
        PageTable table = tables.getFirst();
        long seen = table.get(page);
        while (PageEntry.has(seen, PageEntry.VALID) && !table.replace(page, seen, seen | PageEntry.CHANGED)) {
            seen = table.get(page);
        }
    }

    /** Whether the page was used since the last call. */
    boolean takeUsed(long page) {
        boolean used = false;
        for (int i = 0; i < tables.size(); i++) {
            PageTable table = tables.get(i);
            long seen = table.get(page);
            while (PageEntry.has(seen, PageEntry.VALID | PageEntry.USED)) {
                used = true;
                if (table.replace(page, seen, seen & ~PageEntry.USED)) {
                    break;
                }
                seen = table.get(page);
            }
        }
        return used;
    }

    /**
     * The number of pages to read ahead when a page is requested. It doubles as long as requests are sequential.
     *
     * @param most maximum; 0 disables read-ahead
     */
    int aheadOf(long page, int most) {
        if (page == nextExpected) {
            ahead = Math.min(most, Math.max(4, ahead * 2));
            nextExpected = page + ahead + 1;
            return ahead;
        }
        ahead = 0;
        nextExpected = page + 1;
        return 0;
    }
}
