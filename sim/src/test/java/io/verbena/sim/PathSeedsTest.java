package io.verbena.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.fixture.Rounds;
import io.verbena.fixture.Seeds;
import io.verbena.sim.model.Simulation;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The programs of {@link SeedsTest} over RoCE with 2 to 8 paths in each connection, checked against the same reference model.
 * {@code -Dverbena.seed=N} runs one seed with a log.
 */
class PathSeedsTest {

    private static final int SEEDS = 21;
    private static final long FIRST_MORE = 3_000_000;
    private static final int MORE_SEEDS = Rounds.of(3, 12);

    private static Profile profileOf(long seed) {
        return seed % 4 >= 2 ? Profile.SLOW : Profile.CALM;
    }

    private static Simulation.Report run(long seed, Optional<Consumer<String>> log) {
        return Simulation.runOverPaths(seed, profileOf(seed), log);
    }

    @Test
    void seeds_calmAndSlow_meetTheModel() {
        Long only = Long.getLong("verbena.seed");
        if (only != null) {
            run(only, Optional.of(System.out::println));
            return;
        }
        try (RecordedCourses courses = new RecordedCourses("paths")) {
            for (long seed = 0; seed < SEEDS; seed++) {
                courses.took(run(seed, Optional.empty()));
            }
        }
    }

    @Tag(Seeds.TAG)
    @Test
    void moreSeeds_meetTheModel() {
        Seeds.each(FIRST_MORE, MORE_SEEDS, seed -> run(seed, Optional.empty()));
    }

    @Test
    void sameSeed_twice_takesTheSameCourse() {
        assertEquals(
                run(1_000_000, Optional.empty()).traceHash(),
                run(1_000_000, Optional.empty()).traceHash());
    }
}
