package io.verbena.storage.target;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The queues whose Connect has not been accepted, oldest first. Their places are limited. When all are taken, a queue of a network gets the
 * place of the oldest queue of the network that has most, if that has more than its own. One network can take all places, and cannot keep
 * them from others.
 */
final class NewQueues {
    private record NewQueue(TargetQueue queue, String network, long sinceNs) {}

    private final int places;
    private final List<NewQueue> queues = new ArrayList<>();

    NewQueues(int places) {
        this.places = places;
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
        int most = shares.values().stream().mapToInt(share -> share).max().orElse(0);
        if (most <= shares.getOrDefault(network, 0)) {
            return Optional.empty();
        }
        return queues.stream()
                .filter(each -> shares.getOrDefault(each.network(), 0) == most)
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
    void expire(long limitNs, long nowNs, Predicate<TargetQueue> waits) {
        for (NewQueue each : List.copyOf(queues)) {
            if (nowNs - each.sinceNs() - limitNs >= 0 && !waits.test(each.queue())) {
                each.queue().close();
            }
        }
        queues.removeIf(each -> each.queue().closing());
    }
}
