package io.verbena.tools.files;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The places of a server, shared among the origins of its clients. When all are taken, a newcomer gets the place of the
 * greediest origin's oldest client, provided that this origin keeps more places than the newcomer's has then. One origin
 * alone can take all places, but cannot keep them from others.
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

    /** Who must leave for a newcomer, and has no place from now on; empty when it must be turned away. */
    synchronized Optional<T> makeRoom(Origin newcomer) {
        Map<Origin, Integer> shares = new HashMap<>();
        taken.values().forEach(origin -> shares.merge(origin, 1, Integer::sum));
        int greediest = shares.values().stream().mapToInt(share -> share).max().orElse(0);
        // Those that are leaving still have memory and a thread, so there is a bound for them, too.
        if (greediest < shares.getOrDefault(newcomer, 0) + 2 || leaving.size() >= count) {
            return Optional.empty();
        }
        Optional<T> oldest = taken.entrySet().stream()
                .filter(entry -> shares.get(entry.getValue()) == greediest)
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
