package io.verbena.iwarp.early;

import io.verbena.base.Digest;
import io.verbena.base.Slab;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Bytes of FPDUs that arrived after a hole and only in part, because a TCP segment ended within the FPDU. They wait here for the
 * rest of the FPDU, or for the hole to close.
 *
 * <pre>
 *      segment                     segment
 *   ...|== FPDU ==|== FPDU ====|         |==|== FPDU ==|...
 *                 |&lt;- scrap -&gt;|         |&lt;&gt;| scrap of another one
 * </pre>
 *
 * The bytes of all scraps are in one slab in the order of the stream. Scraps that touch each other therefore become one scrap
 * without a copy. Only in the middle of the slab does a new scrap move the bytes after it.
 */
public final class Scraps {

    static final int MAX_BYTES = 64 * 1024;
    private static final int FIRST_BYTES = 4 * 1024;
    private static final int MAX_SCRAPS = 128;

    private long[] from = {};
    private int[] at = {};
    private int[] length = {};

    /** Whether an FPDU starts at the first byte. */
    private boolean[] begins = {};

    private Slab slab = Slab.NONE;
    private int count;
    private int used;

    boolean isEmpty() {
        return count == 0;
    }

    int count() {
        return count;
    }

    public int usedBytes() {
        return used;
    }

    int capacity() {
        return slab.capacity();
    }

    /** Capacity after {@link #grow}. */
    int nextCapacity() {
        return Math.min(MAX_BYTES, Math.max(FIRST_BYTES, 2 * capacity()));
    }

    void grow() {
        Slab larger = new Slab(nextCapacity());
        MemorySegment.copy(slab.segment(), 0, larger.segment(), 0, used);
        slab = larger;
        if (from.length == 0) {
            from = new long[MAX_SCRAPS];
            at = new int[MAX_SCRAPS];
            length = new int[MAX_SCRAPS];
            begins = new boolean[MAX_SCRAPS];
        }
    }

    /** Whether another scrap can be stored, if there is room for its bytes. */
    boolean hasFree() {
        return count < MAX_SCRAPS;
    }

    public Slab slab() {
        return slab;
    }

    long from(int index) {
        return from[index];
    }

    long to(int index) {
        return from[index] + length[index];
    }

    public int length(int index) {
        return length[index];
    }

    /** Offset of the first byte in the slab. */
    public int at(int index) {
        return at[index];
    }

    boolean begins(int index) {
        return begins[index];
    }

    /** Index of the scrap that ends at {@code offset}; -1 if there is none. */
    int endingAt(long offset) {
        int i = firstFrom(offset) - 1;
        return i >= 0 && to(i) == offset ? i : -1;
    }

    /** Whether the first scrap begins at {@code offset}. */
    public boolean startAt(long offset) {
        return count > 0 && from[0] == offset;
    }

    private int firstFrom(long offset) {
        int i = 0;
        while (i < count && from[i] < offset) {
            i++;
        }
        return i;
    }

    /**
     * Stores bytes that no scrap contains, and joins them with the scraps that they touch. There is room for them. Returns the
     * index of the scrap that contains them.
     */
    int add(long offset, MemorySegment source, int sourceAt, int bytes, boolean fpduStart) {
        int i = firstFrom(offset);
        int place = i < count ? at[i] : used;
        MemorySegment target = slab.segment();
        MemorySegment.copy(target, place, target, place + bytes, used - place);
        MemorySegment.copy(source, sourceAt, target, place, bytes);
        used += bytes;
        for (int k = count; k > i; k--) {
            move(k - 1, k);
            at[k] += bytes;
        }
        count++;
        from[i] = offset;
        at[i] = place;
        length[i] = bytes;
        begins[i] = fpduStart;
        if (i + 1 < count && to(i) == from[i + 1]) {
            join(i);
        }
        if (i > 0 && to(i - 1) == offset) {
            join(i - 1);
            i--;
        }
        return i;
    }

    private void join(int index) {
        length[index] += length[index + 1];
        count--;
        for (int k = index + 1; k < count; k++) {
            move(k + 1, k);
        }
    }

    private void move(int source, int target) {
        from[target] = from[source];
        at[target] = at[source];
        length[target] = length[source];
        begins[target] = begins[source];
    }

    /** Removes bytes from the front of a scrap; what remains of it begins with an FPDU if {@code fpduStart}. */
    public void removeFront(int index, int bytes, boolean fpduStart) {
        MemorySegment all = slab.segment();
        int behind = at[index] + bytes;
        MemorySegment.copy(all, behind, all, at[index], used - behind);
        used -= bytes;
        from[index] += bytes;
        length[index] -= bytes;
        begins[index] = fpduStart;
        for (int k = index + 1; k < count; k++) {
            at[k] -= bytes;
        }
        if (length[index] == 0) {
            count--;
            for (int k = index; k < count; k++) {
                move(k + 1, k);
            }
        }
    }

    long stateDigest(long digest) {
        long d = digest;
        for (int i = 0; i < count; i++) {
            d = Digest.mix(d, from[i]);
        }
        for (int i = 0; i < used; i++) {
            d = Digest.mix(d, slab.segment().get(ValueLayout.JAVA_BYTE, i));
        }
        return d;
    }
}
