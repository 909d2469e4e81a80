package io.verbena.spark;

import java.util.HashSet;
import java.util.Set;

/**
 * The shuffles whose outputs this executor serves or reads. Memory is kept for the next use only as long as there is
 * one. Spark does not use the identification of a shuffle again, so one that was removed stays so. Any thread may call
 * any method.
 */
final class HeldShuffles {

    // Guarded by this.
    private final Set<Integer> held = new HashSet<>();
    private final Set<Integer> removed = new HashSet<>();

    /** An output of a shuffle is served or read; false if the shuffle was removed. */
    synchronized boolean hold(int shuffle) {
        if (removed.contains(shuffle)) {
            return false;
        }
        held.add(shuffle);
        return true;
    }

    /** Returns whether it was the last one. */
    synchronized boolean remove(int shuffle) {
        removed.add(shuffle);
        held.remove(shuffle);
        return held.isEmpty();
    }

    synchronized boolean any() {
        return !held.isEmpty();
    }
}
