package io.verbena.bench.side.peer;

import java.util.Map;

/** One of those that are compared. What it needs (sockets, queue pairs) stays open between its runs. */
public interface Contestant extends AutoCloseable {

    /** Moves this number of messages, or makes this number of round trips; returns the duration in nanoseconds. */
    long run(long messages) throws Exception;

    /** Chooses what it may choose, after it is warm. */
    default void tune() throws Exception {}

    /** Further figures of the last run, by name. */
    default Map<String, Double> figures() {
        return Map.of();
    }

    @Override
    void close() throws Exception;
}
