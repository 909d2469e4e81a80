package io.verbena.memory;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * From a remote key to its region: open addressing with linear probing. Keys are random, so they are their own hash.
 *
 * <p>Readers take no lock: one load for the slot, one for the region, whose own {@code rkey} field is compared. That
 * field is the truth: it changes when a key dies, so it does not matter when the slot follows. Slots hold no key,
 * which saves a reader a cache miss; the table is at most half full (a quarter after it was rebuilt), so it seldom
 * looks at a second region. Writers hold the lock of {@link RegionTable}. A slot is never emptied while readers look,
 * only marked as free to use; when too many are marked or used, a new array takes over. A reader with the old one
 * still finds what was there, and nothing wrong.
 */
final class RemoteKeyTable {

    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(Region[].class);
    private static final int MIN_SLOTS = 64;

    /** In a slot that was used: matches no key, since no key is 0, and does not end a search. */
    private static final Region REMOVED = new Region(Backing.collected(MemorySegment.NULL), 0, 0, 0, 0);

    private volatile @Nullable Region[] slots = new Region[MIN_SLOTS];
    private int size;
    private int used;

    /** The region whose key this is now, or null. */
    @Nullable
    Region find(int key) {
        @Nullable Region[] array = slots;
        int mask = array.length - 1;
        int at = key & mask;
        while (true) {
            Region region = (Region) SLOT.getAcquire(array, at);
            if (region == null) {
                return null;
            }
            if (region.rkey() == key && key != 0) {
                return region;
            }
            at = at + 1 & mask;
        }
    }

    /** Makes the key that a region has lead to it. The caller holds the lock; a region is in the table once at most. */
    void add(Region region) {
        if ((used + 1) * 2 > slots.length) {
            rebuild();
        }
        size++;
        if (store(slots, region)) {
            used++;
        }
    }

    /** Frees the slot of a key that a region had until now. The caller holds the lock. */
    void remove(int key, Region region) {
        @Nullable Region[] array = slots;
        int mask = array.length - 1;
        int at = key & mask;
        while (array[at] != region) {
            assert array[at] != null : "no such key";
            at = at + 1 & mask;
        }
        SLOT.setRelease(array, at, REMOVED);
        size--;
    }

    int size() {
        return size;
    }

    private void rebuild() {
        int length = Math.max(MIN_SLOTS, Integer.highestOneBit(size) * 8);
        @Nullable Region[] next = new Region[length];
        int moved = 0;
        for (Region region : slots) {
            if (region != null && region != REMOVED) {
                store(next, region);
                moved++;
            }
        }
        used = moved;
        slots = next;
    }

    /** Whether a slot was taken that had never been used. */
    private static boolean store(@Nullable Region[] array, Region region) {
        int mask = array.length - 1;
        int at = region.rkey() & mask;
        while (array[at] != null && array[at] != REMOVED) {
            at = at + 1 & mask;
        }
        boolean fresh = array[at] == null;
        SLOT.setRelease(array, at, region);
        return fresh;
    }
}
