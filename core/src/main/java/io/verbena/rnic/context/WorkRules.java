package io.verbena.rnic.context;

import io.verbena.verbs.WorkOpcode;

/** Rules of a transport for posted work. */
public interface WorkRules {

    /**
     * Rejects work that the transport does not support. Called for each work request that is posted through a template.
     *
     * @param lengthBytes total length of the local elements
     * @param elements number of local elements
     * @throws UnsupportedOperationException if the transport does not support this operation
     * @throws IllegalArgumentException if the transport does not support this form of the work request
     */
    void checkWork(WorkOpcode opcode, long lengthBytes, int elements);
}
