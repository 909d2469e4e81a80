package io.verbena.rnic;

import java.util.function.BooleanSupplier;

/** A place where threads wait for something that an engine does. */
public interface WaitPoint {

    /**
     * Waits until a condition holds. Whoever makes it hold calls {@link #signal} afterwards.
     *
     * @return false when the time ran out first
     */
    boolean await(BooleanSupplier condition, long timeoutNs);

    /** Wakes who waits, so that conditions are looked at again. Cheap when nobody waits. */
    void signal();
}
