package io.verbena.messaging.ring;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.MemoryRegion;
import java.util.Optional;

/**
 * Surroundings of the two directions of a virtual channel.
 *
 * @param virtualChannel number of the virtual channel
 * @param environment of the endpoint
 * @param owner the channel
 * @param poster of the channel
 */
record RingEdge(int virtualChannel, RingEnvironment environment, RingOwner owner, RingPoster poster) {

    MemoryBudget budget() {
        return environment.budget();
    }

    Counters counters() {
        return poster.counters();
    }

    Optional<MemoryRegion> allocate(long bytes, AccessRight... rights) {
        return environment.allocate(poster.domain(), bytes, rights);
    }
}
