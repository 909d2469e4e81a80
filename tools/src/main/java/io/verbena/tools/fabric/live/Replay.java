package io.verbena.tools.fabric.live;

import io.verbena.tools.fabric.FabricRun;
import io.verbena.tools.fabric.Failures;
import io.verbena.web.NetworkState;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A run whose time can be set back. To go back, the run begins again from its seed, and what was done to it is done again at the same
 * times; as two runs of a seed are equal, everything is as it was. What is done at a time in the past replaces all that was done later.
 */
final class Replay implements AutoCloseable {

    /** Something that was done to the run. */
    private record Intervention(long afterNs, String sentence, Consumer<Failures> change) {}

    private final Supplier<FabricRun> begin;
    private final long windowNs;
    private final List<Intervention> interventions = new ArrayList<>();
    private FabricRun run;
    private LaneLoads loads;
    private int next;
    private long passedNs;
    private long reachedNs;

    /**
     * Begins a run.
     *
     * @param begin makes the same run each time
     * @param windowNs length of the windows of {@link LaneLoads}
     */
    Replay(Supplier<FabricRun> begin, long windowNs) {
        this.begin = begin;
        this.windowNs = windowNs;
        run = begin.get();
        loads = new LaneLoads(run.fabric(), windowNs);
    }

    FabricRun run() {
        return run;
    }

    LaneLoads loads() {
        return loads;
    }

    long passedNs() {
        return passedNs;
    }

    /** The latest time of this history. */
    long reachedNs() {
        return reachedNs;
    }

    /** Lets a time pass, or less if the run ends. */
    void pass(long ns) {
        long stopNs = passedNs + ns;
        while (passedNs < stopNs && !run.ended()) {
            long nextNs = Math.min(stopNs, loads.nextMark(passedNs));
            nextNs = next < interventions.size()
                    ? Math.min(nextNs, interventions.get(next).afterNs())
                    : nextNs;
            passedNs += run.pass(nextNs - passedNs);
            if (passedNs % windowNs == 0) {
                loads.mark();
            }
            while (next < interventions.size() && interventions.get(next).afterNs() <= passedNs) {
                interventions.get(next++).change().accept(run.failures());
            }
        }
        reachedNs = Math.max(reachedNs, passedNs);
    }

    /** Does something to the run now. */
    void intervene(String sentence, Consumer<Failures> change) {
        interventions.subList(next, interventions.size()).clear();
        reachedNs = passedNs;
        interventions.add(new Intervention(passedNs, sentence, change));
        next++;
        change.accept(run.failures());
    }

    /** Begins again from the seed. */
    void rewind() {
        run.close();
        run = begin.get();
        loads = new LaneLoads(run.fabric(), windowNs);
        passedNs = 0;
        next = 0;
        while (next < interventions.size() && interventions.get(next).afterNs() == 0) {
            interventions.get(next++).change().accept(run.failures());
        }
    }

    /** What has happened, and what will be done again. */
    List<NetworkState.Event> events() {
        List<NetworkState.Event> events = new ArrayList<>(run.failures().events());
        for (Intervention later : interventions.subList(next, interventions.size())) {
            events.add(new NetworkState.Event(later.afterNs(), later.sentence()));
        }
        return events;
    }

    @Override
    public void close() {
        run.close();
    }
}
