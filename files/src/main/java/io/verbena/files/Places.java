package io.verbena.files;

import io.verbena.verbs.PeerNetwork;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The places of a server, shared among the origins of its clients. A client has a place when its connection is established; until then it
 * is in set-up, and its address may be forged. Set-ups displace each other only: the oldest one of the origin with the most. A client
 * whose connection is established waits in a line for a place that becomes free, before any other client has to leave for it.
 *
 * <p>When all places are taken, a client whose connection has been established gets the place of the oldest client of the origin with the
 * most places, provided that this origin then still has at least as many places as the newcomer's. One origin alone can take all places,
 * but cannot keep them from others. Within an origin the oldest client without a request makes room: a request takes two round trips, and
 * a client that takes longer would block the next one.
 *
 * @param <T> the client that takes a place
 */
final class Places<T> {

    /** Clients in set-up, in the line, with a place, and leaving. */
    private static final int MOST_PER_PLACE = 3;

    private final int count;

    // Guarded by this. In the order of arrival.
    private final Map<T, PeerNetwork> inSetUp = new LinkedHashMap<>();
    private final Map<T, PeerNetwork> waiting = new LinkedHashMap<>();
    private final Map<T, PeerNetwork> taken = new LinkedHashMap<>();
    private final Map<T, PeerNetwork> leaving = new LinkedHashMap<>();

    Places(int count) {
        this.count = count;
    }

    /** Whether a client that arrives now is admitted to the set-up, and the set-up that ends for it. */
    record Arrival<T>(boolean admitted, Optional<T> displaced) {}

    /**
     * A client arrives; if it is admitted, {@link #enter} follows.
     *
     * @param pending whether a client with a place has not sent a request yet
     */
    synchronized Arrival<T> arrive(PeerNetwork newcomer, Predicate<T> pending) {
        Map<PeerNetwork, Integer> setUps = shares(inSetUp);
        int own = setUps.getOrDefault(newcomer, 0);
        boolean full = taken.size() + own >= count;
        if (size() > MOST_PER_PLACE * count) {
            // This includes a client that would displace another one, which still has to leave.
            return new Arrival<>(false, Optional.empty());
        }
        if (full && own > 0) {
            return displacing(newcomer);
        }
        // Clients that are leaving still hold memory and a thread, so their number is bounded too.
        if (size() >= MOST_PER_PLACE * count
                || full && victim(newcomer, pending).isEmpty()) {
            return new Arrival<>(false, Optional.empty());
        }
        return inSetUp.size() < count ? new Arrival<>(true, Optional.empty()) : displacing(greediest(setUps));
    }

    /** The oldest set-up of an origin ends. */
    private Arrival<T> displacing(PeerNetwork origin) {
        Optional<T> oldest = leaves(inSetUp, oldest(inSetUp, origin, each -> true));
        return new Arrival<>(oldest.isPresent(), oldest);
    }

    private static PeerNetwork greediest(Map<PeerNetwork, Integer> shares) {
        return shares.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .map(Map.Entry::getKey)
                .orElseThrow();
    }

    private Map<PeerNetwork, Integer> shares(Map<T, PeerNetwork> clients) {
        Map<PeerNetwork, Integer> shares = new LinkedHashMap<>();
        clients.values().forEach(origin -> shares.merge(origin, 1, Integer::sum));
        return shares;
    }

    private Optional<T> oldest(Map<T, PeerNetwork> clients, PeerNetwork origin, Predicate<T> which) {
        return clients.entrySet().stream()
                .filter(entry -> entry.getValue().equals(origin) && which.test(entry.getKey()))
                .map(Map.Entry::getKey)
                .findFirst();
    }

    /** The client that leaves for one of this origin when all places are taken. */
    private Optional<T> victim(PeerNetwork newcomer, Predicate<T> pending) {
        Map<PeerNetwork, Integer> shares = shares(taken);
        int most = shares.values().stream().mapToInt(share -> share).max().orElse(0);
        if (most < shares.getOrDefault(newcomer, 0) + 2) {
            return oldest(taken, newcomer, pending);
        }
        return taken.entrySet().stream()
                .filter(entry -> shares.getOrDefault(entry.getValue(), 0) == most)
                .map(Map.Entry::getKey)
                .findFirst();
    }

    /** Removes a client, unless too many are leaving. */
    private Optional<T> leaves(Map<T, PeerNetwork> from, Optional<T> client) {
        Optional<T> gone = leaving.size() < count ? client : Optional.empty();
        gone.ifPresent(each -> leaving.put(each, from.remove(each)));
        return gone;
    }

    /** A client is in set-up from now on. */
    synchronized void enter(T guest, PeerNetwork origin) {
        inSetUp.put(guest, origin);
    }

    /**
     * The connection of a client is established: it gets a free place when it is the first one in the line. Returns whether it has one;
     * {@link #establish} ends the wait.
     */
    synchronized boolean takeFree(T guest) {
        PeerNetwork fresh = inSetUp.remove(guest);
        if (fresh != null) {
            waiting.put(guest, fresh);
        }
        boolean first = !waiting.isEmpty() && waiting.keySet().iterator().next() == guest;
        if (first && taken.size() < count) {
            taken.put(guest, waiting.remove(guest));
        }
        return taken.containsKey(guest);
    }

    /**
     * The connection of a client is established, and it does not wait any longer: it gets a place. Returns the client that must leave for it; that is the client itself if
     * there is no place for it.
     */
    synchronized Optional<T> establish(T guest, Predicate<T> pending) {
        PeerNetwork origin = waiting.containsKey(guest) ? waiting.remove(guest) : inSetUp.remove(guest);
        if (origin == null) {
            return Optional.of(guest); // it was displaced at this moment
        }
        Optional<T> gone = Optional.empty();
        if (taken.size() >= count) {
            gone = leaves(taken, victim(origin, pending));
            if (gone.isEmpty()) {
                leaving.put(guest, origin);
                return Optional.of(guest);
            }
        }
        taken.put(guest, origin);
        return gone;
    }

    synchronized void leave(T guest) {
        inSetUp.remove(guest);
        waiting.remove(guest);
        taken.remove(guest);
        leaving.remove(guest);
    }

    /** Number of clients, including those in set-up, those in the line, and those that are leaving. */
    synchronized int size() {
        return inSetUp.size() + waiting.size() + taken.size() + leaving.size();
    }
}
