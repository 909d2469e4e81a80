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

    private final Vmm vmm;
    private final int upper;
    private final Process owner;
    private final Optional<PageStore> store;
    private final Optional<MemorySegment> pinned;
    private final Runnable giveBack;
    private final boolean writable;

    /** One for all processes, or one each. */
    private final List<PageTable> tables = new ArrayList<>();

    /** Regions registered over pinned memory, which do not go through the tables. */
    private final List<Region> pinnedRegions = new ArrayList<>();

    private volatile long length;
    private int attached;

    /** Number of pages being read or written. */
    private int inFlight;

    private boolean dead;
    private long nextExpected = -1;
    private int ahead;

    VirtualSegment(
            Vmm vmm,
            int upper,
            Process owner,
            Optional<PageStore> store,
            Optional<MemorySegment> pinned,
            Runnable giveBack,
            boolean writable,
            long length) {
        this.vmm = vmm;
        this.upper = upper;
        this.owner = owner;
        this.store = store;
        this.pinned = pinned;
        this.giveBack = giveBack;
        this.writable = writable;
        this.length = length;
    }

    // Any thread.

    int upper() {
        return upper;
    }

    Process owner() {
        return owner;
    }

    /** The memory of a pinned segment; empty if the segment is pageable. */
    Optional<MemorySegment> pinned() {
        return pinned;
    }

    boolean pageable() {
        return store.isPresent();
    }

    PageStore store() {
        return store.orElseThrow();
    }

    boolean writable() {
        return writable;
    }

    long length() {
        return length;
    }

    long pages() {
        return vmm.pagesOf(length);
    }

    // Under the lock.

    void length(long bytes) {
        length = bytes;
    }

    List<PageTable> tables() {
        return tables;
    }

    List<Region> pinnedRegions() {
        return pinnedRegions;
    }

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
        giveBack.run();
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
