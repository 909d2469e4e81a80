package io.verbena.memory;

import io.verbena.base.SharedGrants;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The regions whose grants were revoked while a peer accessed them without an engine of this process. A revocation waits
 * for those that are inside when it begins, as it waits for engines; {@link SharedGrants} bounds the wait. Any thread.
 */
final class PeersInside {

    private final List<SharedGrants> waiting = new ArrayList<>();
    private volatile boolean any;

    private static final String HANGS = "a peer hangs in a direct access to it, and may write to it at any time";

    /** The own key of a region is valid from now on. If a peer hangs inside, the region is lost, so that it is not used again. */
    void open(Optional<SharedGrants> region, int key, Consumer<String> lost) {
        region.ifPresent(grants -> grants.open(key, () -> lost.accept(HANGS)));
    }

    /** The own key of a region is not valid any more. */
    void revoke(Optional<SharedGrants> region) {
        region.ifPresent(grants -> {
            grants.revoke();
            synchronized (waiting) {
                waiting.add(grants);
                any = true;
            }
        });
    }

    /** A wait for the peers that are inside now; later revocations do not prolong it. */
    PeersLeaving leaving() {
        if (!any) {
            return PeersLeaving.NONE;
        }
        synchronized (waiting) {
            waiting.removeIf(SharedGrants::settled);
            any = !waiting.isEmpty();
            return any
                    ? new PeersLeaving(
                            waiting.stream().map(SharedGrants::leaving).toList())
                    : PeersLeaving.NONE;
        }
    }
}
