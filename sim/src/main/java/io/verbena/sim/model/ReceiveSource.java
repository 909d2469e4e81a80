package io.verbena.sim.model;

/** The source of receives for a side: its own queue, or a shared one. */
interface ReceiveSource {

    /** Posts receives, a few at a time, as long as there are free slots. */
    void fill();

    /** Maximum length of a message for the next unused receive; -1 if there is none. */
    int nextCapacity();

    /** A receive has completed: checks that it was posted and is the expected one. */
    Receive take(long wrId);

    /** Whether everything posted that must complete when the side ends has completed. */
    boolean drained();
}
