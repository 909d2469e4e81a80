package io.verbena.rnic.iwarp;

import io.verbena.rnic.PeerNetwork;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The peers that a listener holds in set-up, and who makes place when there are too many: one of the network that
 * holds most places, the oldest that was turned away, or else has sent no request, or else any. So a network that floods a listener displaces its own
 * peers, and another network's peer has the time that it needs. Used by the listener's engine.
 */
final class HalfOpenPlaces {

    private final int most;
    private final Map<PeerNetwork, Set<HalfOpen>> places = new LinkedHashMap<>();
    private int size;

    HalfOpenPlaces(int most) {
        this.most = most;
    }

    int size() {
        return size;
    }

    /** Places of one network. */
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

    /** Who has to go before another one can be added; empty while there is a place. */
    Optional<HalfOpen> displaced() {
        if (size < most) {
            return Optional.empty();
        }
        Iterator<Set<HalfOpen>> all = places.values().iterator();
        Set<HalfOpen> greediest = all.next();
        while (all.hasNext()) {
            Set<HalfOpen> next = all.next();
            if (next.size() > greediest.size()) {
                greediest = next;
            }
        }
        HalfOpen least = greediest.iterator().next();
        for (HalfOpen each : greediest) {
            if (each.worth() < least.worth()) {
                least = each;
            }
            if (least.worth() == 0) {
                break;
            }
        }
        return Optional.of(least);
    }

    /** All, in no order. */
    List<HalfOpen> all() {
        List<HalfOpen> all = new ArrayList<>(size);
        places.values().forEach(all::addAll);
        return all;
    }
}
