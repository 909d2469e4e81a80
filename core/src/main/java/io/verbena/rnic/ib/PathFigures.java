package io.verbena.rnic.ib;

import io.verbena.ib.endpoint.QueuePairEngine;
import io.verbena.verbs.ConnectionPath;
import io.verbena.verbs.Figures;
import io.verbena.verbs.RnicFigures;

/** What an engine knows about the path to its peer, as figures. Any thread. */
final class PathFigures {

    private PathFigures() {}

    static void add(Figures.Builder figures, QueuePairEngine engine) {
        engine.figures().ifPresent(path -> {
            figures.value(RnicFigures.PACKETS, path.outstandingPackets())
                    .value(RnicFigures.PACKET_LIMIT, path.windowPackets())
                    .value(RnicFigures.RETRANSMISSIONS, path.retransmissions())
                    .value(RnicFigures.TIMEOUTS, path.timeouts());
            path.credits().ifPresent(credits -> figures.value(RnicFigures.CREDITS, credits));
        });
        addPaths(figures, engine);
    }

    /** The states of several paths as one letter for each: A active, S suspect, R retired, P probing. */
    private static void addPaths(Figures.Builder figures, QueuePairEngine engine) {
        StringBuilder states = new StringBuilder();
        for (ConnectionPath each : engine.paths()) {
            states.append(each.state().name().charAt(0));
            figures.value(RnicFigures.PATH_IO, String.valueOf(each.number()), each.bytes());
        }
        if (!states.isEmpty()) {
            figures.text("paths", states);
        }
    }
}
