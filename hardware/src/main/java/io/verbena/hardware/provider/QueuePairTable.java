package io.verbena.hardware.provider;

import io.verbena.hardware.provider.request.IdTable;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The queue pairs of an RNIC: by the number that work carries, and by the number that the adapter has given them, because an entry of
 * a shared receive queue names the queue pair by that one.
 */
final class QueuePairTable {

    /** The queue pairs in the order of their numbers. */
    private record ByNumber(int[] numbers, List<PostedWork> queuePairs) {}

    private final IdTable<PostedWork> byId = new IdTable<>(PostedWork.class);
    private volatile ByNumber byNumber = new ByNumber(new int[0], List.of());

    /** Adds a queue pair and returns its number for work, before it has one. */
    synchronized int add(PostedWork queuePair) {
        int id = byId.add(queuePair);
        sort();
        return id;
    }

    /** The adapter has given a queue pair another number. */
    synchronized void renumbered() {
        sort();
    }

    private void sort() {
        List<PostedWork> sorted = byId.all().stream()
                .sorted(Comparator.comparingInt(PostedWork::number))
                .toList();
        byNumber = new ByNumber(sorted.stream().mapToInt(PostedWork::number).toArray(), sorted);
    }

    @Nullable
    PostedWork find(int id) {
        return byId.find(id);
    }

    /** The open queue pair to which the adapter has given this number; null if there is none. */
    @Nullable
    PostedWork withNumber(int number) {
        ByNumber currentByNumber = byNumber;
        int at = Arrays.binarySearch(currentByNumber.numbers(), number);
        return at < 0 ? null : currentByNumber.queuePairs().get(at);
    }

    synchronized void remove(int id) {
        if (byId.remove(id)) {
            sort();
        }
    }

    List<PostedWork> all() {
        return byId.all();
    }

    /** The queue pair whose ibv_qp this is; null if there is none. */
    @Nullable
    PostedWork withNative(long qp) {
        for (PostedWork each : byId.all()) {
            if (each.qp() == qp) {
                return each;
            }
        }
        return null;
    }
}
