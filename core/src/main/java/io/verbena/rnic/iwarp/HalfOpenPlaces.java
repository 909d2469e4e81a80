package io.verbena.rnic.iwarp;

import io.verbena.verbs.PeerNetwork;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The peers that a listener holds in set-up, and the choice of the peer to drop when there are too many. The peer is
 * chosen from the networks that hold most places: the oldest one that was rejected, or else that has sent no request,
 * or else the oldest. A network that floods a listener therefore displaces its own peers, and peers of other networks
 * are not affected; and silent peers of many networks displace each other before any that has sent its request. Used
 * by the listener's engine.
 */
final class HalfOpenPlaces {

    private final int max;
    private final Map<PeerNetwork, Set<HalfOpen>> places = new LinkedHashMap<>();
    private int size;

    HalfOpenPlaces(int max) {
        this.max = max;
    }

    int size() {
        return size;
    }

    /** Number of places held by one network. */
    int of(PeerNetwork network) {
        return places.getOrDefault(network, Set.of()).size();
    }

    void add(HalfOpen peer) {
        if (places.computeIfAbsent(peer.network(), network -> new LinkedHashSet<>())
                .add(peer)) {
            size++;
        }
    }

    void remove(HalfOpen peer) {
        Set<HalfOpen> same = places.get(peer.network());
        if (same != null && same.remove(peer)) {
            size--;
            if (same.isEmpty()) {
                places.remove(peer.network());
            }
        }
    }

    /** The peer to drop before another one can be added; empty if a place is free. */
    Optional<HalfOpen> displaced() {
        if (size < max) {
            return Optional.empty();
        }
        int most = places.values().stream().mapToInt(Set::size).max().orElseThrow();
        HalfOpen lowest = null;
        for (Set<HalfOpen> network : places.values()) {
            if (network.size() < most) {
                continue;
            }
            for (HalfOpen each : network) {
                if (lowest == null || each.worth() < lowest.worth()) {
                    lowest = each;
                }
                if (lowest.worth() == 0) {
                    return Optional.of(lowest);
                }
            }
        }
        return Optional.ofNullable(lowest);
    }

    /** All peers, in no particular order. */
    List<HalfOpen> all() {
        List<HalfOpen> all = new ArrayList<>(size);
        places.values().forEach(all::addAll);
        return all;
    }
}
