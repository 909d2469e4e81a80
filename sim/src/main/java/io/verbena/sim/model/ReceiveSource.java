package io.verbena.sim.model;

/** Where the messages for a side find their receives: its own queue, or one that is shared. */
interface ReceiveSource {

    /** Posts receives, a few at a time, while there is room for them. */
    void fill();

    /** Longest message that the next receive can take that no message is under way for; -1 when there is none. */
    int nextCapacity();

    /** A receive has completed: it was posted, and it was its turn. */
    Receive take(long wrId);

    /** Whether everything posted that must complete when the side ends has completed. */
    boolean drained();
}
