package io.verbena.tools.demo;

import io.verbena.tools.base.Failure;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.WrFlags;
import java.util.List;

/**
 * Compare-and-swap: each operation tries to make the newest value it knows of one larger. Those that found what they
 * expected have swapped, and the word's last value must be their number.
 */
final class CompareSwapStage extends AtomicStage {

    private final long[] expected;
    private long newest;
    private long swapped;

    CompareSwapStage(DemoLink link, RemoteRegion word, List<QueuePair> queuePairs) {
        super(link, "Compare-and-swap", "compareAndSwap", word, queuePairs, 1);
        expected = new long[queuePairs.size()];
    }

    @Override
    boolean post(QueuePair queuePair, long id, MemoryRegion result, long offset, RemoteRegion target) {
        expected[(int) id] = newest;
        return queuePair.postCompareAndSwap(
                id, result, offset, target.address(), target.rkey(), newest, newest + 1, WrFlags.SIGNALLED);
    }

    @Override
    void onFound(int slot, long value) throws Failure {
        if (value < 0 || value > swapped + expected.length) {
            throw new Failure("A compare-and-swap returned " + value + " after " + swapped + " swaps");
        }
        if (value == expected[slot]) {
            swapped++;
            newest = Math.max(newest, value + 1);
        } else {
            newest = Math.max(newest, value);
        }
    }

    @Override
    boolean enough() {
        return false;
    }

    @Override
    void check(long value) throws Failure {
        if (value != swapped) {
            throw new Failure("The word is " + value + " after " + swapped + " swaps");
        }
    }
}
