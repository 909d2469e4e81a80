package io.verbena.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * From a local key to its region: an array.
 *
 * <pre>
 *   31          20 19                           0
 *  | generation   | index, from 1                |
 * </pre>
 *
 * <p>An index that is used again has the next of 4096 generations, so the key of a closed region does not match its
 * successor. Freed indexes wait in line, at least {@link #LINE} of them, before one is used again. Readers take no
 * lock; writers hold the lock of {@link RegionTable}.
 */
final class LocalKeyTable {

    static final int INDEX_BITS = 20;
    static final int MAX_INDEX = (1 << INDEX_BITS) - 1;
    private static final int LINE = 64;
    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(Region[].class);

    private volatile @Nullable Region[] slots = new Region[16];
    private int[] generations = new int[16];
    /** A ring: the line of freed indexes. */
    private int[] freed = new int[LINE];

    private int freedFirst;
    private int freedCount;
    private int lastIndex;
    private int size;
    private long entered;

    /** The region whose key this is, or null. */
    @Nullable
    Region find(int key) {
        @Nullable Region[] array = slots;
        int index = key & MAX_INDEX;
        if (index >= array.length) {
            return null;
        }
        Region region = (Region) SLOT.getAcquire(array, index);
        return region != null && region.localKey() == key ? region : null;
    }

    /**
     * The region that had this key when it was registered with number {@code serial}, or null if that region has been
     * deregistered. Only for callers that learned both values from a bind, which is after the registration: a plain
     * load then finds the region, and a later region that the load might see partially constructed has another serial
     * number.
     */
    @Nullable
    Region find(int key, long serial) {
        Region region = slots[key & MAX_INDEX];
        return region != null && region.serial() == serial ? region : null;
    }

    /** A key that no region has; {@link #add} the region next. */
    int nextKey() {
        int index;
        if (freedCount > LINE - 1 || lastIndex == MAX_INDEX) {
            index = freed[freedFirst];
            freedFirst = freedFirst + 1 & freed.length - 1;
            freedCount--;
        } else {
            index = ++lastIndex;
            if (index == generations.length) {
                generations = Arrays.copyOf(generations, index * 2);
            }
        }
        return generations[index] << INDEX_BITS | index;
    }

    void add(Region region) {
        region.serial(++entered);
        int index = region.localKey() & MAX_INDEX;
        @Nullable Region[] array = slots;
        if (index >= array.length) {
            array = Arrays.copyOf(array, Math.max(array.length * 2, Integer.highestOneBit(index) * 2));
        }
        SLOT.setRelease(array, index, region);
        slots = array;
        size++;
    }

    void remove(Region region) {
        int index = region.localKey() & MAX_INDEX;
        SLOT.setRelease(slots, index, null);
        generations[index]++;
        if (freedCount == freed.length) {
            growLine();
        }
        freed[freedFirst + freedCount++ & freed.length - 1] = index;
        size--;
    }

    int size() {
        return size;
    }

    /** Indexes that were ever used: 1 to this. */
    int lastIndex() {
        return lastIndex;
    }

    @Nullable
    Region atIndex(int index) {
        return index < slots.length ? slots[index] : null;
    }

    private void growLine() {
        int[] grown = new int[freed.length * 2];
        for (int i = 0; i < freedCount; i++) {
            grown[i] = freed[freedFirst + i & freed.length - 1];
        }
        freed = grown;
        freedFirst = 0;
    }
}
