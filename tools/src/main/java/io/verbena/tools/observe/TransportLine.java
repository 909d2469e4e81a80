package io.verbena.tools.observe;

import io.verbena.tools.text.Figures;
import io.verbena.verbs.RnicFigures;
import java.util.Locale;
import java.util.Optional;

/** What carries a connection that survives the end of its transport, and its changes, in one line. */
final class TransportLine {

    private TransportLine() {}

    /** The line for a sample of a queue pair; empty if its connection does not survive, or has never changed. */
    static Optional<String> of(io.verbena.verbs.Figures pair) {
        long changes = pair.number(RnicFigures.TRANSPORT_CHANGES);
        if (changes == 0) {
            return Optional.empty();
        }
        String carrier = pair.texts()
                .getOrDefault("carrier", "")
                .toLowerCase(Locale.ROOT)
                .replace('_', ' ');
        return Optional.of("        over " + carrier + " after " + Figures.count(changes) + " changes of transport, "
                + Figures.count(pair.number(RnicFigures.TRANSPORT_REQUESTS, "repeated")) + " requests repeated, "
                + Figures.count(pair.number(RnicFigures.TRANSPORT_REQUESTS, "recovered")) + " recovered");
    }
}
