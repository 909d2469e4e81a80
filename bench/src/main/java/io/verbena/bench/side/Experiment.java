package io.verbena.bench.side;

import io.verbena.bench.side.peer.Contestant;
import java.util.List;

/**
 * Some contestants that run in turns in one JVM of their own.
 *
 * @param name unique, without spaces
 * @param messageBytes size of a message
 * @param unit the figure of each run
 * @param entrants the contestants
 */
record Experiment(String name, int messageBytes, Unit unit, List<Entrant> entrants) {

    /** A contestant's name and how it is made. */
    record Entrant(String name, Factory factory) {}

    /** Makes a contestant. */
    interface Factory {
        Contestant make() throws Exception;
    }
}
