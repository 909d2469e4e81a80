package io.verbena.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.sim.model.Simulation;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The programs of {@link SeedsTest} over a TCP that delivers segments late, repeatedly, cut anywhere and in any order,
 * checked against the same reference model. {@code -Dverbena.seed=N} runs one seed with a log, {@code -Dverbena.fresh=N}
 * sets the number of seeds that no build has run before, {@code -Dverbena.freshFrom=N} the first one.
 */
class SegmentSeedsTest {

    private static final int SEEDS = 200;
    private static final int FRESH_SEEDS = 100;

    @Test
    void seeds_everyProfile_meetTheModel() {
        Long only = Long.getLong("verbena.seed");
        if (only != null) {
            Consumer<String> log = System.out::println;
            Simulation.runOverSegments(only, Simulation.profileOf(only), Optional.of(log));
            return;
        }
        try (RecordedCourses courses = new RecordedCourses("segments")) {
            for (long seed = 0; seed < SEEDS; seed++) {
                courses.took(Simulation.runOverSegments(seed, Simulation.profileOf(seed), Optional.empty()));
            }
        }
    }

    @Test
    void seeds_fresh_meetTheModel() {
        int seeds = Integer.getInteger("verbena.fresh", FRESH_SEEDS);
        long first = Long.getLong("verbena.freshFrom", new SecureRandom().nextLong(1L << 48));
        System.out.printf(
                "%d fresh seeds over segments from %d; again with -Dverbena.freshFrom=%d%n", seeds, first, first);
        for (long seed = first; seed < first + seeds; seed++) {
            Simulation.runOverSegments(seed, Simulation.profileOf(seed), Optional.empty());
        }
    }

    @ParameterizedTest
    @EnumSource
    void sameSeed_twice_takesTheSameCourse(Profile profile) {
        assertEquals(
                Simulation.runOverSegments(1_000_000, profile, Optional.empty()).traceHash(),
                Simulation.runOverSegments(1_000_000, profile, Optional.empty()).traceHash());
    }
}
