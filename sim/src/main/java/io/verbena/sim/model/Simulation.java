package io.verbena.sim.model;

import io.verbena.sim.Profile;
import io.verbena.sim.World;
import java.util.Optional;
import java.util.function.Consumer;

/** Runs programs over simulated RNICs and checks them against the reference model. */
public final class Simulation {

    private Simulation() {}

    /**
     * What a run was.
     *
     * @param operations send work posted
     * @param events things that happened
     * @param virtualNs time that passed in the world
     * @param traceHash the same for every run of the seed
     */
    public record Report(long seed, Profile profile, long operations, long events, long virtualNs, long traceHash) {}

    /** The profile that a seed has when none is asked for. */
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
     * @param log is given a line for each thing that happens
     * @throws SimulationFailure when something comes out otherwise than the model says
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
