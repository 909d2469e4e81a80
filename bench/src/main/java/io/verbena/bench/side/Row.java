package io.verbena.bench.side;

import java.util.List;

/**
 * A row of the table: a figure of Verbena beside that of another implementation.
 *
 * @param operation what is measured
 * @param peer the implementation of the other figure
 * @param unit of both figures
 * @param goal what the ratio should reach
 * @param candidates where it was measured, one for each mode of progress; the best one is shown
 */
record Row(String operation, String peer, Unit unit, Goal goal, List<Candidate> candidates) {

    String title() {
        return operation + " / " + peer;
    }

    /**
     * One measurement of a row.
     *
     * @param experiment its name
     * @param mode of progress, and what else a reader must know
     * @param ours name of our series
     * @param theirs name of the peer; empty if there is none
     */
    record Candidate(String experiment, String mode, String ours, String theirs) {}
}
