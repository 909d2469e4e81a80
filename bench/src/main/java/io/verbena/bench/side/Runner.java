package io.verbena.bench.side;

import io.verbena.bench.side.peer.Contestant;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Runs one experiment: warms the contestants in turns, lets them choose what they may choose, then measures them in turns,
 * in the other order every other time. What it prints is the protocol that {@link Samples} reads.
 */
final class Runner {

    private static final long MOST_MESSAGES = 1L << 40;

    private final Experiment experiment;
    private final Effort effort;
    private final PrintStream out;
    private final List<Lane> lanes = new ArrayList<>();

    Runner(Experiment experiment, Effort effort, PrintStream out) {
        this.experiment = experiment;
        this.effort = effort;
        this.out = out;
    }

    /** A contestant with what is known of it. */
    private static final class Lane {
        final String name;
        final Contestant contestant;
        final Warmth warmth;
        long messages = 1;

        Lane(String name, Contestant contestant, Effort effort) {
            this.name = name;
            this.contestant = contestant;
            this.warmth = new Warmth(effort);
        }
    }

    void run() throws Exception {
        for (Experiment.Entrant entrant : experiment.entrants()) {
            enter(entrant);
        }
        warm();
        for (Lane lane : lanes) {
            lane.contestant.tune();
            calibrate(lane);
        }
        for (int pair = 0; pair < effort.pairs(); pair++) {
            List<Lane> order = pair % 2 == 0 ? lanes : lanes.reversed();
            for (Lane lane : order) {
                measure(lane);
            }
        }
        for (Lane lane : lanes) {
            lane.contestant.close();
        }
        out.println("done");
    }

    /** A contestant that cannot run here gives the reason, and the others continue. */
    private void enter(Experiment.Entrant entrant) {
        try {
            lanes.add(new Lane(entrant.name(), entrant.factory().make(), effort));
        } catch (Exception | LinkageError e) {
            out.println("absent " + entrant.name() + " " + String.valueOf(e).replace('\n', ' '));
        }
    }

    private void warm() throws Exception {
        boolean more = true;
        while (more) {
            more = false;
            for (Lane lane : lanes) {
                if (!lane.warmth.enough()) {
                    calibrate(lane);
                    more = true;
                }
            }
        }
    }

    /** One run that is not counted; from then on a run takes about as long as it should. */
    private void calibrate(Lane lane) throws Exception {
        long ns = Math.max(1, lane.contestant.run(lane.messages));
        double rate = (double) lane.messages / ns;
        lane.warmth.add(ns, rate);
        long wanted = Math.max(1, (long) (rate * effort.runNs()));
        lane.messages = Math.min(Math.min(wanted, 16 * lane.messages), MOST_MESSAGES);
    }

    private void measure(Lane lane) throws Exception {
        long ns = Math.max(1, lane.contestant.run(lane.messages));
        sample(lane.name, experiment.unit().value(lane.messages, experiment.messageBytes(), ns));
        for (Map.Entry<String, Double> figure : lane.contestant.figures().entrySet()) {
            sample(lane.name + "/" + figure.getKey(), figure.getValue());
        }
    }

    private void sample(String series, double value) {
        out.println("sample " + series + " " + value);
    }
}
