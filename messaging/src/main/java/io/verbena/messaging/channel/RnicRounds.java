package io.verbena.messaging.channel;

/**
 * In which rounds of progress the RNIC is driven. Elements of peers that write them directly need no turn of the RNIC,
 * which takes longer than to poll the rings, and gives the processor away if it finds nothing.
 */
final class RnicRounds {

    /** How long the rings alone are polled while they have elements. */
    static final long MOST_BUSY_NS = 5_000;

    /**
     * The same while they are empty and no completion is awaited. A message that answers one of this side, or crosses
     * it, arrives earlier: a turn would delay it.
     */
    static final long MOST_IDLE_NS = 400;

    /** Rounds in a row in which the rings alone are polled, where the clock stands still: in a simulation. */
    static final int MOST_UNSERVED = 64;

    private boolean ringsFirst;
    private int unserved;
    private long servedNs;

    /** Since when the rings are empty and the RNIC was not driven. */
    private long idleSinceNs;

    /** A peer writes its elements without the RNIC of this side. */
    void pollRingsFirst() {
        ringsFirst = true;
    }

    /** Returns whether the rings are polled before the RNIC is driven. */
    boolean ringsFirst() {
        return ringsFirst;
    }

    /**
     * Returns whether this round drives the RNIC.
     *
     * @param idle whether there is no other work
     * @param awaited whether a completion is awaited
     */
    boolean serves(boolean idle, boolean awaited, long nowNs) {
        boolean due = idle && (awaited || nowNs - idleSinceNs >= MOST_IDLE_NS);
        boolean serves = !ringsFirst || due || nowNs - servedNs >= MOST_BUSY_NS || ++unserved >= MOST_UNSERVED;
        if (serves) {
            unserved = 0;
            servedNs = nowNs;
        }
        if (serves || !idle) {
            idleSinceNs = nowNs;
        }
        return serves;
    }
}
