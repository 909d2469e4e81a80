package io.verbena.hardware.provider.request;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.CompletionOpcode;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SlotTableTest {

    /** A full queue contains a request that the adapter signals; without one, its slots never become free. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 7, 16})
    void requestsRefusedAndDone_atRandom_fullQueueHoldsSignal(int depth) {
        for (long seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            SlotTable table = new SlotTable(depth);
            List<Boolean> signals = new ArrayList<>(); // of the requests in the queue
            int first = 0; // slot of the oldest
            for (int step = 0; step < 100; step++) {
                if (!table.full() && random.nextInt(4) > 0) {
                    signals.add(table.add(step, CompletionOpcode.SEND, 0, random.nextInt(20) == 0));
                    if (random.nextInt(3) == 0) {
                        table.takeBack();
                        signals.removeLast();
                    }
                } else if (signals.contains(true) && random.nextBoolean()) {
                    int done = signals.indexOf(true) + 1;
                    first = (first + done) % depth;
                    table.completeThrough(Math.floorMod(first - 1, depth));
                    signals.subList(0, done).clear();
                }
                assertTrue(!table.full() || signals.contains(true), "seed " + seed + ", step " + step);
                assertFalse(table.outstanding() != signals.size(), "seed " + seed + ", step " + step);
            }
        }
    }
}
