package io.verbena.bench.side;

import io.verbena.bench.side.peer.Contestant;
import java.util.Map;

/** A contestant during whose runs another process computes, so that the two sides have less than a processor each. */
final class BesideBusyProcess implements Contestant {

    private static final String[] BUSY = {"sh", "-c", "while :; do :; done"};

    private final Contestant contestant;

    private BesideBusyProcess(Contestant contestant) {
        this.contestant = contestant;
    }

    /** The same entrant beside a busy process. */
    static Experiment.Entrant entrant(Experiment.Entrant entrant) {
        return new Experiment.Entrant(
                entrant.name(), () -> new BesideBusyProcess(entrant.factory().make()));
    }

    @Override
    public long run(long messages) throws Exception {
        Process busy = new ProcessBuilder(BUSY).start();
        try {
            return contestant.run(messages);
        } finally {
            busy.destroyForcibly().waitFor();
        }
    }

    @Override
    public void tune() throws Exception {
        contestant.tune();
    }

    @Override
    public Map<String, Double> figures() {
        return contestant.figures();
    }

    @Override
    public void close() throws Exception {
        contestant.close();
    }
}
