package io.verbena.memory.vmm;

import io.verbena.memory.Region;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A piece of the virtual address space and what is behind it: a store and frames, or memory that is always there. Several
 * processes may have it in their segment tables. Under the lock of the VMM unless it says otherwise.
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

    /** Pages on their way in or out. */
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

    /** Memory that is always there, if it is not pageable. */
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

    /** The entry of a page in all tables together. */
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
     * A valid page leaves: from here on no engine that begins a turn finds it.
     *
     * @return the entry as it was, with what engines had set to the last moment
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

    /** Whether it was used since this was asked the last time. */
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
     * A page is asked for: how many behind it are worth asking for too. They double as long as one follows the other.
     *
     * @param most 0 switches it off
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
