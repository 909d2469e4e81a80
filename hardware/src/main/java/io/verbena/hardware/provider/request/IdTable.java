package io.verbena.hardware.provider.request;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The queue pairs, or the shared receive queues, of an RNIC by small numbers, which work carries. A number is an index and a
 * generation, so that an entry of a closed queue, fetched before it was closed, does not find its successor.
 *
 * @param <T> what the table contains
 */
public final class IdTable<T extends IdTable.Member> {

    /** An object that knows its number. */
    public interface Member {
        int id();
    }

    private static final int INDEX_BITS = 20;
    private static final int INDEX_MASK = (1 << INDEX_BITS) - 1;
    private static final int GENERATIONS = 1 << 31 - INDEX_BITS;

    private final Class<T> type;
    private final List<Integer> free = new ArrayList<>();
    private int generation;
    private volatile @Nullable Member[] byIndex = new Member[0];

    public IdTable(Class<T> type) {
        this.type = type;
    }

    /** Adds an object and returns its number, before it has one. */
    public synchronized int add(T object) {
        int index = free.isEmpty() ? byIndex.length : free.removeLast();
        generation = (generation + 1) % GENERATIONS;
        @Nullable Member[] copy = Arrays.copyOf(byIndex, Math.max(byIndex.length, index + 1));
        copy[index] = object;
        byIndex = copy;
        return generation << INDEX_BITS | index;
    }

    @Nullable
    public T find(int id) {
        @Nullable Member[] currentByIndex = byIndex;
        int index = id & INDEX_MASK;
        Member found = index < currentByIndex.length ? currentByIndex[index] : null;
        return found != null && found.id() == id ? type.cast(found) : null;
    }

    /** Removes the object with this number; returns whether there was one. */
    public synchronized boolean remove(int id) {
        if (find(id) == null) {
            return false;
        }
        @Nullable Member[] copy = byIndex.clone();
        copy[id & INDEX_MASK] = null;
        byIndex = copy;
        free.add(id & INDEX_MASK);
        return true;
    }

    public List<T> all() {
        return Stream.of(byIndex).filter(type::isInstance).map(type::cast).toList();
    }
}
