package io.verbena.tools.demo;

import io.verbena.tools.base.Failure;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.WrFlags;
import java.util.BitSet;
import java.util.List;

/** Fetch-and-add: no two operations may find the same number, and none may be left out. */
final class FetchAddStage extends AtomicStage {

    static final int DEPTH = 8;
    private static final int MOST = 50_000_000;

    private final BitSet seen = new BitSet();
    private int operations;

    FetchAddStage(DemoLink link, RemoteRegion word, List<QueuePair> queuePairs) {
        super(link, "Fetch-and-add", "fetchAndAdd", word, queuePairs, DEPTH);
    }

    @Override
    boolean post(QueuePair queuePair, long id, MemoryRegion result, long offset, RemoteRegion target) {
        return queuePair.postFetchAndAdd(id, result, offset, target.address(), target.rkey(), 1, WrFlags.SIGNALLED);
    }

    @Override
    void onFound(int slot, long value) throws Failure {
        if (value < 0 || value > MOST * 2L || seen.get((int) value)) {
            throw new Failure(
                    "A fetch-and-add returned " + value + ", which is out of range: the additions are not atomic");
        }
        seen.set((int) value);
        operations++;
    }

    @Override
    boolean enough() {
        return operations >= MOST;
    }

    @Override
    void check(long value) throws Failure {
        if (value != operations || seen.nextClearBit(0) != operations) {
            throw new Failure("The counter is " + value + " after " + operations + " additions of 1");
        }
    }
}
