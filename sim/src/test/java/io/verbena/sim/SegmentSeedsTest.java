package io.verbena.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.fixture.Rounds;
import io.verbena.fixture.Seeds;
import io.verbena.sim.model.Simulation;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The programs of {@link SeedsTest} over a TCP that delivers segments late, repeatedly, cut anywhere and in any order,
 * checked against the same reference model. {@code -Dverbena.seed=N} runs one seed with a log.
 */
class SegmentSeedsTest {

    private static final int SEEDS = 200;
    private static final long FIRST_MORE = 2_000_000;
    private static final int MORE_SEEDS = Rounds.of(20, 100);

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

    @Tag(Seeds.TAG)
    @Test
    void moreSeeds_meetTheModel() {
        Seeds.each(
                FIRST_MORE,
                MORE_SEEDS,
                seed -> Simulation.runOverSegments(seed, Simulation.profileOf(seed), Optional.empty()));
    }

    @ParameterizedTest
    @EnumSource
    void sameSeed_twice_takesTheSameCourse(Profile profile) {
        assertEquals(
                Simulation.runOverSegments(1_000_000, profile, Optional.empty()).traceHash(),
                Simulation.runOverSegments(1_000_000, profile, Optional.empty()).traceHash());
    }
}
