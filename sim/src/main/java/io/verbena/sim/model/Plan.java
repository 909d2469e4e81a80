package io.verbena.sim.model;

import io.verbena.sim.SimRandom;
import io.verbena.sim.World;
import io.verbena.verbs.Progress;
import io.verbena.verbs.RnicOptions;

/**
 * The sizes of one run, chosen so that it is neither trivial nor long.
 *
 * @param nodes number of programs, each with an RNIC
 * @param conversations number of connections
 * @param mostBytes maximum message length
 * @param zoneBytes memory of each kind per program
 * @param mostOperations maximum number of send requests per side
 */
record Plan(int nodes, int conversations, int mostBytes, int zoneBytes, int mostOperations) {

    static Plan of(World world) {
        SimRandom random = world.random();
        int grain = world.weather().grainBytes();
        int zone;
        if (grain == 0 && random.oneIn(25)) {
            // More than an engine processes in one turn.
            return new Plan(2, random.between(1, 2), 700_000, 1_500_000, 5);
        }
        if (grain == 0) {
            zone = random.oneIn(12) ? 400_000 : random.pick(3_000, 10_000, 30_000, 100_000);
        } else {
            zone = Math.max(600, Math.min(grain * 150, 60_000));
        }
        int most = random.oneIn(4) ? random.pick(16, 200) : zone / random.between(3, 8);
        int operations = grain > 0 && grain < 10 ? 12 : random.pick(5, 20, 60);
        return new Plan(random.between(2, 4), random.between(1, 5), most, zone, operations);
    }

    /** How an RNIC is opened. */
    static RnicOptions rnic(World world) {
        SimRandom random = world.random();
        boolean mustCheck = world.weather().profile() == io.verbena.sim.Profile.CORRUPT;
        boolean inline = random.oneIn(4);
        RnicOptions options = RnicOptions.defaults()
                .withProgress(inline ? Progress.INLINE : Progress.ENGINE_THREAD)
                .withEngines(!inline && random.oneIn(4) ? random.between(2, 3) : 1)
                .withCrc(mustCheck || random.oneIn(2))
                .withMarkers(random.oneIn(3));
        int fpduBytes =
                random.oneIn(4) ? random.between(64, 2_000) : random.pick(64, 128, 1_424, 4_096, 32_768, 64_750);
        // Only frames that fit in a segment can be guessed.
        boolean guesses = fpduBytes < 2_000;
        return options.withIwarp(it -> it.withMaxFpduPayloadBytes(fpduBytes).withGuesses(guesses));
    }
}
