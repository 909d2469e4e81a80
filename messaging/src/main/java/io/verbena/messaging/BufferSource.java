package io.verbena.messaging;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.VerbsException;
import java.util.Optional;

/** Where registered buffers come from: the verbs, or in tests a system that has no memory left. */
interface BufferSource {

    /** A region, or empty when there is no memory for it. */
    Optional<MemoryRegion> allocate(ProtectionDomain domain, long bytes, AccessRight... rights);

    /** From the domain itself. */
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
