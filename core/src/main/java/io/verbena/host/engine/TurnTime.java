package io.verbena.host.engine;

/**
 * The times of the turns of an engine, which never go back. A thread reads the clock before it takes the engine, and another one may have taken a
 * turn since then. Accessed by the thread that has the engine.
 */
final class TurnTime {

    private long lastNs = System.nanoTime();

    /** The time of a turn for which the clock was read as {@code nowNs}. */
    long at(long nowNs) {
        if (nowNs - lastNs > 0) {
            lastNs = nowNs;
        }
        return lastNs;
    }
}
