package io.verbena.shm;

import java.util.Arrays;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/** The blocks of a process by address. Looking one up takes no lock and allocates nothing. */
public final class BlockTable {

    /** In the order of their addresses; replaced when it changes. */
    private volatile SharedBlock[] sorted = {};

    private volatile int released;

    /** A table without blocks. */
    public BlockTable() {}

    /** Adds a block. */
    public synchronized void add(SharedBlock block) {
        SharedBlock[] next = Arrays.copyOf(sorted, sorted.length + 1);
        next[next.length - 1] = block;
        Arrays.sort(next, Comparator.comparingLong(SharedBlock::address));
        sorted = next;
    }

    /** The region of a block is being released. No engine uses it any more, but peers may still read it. */
    @SuppressWarnings("ReferenceEquality") // blocks have identity
    public synchronized void release(SharedBlock block) {
        sorted = Arrays.stream(sorted).filter(each -> each != block).toArray(SharedBlock[]::new);
        block.release();
        released++;
    }

    /** Number of blocks. */
    public int size() {
        return sorted.length;
    }

    /** How many blocks were released so far. */
    int released() {
        return released;
    }

    /** The block that contains a range of addresses; null if none does. */
    @Nullable
    SharedBlock at(long address, int count) {
        SharedBlock[] all = sorted;
        int low = 0;
        int high = all.length - 1;
        while (low <= high) {
            int middle = low + high >>> 1;
            SharedBlock block = all[middle];
            if (block.contains(address, count)) {
                return block;
            }
            if (address < block.address()) {
                high = middle - 1;
            } else {
                low = middle + 1;
            }
        }
        return null;
    }
}
