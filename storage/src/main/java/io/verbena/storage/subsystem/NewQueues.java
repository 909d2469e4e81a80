package io.verbena.storage.subsystem;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The queues whose Connect has not been accepted, oldest first. Their places are limited. When all are taken, a new queue gets the place of
 * the oldest queue of the network that has most, which is its own network if no other has more. One network can take all places, and
 * cannot keep them from others; connections that send nothing cannot keep them from hosts of their own network either, because a host
 * sends its Connect at once. A queue whose Connect waits for the end of older work keeps its place.
 */
final class NewQueues {
    private record NewQueue(TargetQueue queue, String network, long sinceNs) {}

    private final int places;
    private final Predicate<TargetQueue> waits;
    private final List<NewQueue> queues = new ArrayList<>();

    /** @param waits whether the Connect of a queue has arrived and waits for the target */
    NewQueues(int places, Predicate<TargetQueue> waits) {
        this.places = places;
        this.waits = waits;
    }

    boolean hasPlaceFor(String network) {
        return queues.size() < places || displacedBy(network).isPresent();
    }

    /** Adds a queue for which there is a place. Another queue may have to be closed for it. */
    void add(TargetQueue queue, String network, long nowNs) {
        Optional<NewQueue> displaced = queues.size() < places ? Optional.empty() : displacedBy(network);
        queues.add(new NewQueue(queue, network, nowNs));
        displaced.ifPresent(each -> {
            queues.remove(each);
            each.queue().close();
        });
    }

    private Optional<NewQueue> displacedBy(String network) {
        Map<String, Integer> shares = new HashMap<>();
        queues.forEach(each -> shares.merge(each.network(), 1, Integer::sum));
        int own = shares.getOrDefault(network, 0);
        int most = shares.values().stream().mapToInt(share -> share).max().orElse(0);
        return queues.stream()
                .filter(each ->
                        own == most ? each.network().equals(network) : shares.getOrDefault(each.network(), 0) == most)
                .filter(each -> !waits.test(each.queue()))
                .findFirst();
    }

    /** The queue is new no more: it joined a controller, or is lost. */
    void remove(TargetQueue queue) {
        queues.removeIf(each -> each.queue() == queue);
    }

    boolean isEmpty() {
        return queues.isEmpty();
    }

    /** Time until the first queue is late; {@link Long#MAX_VALUE} if there is none. */
    long remainingNs(long limitNs, long nowNs) {
        long remainingNs = Long.MAX_VALUE;
        for (NewQueue each : queues) {
            remainingNs = Math.min(remainingNs, each.sinceNs() + limitNs - nowNs);
        }
        return remainingNs;
    }

    /** Closes the queues that are late, except those whose Connect waits for the target. */
    void expire(long limitNs, long nowNs) {
        for (NewQueue each : List.copyOf(queues)) {
            if (nowNs - each.sinceNs() - limitNs >= 0 && !waits.test(each.queue())) {
                each.queue().close();
            }
        }
        queues.removeIf(each -> each.queue().closing());
    }
}
