package io.verbena.rnic;

import io.verbena.verbs.WorkOpcode;

/** What a transport says about work that is posted. */
public interface WorkRules {

    /**
     * Refuses work that the transport cannot carry. Called for each work request that is posted through a template.
     *
     * @param lengthBytes length of the local elements together
     * @param elements number of local elements
     * @throws UnsupportedOperationException when the transport does not have this operation
     * @throws IllegalArgumentException when the work request has a form that the transport cannot carry
     */
    void checkWork(WorkOpcode opcode, long lengthBytes, int elements);
}
