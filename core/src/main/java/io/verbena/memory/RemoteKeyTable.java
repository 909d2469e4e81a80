package io.verbena.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Maps the value of a remote key to the key: the low bits are the slot, and no search is needed. This works because the
 * RNIC chooses the values: a random value is used only if its slot is free ({@link #fits}), among at least twice as
 * many slots as keys. All 32 bits remain random among the values that fit. Larger tables use more bits, so keys never
 * collide when the table grows.
 *
 * <p>Checks read the {@link KeyLines} and take no lock. A slot may contain a key that has another value now, or no key.
 * Writers hold the lock of {@link RegionTable}.
 */
final class RemoteKeyTable {

    /** Most values in use. */
    static final int MOST = 1 << 22;

    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(RemoteKey[].class);
    private static final int MIN_SLOTS = 64;
    private static final int GROWTH = 2;

    private volatile @Nullable RemoteKey[] slots = new RemoteKey[MIN_SLOTS];

    private volatile KeyLines lines = new KeyLines(MIN_SLOTS);

    /** The value that each slot is reserved for; for writers. */
    private int[] values = new int[MIN_SLOTS];

    private int size;

    /** The lines that checks read; loaded again for every check. */
    KeyLines lines() {
        return lines;
    }

    /** The key in the slot of a value, whatever it matches now, or null. */
    @Nullable
    RemoteKey find(int value) {
        @Nullable RemoteKey[] array = slots;
        return (RemoteKey) SLOT.getAcquire(array, value & array.length - 1);
    }

    /** The key whose slot is reserved for exactly this value, or null. The caller holds the lock. */
    @Nullable
    RemoteKey exact(int value) {
        int at = value & slots.length - 1;
        return values[at] == value ? slots[at] : null;
    }

    /** Whether the slot of a value is free. The caller holds the lock and has called {@link #makeRoom}. */
    boolean fits(int value) {
        return slots[value & slots.length - 1] == null;
    }

    /** Grows the table so that a fitting value is found quickly. The caller holds the lock. */
    void makeRoom() {
        if (size == MOST) {
            throw new IllegalStateException(
                    "all " + MOST + " remote keys of this RNIC are in use; deallocate some first");
        }
        if ((size + 1) * 2 > slots.length) {
            grow();
        }
    }

    /** Reserves the slot of a value, which must fit. The caller holds the lock. */
    void add(int value, RemoteKey key) {
        int at = value & slots.length - 1;
        assert slots[at] == null && value != 0;
        values[at] = value;
        SLOT.setRelease(slots, at, key);
        size++;
    }

    /** Frees the slot of a value. The caller holds the lock. */
    void remove(int value) {
        int at = value & slots.length - 1;
        assert values[at] == value : "the slot belongs to another value";
        SLOT.setRelease(slots, at, null);
        values[at] = 0;
        size--;
    }

    /** Values in use. */
    int size() {
        return size;
    }

    private void grow() {
        int length = slots.length * GROWTH;
        @Nullable RemoteKey[] next = new RemoteKey[length];
        int[] nextValues = new int[length];
        KeyLines nextLines = new KeyLines(length);
        for (int i = 0; i < values.length; i++) {
            RemoteKey key = slots[i];
            if (key != null) {
                int at = values[i] & length - 1;
                next[at] = key;
                nextValues[at] = values[i];
                nextLines.take(values[i], lines);
            }
        }
        values = nextValues;
        slots = next;
        lines = nextLines;
    }
}
