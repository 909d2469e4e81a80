package io.verbena.objects;

import io.verbena.verbs.AddressHandle;
import io.verbena.verbs.EndToEndContext;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.WorkOpcode;

/**
 * The protection domain of a back end as templates see it. Each look-up fails with an {@link IllegalArgumentException} if the object is
 * of another RNIC or domain, and with an {@link IllegalStateException} if it is closed.
 */
public interface WorkDomain {

    NamedRegion region(MemoryRegion region);

    NamedWindow window(MemoryWindow window);

    Destination destination(AddressHandle handle);

    default Destination destination(EndToEndContext context) {
        throw Ownership.foreign("end-to-end context");
    }

    /**
     * Rejects work that the adapter does not support. Called for each work request that is posted through a template.
     *
     * @param lengthBytes total length of the local elements
     * @param elements number of local elements
     * @throws UnsupportedOperationException if the adapter does not support this operation
     * @throws IllegalArgumentException if the adapter does not support this form of the work request
     */
    void checkWork(WorkOpcode opcode, long lengthBytes, int elements);
}
