package io.verbena.tools.connections;

import java.util.ArrayList;
import java.util.List;

/** What happened between two sides, in order: a ladder with side A on the left and side B on the right. */
public final class Ladder {

    /** What a rung shows. */
    public enum Kind {
        /** Something happens, as asked for; in the middle. */
        INCIDENT,
        /** A frame from A to B. */
        RIGHT,
        /** A frame from B to A. */
        LEFT,
        /** The states of A and B. */
        STATES,
        /** A receives a completion or an event. */
        REPORT_A,
        /** B receives a completion or an event. */
        REPORT_B
    }

    /**
     * One rung.
     *
     * @param micros virtual time since the beginning, microseconds
     * @param text of it; of {@link Kind#STATES} A's state, a tab, and B's
     */
    public record Rung(double micros, Kind kind, String text) {}

    private final List<Rung> rungs = new ArrayList<>();

    void add(double micros, Kind kind, String text) {
        rungs.add(new Rung(micros, kind, text));
    }

    public List<Rung> rungs() {
        return List.copyOf(rungs);
    }
}
