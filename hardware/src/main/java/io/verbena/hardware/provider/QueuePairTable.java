package io.verbena.hardware.provider;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The queue pairs of an RNIC by small numbers, which work carries. A number is an index and a generation, so that an entry of a
 * closed queue pair, fetched before it was closed, does not find its successor.
 */
final class QueuePairTable {

    private static final int INDEX_BITS = 20;
    private static final int INDEX_MASK = (1 << INDEX_BITS) - 1;
    private static final int GENERATIONS = 1 << 31 - INDEX_BITS;

    private final List<Integer> free = new ArrayList<>();
    private int generation;
    private volatile @Nullable HardwareQueuePair[] byIndex = new HardwareQueuePair[0];

    /** Adds a queue pair and returns its number, before it has one. */
    synchronized int add(HardwareQueuePair queuePair) {
        int index = free.isEmpty() ? byIndex.length : free.removeLast();
        generation = (generation + 1) % GENERATIONS;
        @Nullable HardwareQueuePair[] copy = Arrays.copyOf(byIndex, Math.max(byIndex.length, index + 1));
        copy[index] = queuePair;
        byIndex = copy;
        return generation << INDEX_BITS | index;
    }

    @Nullable
    HardwareQueuePair find(int id) {
        @Nullable HardwareQueuePair[] now = byIndex;
        int index = id & INDEX_MASK;
        HardwareQueuePair found = index < now.length ? now[index] : null;
        return found != null && found.id() == id ? found : null;
    }

    synchronized void remove(int id) {
        if (find(id) != null) {
            @Nullable HardwareQueuePair[] copy = byIndex.clone();
            copy[id & INDEX_MASK] = null;
            byIndex = copy;
            free.add(id & INDEX_MASK);
        }
    }

    List<HardwareQueuePair> all() {
        return Stream.of(byIndex)
                .filter(Objects::nonNull)
                .map(Objects::requireNonNull)
                .toList();
    }

    /** The queue pair whose ibv_qp this is; null if there is none. */
    @Nullable
    HardwareQueuePair withNative(long qp) {
        for (HardwareQueuePair each : byIndex) {
            if (each != null && each.qp() == qp) {
                return each;
            }
        }
        return null;
    }
}
