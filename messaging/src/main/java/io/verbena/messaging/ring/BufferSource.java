package io.verbena.messaging.ring;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.VerbsException;
import java.util.Optional;

/** Source of registered buffers: the verbs, or in tests a system without free memory. */
@FunctionalInterface
public interface BufferSource {

    /** Allocates and registers a region; empty if there is no memory for it. */
    Optional<MemoryRegion> allocate(ProtectionDomain domain, long bytes, AccessRight... rights);

    /** Allocates from the protection domain itself. */
    static BufferSource verbs() {
        return (domain, bytes, rights) -> {
            try {
                return Optional.of(domain.allocate(bytes, rights));
            } catch (OutOfMemoryError | IllegalStateException | VerbsException e) {
                return Optional.empty();
            }
        };
    }
}
