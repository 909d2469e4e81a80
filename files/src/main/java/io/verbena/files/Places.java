package io.verbena.files;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The places of a server, shared among the origins of its clients. When all places are taken, a newcomer gets the place of the
 * oldest client of the origin with the most places, provided that this origin then still has at least as many places as
 * the newcomer's. One origin alone can take all places, but cannot keep them from others. Within an origin the oldest client
 * without a request makes room: a request takes two round trips, and a client that takes longer would block the next one.
 *
 * @param <T> the client that takes a place
 */
final class Places<T> {

    private final int count;

    // Guarded by this. In the order of arrival.
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
     * Removes the client that must leave for a newcomer and returns it; empty if the newcomer must be rejected.
     *
     * @param pending whether a client has not sent a request yet
     */
    synchronized Optional<T> makeRoom(Origin newcomer, Predicate<T> pending) {
        Map<Origin, Integer> shares = new HashMap<>();
        taken.values().forEach(origin -> shares.merge(origin, 1, Integer::sum));
        int greediest = shares.values().stream().mapToInt(share -> share).max().orElse(0);
        // Clients that are leaving still hold memory and a thread, so their number is bounded too.
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

    /** Number of clients, including those that are leaving. */
    synchronized int size() {
        return taken.size() + leaving.size();
    }
}
