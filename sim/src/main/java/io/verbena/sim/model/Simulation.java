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
     * @param hashes identical for every run of the seed
     */
    public record Report(long seed, Profile profile, long operations, long events, long virtualNs, Hashes hashes) {

        /** See {@link World#traceHash}. */
        public long traceHash() {
            return hashes.trace();
        }
    }

    /**
     * Hashes of what has happened.
     *
     * @param trace with the states of engines
     * @param course without
     */
    public record Hashes(long trace, long course) {}

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
        return run(seed, profile, log, world -> {}, "./verbena sim --seed " + seed + " --profile " + profile);
    }

    /** Runs one seed over a TCP that delivers segments in any order; see {@link World#withSegments()}. */
    public static Report runOverSegments(long seed, Profile profile, Optional<Consumer<String>> log) {
        String replay = "./mvnw -Pquick -pl sim -am test -Dtest=SegmentSeedsTest -Dverbena.seed=" + seed;
        return run(seed, profile, log, World::withSegments, replay);
    }

    /** Runs one seed over streams through shared memory; see {@link World#withSharedMemory()}. */
    public static Report runOverSharedMemory(long seed, Profile profile, Optional<Consumer<String>> log) {
        String replay = "./mvnw -Pquick -pl sim -am test -Dtest=SharedMemorySeedsTest -Dverbena.seed=" + seed;
        return run(seed, profile, log, World::withSharedMemory, replay);
    }

    /** Runs a seed whose connections are those of the library's own TCP, over packets that are lost, late and spoilt. */
    public static Report runOverTcp(long seed, Profile profile, Optional<Consumer<String>> log) {
        String replay = "./mvnw -Pquick -pl sim -am test -Dtest=TcpSeedsTest -Dverbena.seed=" + seed;
        return run(seed, profile, log, World::withTcp, replay);
    }

    /** Runs a seed over RoCE, whose packets are lost, duplicated, reordered and corrupted; see {@link World#withRoce(boolean)}. */
    public static Report runOverRoce(
            long seed, Profile profile, boolean selectiveRepeat, Optional<Consumer<String>> log) {
        String replay = "./mvnw -Pquick -pl sim -am test -Dtest=RoceSeedsTest -Dverbena.seed=" + seed;
        return run(seed, profile, log, world -> world.withRoce(selectiveRepeat), replay);
    }

    /** The same with IPv6 on an Ethernet; see {@link World#withTcpOverEthernet()}. */
    public static Report runOverEthernet(long seed, Profile profile, Optional<Consumer<String>> log) {
        String replay = "./mvnw -Pquick -pl sim -am test -Dtest=EthernetSeedsTest -Dverbena.seed=" + seed;
        return run(seed, profile, log, World::withTcpOverEthernet, replay);
    }

    private static Report run(
            long seed, Profile profile, Optional<Consumer<String>> log, Consumer<World> preparation, String replay) {
        try {
            World world = new World(seed, profile, log);
            preparation.accept(world);
            BugWatch.begin(world);
            Scenario scenario = new Scenario(world);
            scenario.run();
            Hashes hashes = new Hashes(world.traceHash(), world.courseHash());
            return new Report(seed, profile, scenario.operations(), world.eventCount(), world.elapsedNs(), hashes);
        } catch (Exception | AssertionError | StackOverflowError e) {
            throw new SimulationFailure(seed, profile, replay, e);
        } finally {
            BugWatch.end();
        }
    }
}
