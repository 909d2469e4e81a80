package io.verbena.rnic;

import io.verbena.verbs.PeerNetwork;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * The requests that wait for the application, by the network of their peer. The networks take turns, and each has its requests in the
 * order of arrival: a network with many requests delays its own ones, and a peer of another network waits for one request of each
 * network before its own.
 */
final class WaitingRequests {

    /** The network whose turn is next comes first. None of the queues is empty. */
    private final SequencedMap<PeerNetwork, ArrayDeque<SoftConnectionRequest>> byNetwork = new LinkedHashMap<>();

    private int size;

    int size() {
        return size;
    }

    void add(SoftConnectionRequest request) {
        byNetwork.computeIfAbsent(request.network(), _ -> new ArrayDeque<>()).addLast(request);
        size++;
    }

    /** Removes the next request. Its network has its next turn after all others. */
    Optional<SoftConnectionRequest> poll() {
        Map.Entry<PeerNetwork, ArrayDeque<SoftConnectionRequest>> next = byNetwork.pollFirstEntry();
        if (next == null) {
            return Optional.empty();
        }
        ArrayDeque<SoftConnectionRequest> requests = next.getValue();
        SoftConnectionRequest request = requests.removeFirst();
        if (!requests.isEmpty()) {
            byNetwork.put(next.getKey(), requests);
        }
        size--;
        return Optional.of(request);
    }

    /** Removes the last request of the network with most requests, if that is at least two more than those of this network. */
    Optional<SoftConnectionRequest> displace(PeerNetwork network) {
        ArrayDeque<SoftConnectionRequest> most = byNetwork.values().stream()
                .max(Comparator.comparingInt(ArrayDeque::size))
                .orElseGet(ArrayDeque::new);
        ArrayDeque<SoftConnectionRequest> own = byNetwork.get(network);
        if (most.size() <= (own == null ? 0 : own.size()) + 1) {
            return Optional.empty();
        }
        size--;
        // More than one request: the queue does not become empty.
        return Optional.of(most.removeLast());
    }

    /** Removes a request that has ended, if it still waits. */
    void remove(SoftConnectionRequest request) {
        ArrayDeque<SoftConnectionRequest> requests = byNetwork.get(request.network());
        if (requests == null || !requests.remove(request)) {
            return;
        }
        size--;
        if (requests.isEmpty()) {
            byNetwork.remove(request.network());
        }
    }

    void clear() {
        byNetwork.clear();
        size = 0;
    }
}
