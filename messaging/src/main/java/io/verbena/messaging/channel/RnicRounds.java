package io.verbena.messaging.channel;

/**
 * In which rounds of progress the RNIC is driven. Elements of peers that write them directly need no turn of the RNIC,
 * which takes longer than to poll the rings, and gives the processor away if it finds nothing.
 */
final class RnicRounds {

    /** Rounds in a row in which the rings alone are polled, because they had elements. */
    private static final int MOST_UNSERVED = 16;

    /** The same while the rings are empty and no completion is awaited. */
    private static final int MOST_IDLE_UNSERVED = 4;

    private static final long MOST_IDLE_UNSERVED_NS = 300;

    private boolean ringsFirst;
    private int unserved;
    private long servedNs;

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
        boolean serves = !ringsFirst
                || idle && (awaited || nowNs - servedNs >= MOST_IDLE_UNSERVED_NS)
                || ++unserved >= (idle ? MOST_IDLE_UNSERVED : MOST_UNSERVED);
        if (serves) {
            unserved = 0;
            servedNs = nowNs;
        }
        return serves;
    }
}
