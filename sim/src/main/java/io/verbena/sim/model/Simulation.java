package io.verbena.sim.model;

import io.verbena.sim.PathPlan;
import io.verbena.sim.Profile;
import io.verbena.sim.World;
import java.util.Optional;
import java.util.OptionalLong;
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
     * @param hashes identical for every run of the seed
     */
    public record Report(long seed, Profile profile, long operations, long events, long virtualNs, Hashes hashes) {

        /** See {@link World#traceHash}; only of a run that has one. */
        public long traceHash() {
            return hashes.trace().orElseThrow();
        }
    }

    /**
     * Hashes of what has happened.
     *
     * @param trace with the states of engines, or nothing for a run that was only checked
     * @param course without
     */
    public record Hashes(OptionalLong trace, long course) {}

    /** The default profile of a seed. */
    public static Profile profileOf(long seed) {
        return Profile.values()[(int) Long.remainderUnsigned(seed, Profile.values().length)];
    }

    /**
     * Checks one seed: without a log, and without a hash of the trace, which only a comparison of two runs needs. Over the other
     * transports the hash takes no time that can be measured.
     */
    public static Report run(long seed, Profile profile) {
        Report report = run(seed, profile, Optional.empty(), World::withoutStates, replayOf(seed, profile));
        Hashes hashes = new Hashes(OptionalLong.empty(), report.hashes().course());
        return new Report(seed, profile, report.operations(), report.events(), report.virtualNs(), hashes);
    }

    /**
     * Runs one seed.
     *
     * @param log receives a line for each event
     * @throws SimulationFailure if a result differs from the model
     */
    public static Report run(long seed, Profile profile, Optional<Consumer<String>> log) {
        return run(seed, profile, log, world -> {}, replayOf(seed, profile));
    }

    /**
     * The same for a program that shows the run: other threads may read the figures of RNICs meanwhile.
     *
     * @param watched receives the world before its first event
     */
    public static Report run(long seed, Profile profile, Optional<Consumer<String>> log, Consumer<World> watched) {
        return run(seed, profile, log, watched, replayOf(seed, profile));
    }

    /** Runs one seed over a TCP that delivers segments in any order; see {@link World#withSegments()}. */
    public static Report runOverSegments(long seed, Profile profile, Optional<Consumer<String>> log) {
        return run(seed, profile, log, World::withSegments, replayOf("SegmentSeedsTest", seed));
    }

    /** Runs one seed over streams through shared memory; see {@link World#withSharedMemory()}. */
    public static Report runOverSharedMemory(long seed, Profile profile, Optional<Consumer<String>> log) {
        return run(seed, profile, log, World::withSharedMemory, replayOf("SharedMemorySeedsTest", seed));
    }

    /** Runs a seed whose connections are those of the library's own TCP, over packets that are lost, late and spoilt. */
    public static Report runOverTcp(long seed, Profile profile, Optional<Consumer<String>> log) {
        return run(seed, profile, log, World::withTcp, replayOf("TcpSeedsTest", seed));
    }

    /** Runs a seed over RoCE, whose packets are lost, duplicated, reordered and corrupted; see {@link World#withRoce(boolean)}. */
    public static Report runOverRoce(
            long seed, Profile profile, boolean selectiveRepeat, Optional<Consumer<String>> log) {
        return run(seed, profile, log, world -> world.withRoce(selectiveRepeat), replayOf("RoceSeedsTest", seed));
    }

    /**
     * The same with connections of 2 to 8 paths, by the seed, some of which are slower than others, lose packets, or lead
     * nowhere.
     */
    public static Report runOverPaths(long seed, Profile profile, Optional<Consumer<String>> log) {
        int paths = 2 + (int) Long.remainderUnsigned(seed, 7);
        return run(
                seed,
                profile,
                log,
                world -> {
                    world.withRoce(true).withPaths(paths);
                    for (int i = 1; i < paths; i++) {
                        world.packets().path(i, pathOf(seed, i));
                    }
                },
                replayOf("PathSeedsTest", seed));
    }

    private static PathPlan pathOf(long seed, int path) {
        return switch ((int) Long.remainderUnsigned(seed / 7 + path, 5)) {
            case 0 -> PathPlan.late(200_000L * path);
            case 1 -> new PathPlan(50_000, 20, false);
            case 2 -> PathPlan.DEAD;
            default -> PathPlan.PLAIN;
        };
    }

    /** The same with IPv6 on an Ethernet; see {@link World#withTcpOverEthernet()}. */
    public static Report runOverEthernet(long seed, Profile profile, Optional<Consumer<String>> log) {
        return run(seed, profile, log, World::withTcpOverEthernet, replayOf("EthernetSeedsTest", seed));
    }

    private static String replayOf(long seed, Profile profile) {
        return "./verbena sim --seed " + seed + " --profile " + profile;
    }

    private static String replayOf(String test, long seed) {
        return "./mvnw -Pquick -pl sim -am test -Dtest=" + test + " -Dverbena.seed=" + seed;
    }

    private static Report run(
            long seed, Profile profile, Optional<Consumer<String>> log, Consumer<World> preparation, String replay) {
        try {
            World world = new World(seed, profile, log);
            preparation.accept(world);
            BugWatch.begin(world);
            Scenario scenario = new Scenario(world);
            scenario.run();
            Hashes hashes = new Hashes(OptionalLong.of(world.traceHash()), world.courseHash());
            return new Report(seed, profile, scenario.operations(), world.eventCount(), world.elapsedNs(), hashes);
        } catch (Exception | AssertionError | StackOverflowError e) {
            throw new SimulationFailure(seed, profile, replay, e);
        } finally {
            BugWatch.end();
        }
    }
}
