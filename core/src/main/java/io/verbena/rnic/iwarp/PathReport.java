package io.verbena.rnic.iwarp;

import io.verbena.iwarp.IwarpStream;
import io.verbena.port.CarrierFigures;
import io.verbena.verbs.Figures;
import io.verbena.verbs.RnicFigures;

/** The figures of a connection over a TCP of the library. The TCP of the system keeps its own. */
final class PathReport {

    private PathReport() {}

    /** Adds the figures. Any thread. */
    static void add(Figures.Builder figures, CarrierFigures path, IwarpStream stream) {
        if (path.roundTripNs() > 0) {
            figures.value(RnicFigures.ROUND_TRIP, path.roundTripNs());
        }
        figures.value(RnicFigures.WINDOW, "congestion", path.congestionWindowBytes())
                .value(RnicFigures.WINDOW, "send", path.sendWindowBytes())
                .value(RnicFigures.WINDOW, "receive", path.receiveWindowBytes())
                .value(RnicFigures.IN_FLIGHT, path.inFlightBytes())
                .value(RnicFigures.RETRANSMISSIONS, path.retransmissions())
                .value(RnicFigures.HOLES, stream.holes())
                .value(RnicFigures.HOLES_OPENED, stream.holeFigures().holes())
                .value(RnicFigures.PLACED_EARLY, stream.holeFigures().placedBytes());
    }
}
