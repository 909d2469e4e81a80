package io.verbena.bench.side;

import io.verbena.bench.side.Row.Candidate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A row with its figures.
 *
 * @param row what was compared
 * @param measured every candidate that has figures, best first
 * @param reason why there are none, empty if there are
 */
record Outcome(Row row, List<Measured> measured, String reason) {

    /**
     * A candidate's figures.
     *
     * @param candidate which
     * @param ours our figure
     * @param theirs figure of the peer; ours again if there is no peer
     * @param ratio of the pairs, ours to theirs; our figure if there is no peer
     */
    record Measured(Candidate candidate, Spread ours, Spread theirs, Spread ratio) {

        boolean alone() {
            return candidate.theirs().isEmpty();
        }
    }

    static Outcome of(Row row, Map<String, Samples> samples) {
        String reason = "not run";
        List<Measured> measured = new ArrayList<>();
        for (Candidate candidate : row.candidates()) {
            Samples reported = samples.get(candidate.experiment());
            if (reported == null) {
                continue;
            }
            String absent = reported.absent(candidate.theirs());
            if (!absent.isEmpty() || !reported.failure().isEmpty()) {
                reason = absent.isEmpty() ? reported.failure() : absent;
            } else if (reported.has(candidate.ours())) {
                measured.add(measure(candidate, reported));
            }
        }
        Comparator<Measured> byRatio =
                Comparator.comparingDouble(one -> one.ratio().median());
        measured.sort(lessIsBetter(row) ? byRatio : byRatio.reversed());
        return new Outcome(row, List.copyOf(measured), measured.isEmpty() ? reason : "");
    }

    private static Measured measure(Candidate candidate, Samples reported) {
        double[] ours = reported.of(candidate.ours());
        Spread own = Spread.of(ours);
        if (candidate.theirs().isEmpty()) {
            return new Measured(candidate, own, own, own);
        }
        double[] theirs = reported.of(candidate.theirs());
        return new Measured(candidate, own, Spread.of(theirs), Spread.ofRatios(ours, theirs));
    }

    private static boolean lessIsBetter(Row row) {
        return !row.unit().moreIsBetter || row.goal().kind() == Goal.Kind.AT_MOST;
    }

    /** The figures that the table shows. */
    Optional<Measured> best() {
        return measured.stream().findFirst();
    }

    /** Whether the goal is reached by the median; true where there is none. */
    boolean reached() {
        return best().map(one -> row.goal().reached(one.ratio().median())).orElse(false);
    }
}
