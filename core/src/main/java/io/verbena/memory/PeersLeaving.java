package io.verbena.memory;

import io.verbena.base.SharedGrants;
import java.util.List;

/**
 * The wait of one revocation for peers that access memory without an engine of this process: those that were inside when it began.
 * {@link Revocation} is the same for engines. It does not block. Peers that enter afterwards, by another key or to another region,
 * are not waited for, so that the wait takes at most {@link SharedGrants#BOUND_NS}. One thread uses an object of this class.
 */
public final class PeersLeaving {

    /** No peer is inside. */
    public static final PeersLeaving NONE = new PeersLeaving(List.of());

    private final List<SharedGrants.Leaving> regions;

    PeersLeaving(List<SharedGrants.Leaving> regions) {
        this.regions = regions;
    }

    /** Whether all peers that were inside have left or were given up. Once true, the result remains true. */
    public boolean settled() {
        boolean all = true;
        for (SharedGrants.Leaving region : regions) {
            all &= region.settled();
        }
        return all;
    }
}
