package io.verbena.memory.vmm;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * An inverted page table: one for a whole VMM, sized by the frame pool (and the requested pages) instead of the mapped
 * memory. A hash table from virtual page to entry, with chains.
 *
 * <p>Readers take no lock. A slot is reassigned to another page only under the lock and only while it contains neither
 * a valid entry nor a frame. A reader that traverses it at that time may lose its chain and find nothing, which is
 * treated as a missing page: the VMM repeats the lookup under its lock before it requests the page. Each read verifies
 * that the slot still belongs to the page.
 */
final class InvertedPageTable {

    private static final int MOST_STEPS = 64;
    private static final int END = 0;
    private static final VarHandle LONG = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle INT = MethodHandles.arrayElementVarHandle(int[].class);

    /** All arrays together, so that growth is one store. Slot 0 is unused. */
    private static final class Places {
        final int[] heads;
        final int[] next;
        final long[] keys;
        final long[] entries;

        Places(int count) {
            heads = new int[count];
            next = new int[count];
            keys = new long[count];
            entries = new long[count];
        }
    }

    private volatile Places places;
    private int used = 1;
    private int free = END;
    private int size;

    InvertedPageTable(int frames) {
        places = new Places(Math.max(64, Integer.highestOneBit(frames) * 4));
    }

    /** Entries in it. */
    int size() {
        return size;
    }

    /** The part of the table for the pages of one virtual segment. */
    PageTable of(int upper, int pageShift) {
        long base = (long) upper << AddressLayout.SEGMENT_SHIFT - pageShift;
        return new PageTable() {
            @Override
            public long get(long page) {
                return find(base + page);
            }

            @Override
            public boolean replace(long page, long expected, long next) {
                Places all = places;
                int at = place(all, base + page);
                return at != END && LONG.compareAndSet(all.entries, at, expected, next);
            }

            @Override
            public void put(long page, long entry) {
                set(base + page, entry);
            }
        };
    }

    private static int slot(Places all, long key) {
        long mixed = key * 0x9e37_79b9_7f4a_7c15L;
        return (int) (mixed >>> 32) & all.heads.length - 1;
    }

    private long find(long key) {
        Places all = places;
        int at = place(all, key);
        if (at == END) {
            return PageEntry.NONE;
        }
        long entry = (long) LONG.getAcquire(all.entries, at);
        return (long) LONG.getAcquire(all.keys, at) == key ? entry : PageEntry.NONE;
    }

    private static int place(Places all, long key) {
        int at = (int) INT.getAcquire(all.heads, slot(all, key));
        for (int steps = 0; at != END && steps < MOST_STEPS; steps++) {
            if ((long) LONG.getAcquire(all.keys, at) == key) {
                return at;
            }
            at = (int) INT.getAcquire(all.next, at);
        }
        return END;
    }

    // Under the lock.

    private void set(long key, long entry) {
        Places all = places;
        int at = exactPlace(all, key);
        if (entry == PageEntry.NONE) {
            if (at != END) {
                remove(all, key, at);
            }
            return;
        }
        if (at == END) {
            at = add(key);
            all = places;
        }
        LONG.setVolatile(all.entries, at, entry);
    }

    private static int exactPlace(Places all, long key) {
        int at = all.heads[slot(all, key)];
        while (at != END && all.keys[at] != key) {
            at = all.next[at];
        }
        return at;
    }

    private int add(long key) {
        if (free == END && used == places.keys.length) {
            grow();
        }
        Places all = places;
        int at = free;
        if (at != END) {
            free = all.next[at];
        } else {
            at = used++;
        }
        int slot = slot(all, key);
        LONG.setRelease(all.entries, at, PageEntry.NONE);
        LONG.setRelease(all.keys, at, key);
        INT.setRelease(all.next, at, all.heads[slot]);
        INT.setRelease(all.heads, slot, at);
        size++;
        return at;
    }

    private void remove(Places all, long key, int at) {
        LONG.setVolatile(all.entries, at, PageEntry.NONE);
        int slot = slot(all, key);
        if (all.heads[slot] == at) {
            INT.setRelease(all.heads, slot, all.next[at]);
        } else {
            int before = all.heads[slot];
            while (all.next[before] != at) {
                before = all.next[before];
            }
            INT.setRelease(all.next, before, all.next[at]);
        }
        LONG.setRelease(all.keys, at, -1L);
        all.next[at] = free;
        free = at;
        size--;
    }

    /**
     * Doubles the size. An engine that sets used or changed in the old arrays meanwhile would be lost, so valid entries
     * are removed there: the exchange of the engine fails, and it reads the new arrays.
     */
    private void grow() {
        Places old = places;
        Places all = new Places(old.keys.length * 2);
        System.arraycopy(old.keys, 0, all.keys, 0, used);
        Arrays.fill(all.next, END);
        for (int i = 1; i < used; i++) {
            all.entries[i] = (long) LONG.getAndSet(old.entries, i, PageEntry.NONE);
            int slot = slot(all, all.keys[i]);
            all.next[i] = all.heads[slot];
            all.heads[slot] = i;
        }
        places = all;
    }
}
