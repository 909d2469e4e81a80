package io.verbena.tools.files;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The places of a server, shared among the origins of its clients. When all are taken, a newcomer gets the place of the
 * greediest origin's oldest client, provided that this origin keeps more places than the newcomer's has then. One origin
 * alone can take all places, but cannot keep them from others. Within an origin the oldest client goes that has not
 * asked anything yet: that takes two round trips, and those that take longer are in the way of the next.
 *
 * @param <T> who takes a place
 */
final class Places<T> {

    private final int count;

    // Guarded by this. In the order in which they came.
    private final Map<T, Origin> taken = new LinkedHashMap<>();
    private final Map<T, Origin> leaving = new LinkedHashMap<>();

    Places(int count) {
        this.count = count;
    }

    /** Whether there is a free place. */
    synchronized boolean isFree() {
        return taken.size() < count;
    }

    /**
     * Who must leave for a newcomer, and has no place from now on; empty when it must be turned away.
     *
     * @param pending whether a client has not asked anything yet
     */
    synchronized Optional<T> makeRoom(Origin newcomer, Predicate<T> pending) {
        Map<Origin, Integer> shares = new HashMap<>();
        taken.values().forEach(origin -> shares.merge(origin, 1, Integer::sum));
        int greediest = shares.values().stream().mapToInt(share -> share).max().orElse(0);
        // Those that are leaving still have memory and a thread, so there is a bound for them, too.
        if (leaving.size() >= count) {
            return Optional.empty();
        }
        boolean claim = greediest >= shares.getOrDefault(newcomer, 0) + 2;
        Optional<T> oldest = taken.entrySet().stream()
                .filter(entry -> claim
                        ? shares.getOrDefault(entry.getValue(), 0) == greediest
                        : entry.getValue().equals(newcomer) && pending.test(entry.getKey()))
                .map(Map.Entry::getKey)
                .findFirst();
        oldest.ifPresent(gone -> leaving.put(gone, taken.remove(gone)));
        return oldest;
    }

    synchronized void take(T guest, Origin origin) {
        taken.put(guest, origin);
    }

    synchronized void leave(T guest) {
        taken.remove(guest);
        leaving.remove(guest);
    }

    /** Everybody who is here, those that are leaving included. */
    synchronized int size() {
        return taken.size() + leaving.size();
    }
}
