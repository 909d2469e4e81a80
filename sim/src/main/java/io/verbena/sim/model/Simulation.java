package io.verbena.sim.model;

import io.verbena.sim.Profile;
import io.verbena.sim.World;
import java.util.Optional;
import java.util.function.Consumer;

/** Runs programs over simulated RNICs and checks them against the reference model. */
public final class Simulation {

    private Simulation() {}

    /**
     * Summary of a run.
     *
     * @param operations number of posted send requests
     * @param events number of events
     * @param virtualNs elapsed virtual time
     * @param traceHash identical for every run of the seed
     */
    public record Report(long seed, Profile profile, long operations, long events, long virtualNs, long traceHash) {}

    /** The default profile of a seed. */
    public static Profile profileOf(long seed) {
        return Profile.values()[(int) Long.remainderUnsigned(seed, Profile.values().length)];
    }

    /** Runs one seed without a log. */
    public static Report run(long seed, Profile profile) {
        return run(seed, profile, Optional.empty());
    }

    /**
     * Runs one seed.
     *
     * @param log receives a line for each event
     * @throws SimulationFailure if a result differs from the model
     */
    public static Report run(long seed, Profile profile, Optional<Consumer<String>> log) {
        try {
            World world = new World(seed, profile, log);
            BugWatch.begin(world);
            Scenario scenario = new Scenario(world);
            scenario.run();
            return new Report(
                    seed, profile, scenario.operations(), world.eventCount(), world.elapsedNs(), world.traceHash());
        } catch (Exception | AssertionError | StackOverflowError e) {
            throw new SimulationFailure(seed, profile, e);
        } finally {
            BugWatch.end();
        }
    }
}
