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
 * The programs of {@link SeedsTest} over the TCP of the library, whose packets are lost, duplicated, reordered and corrupted, checked
 * against the same reference model. {@code -Dverbena.seed=N} runs one seed with a log.
 */
class TcpSeedsTest {

    private static final int SEEDS = 12;
    private static final long FIRST_MORE = 2_000_000;
    private static final int MORE_SEEDS = Rounds.of(2, 8);

    @Test
    void seeds_everyProfile_meetTheModel() {
        Long only = Long.getLong("verbena.seed");
        if (only != null) {
            Consumer<String> log = System.out::println;
            Simulation.runOverTcp(only, Simulation.profileOf(only), Optional.of(log));
            return;
        }
        try (RecordedCourses courses = new RecordedCourses("tcp")) {
            for (long seed = 0; seed < SEEDS; seed++) {
                courses.took(Simulation.runOverTcp(seed, Simulation.profileOf(seed), Optional.empty()));
            }
        }
    }

    @Tag(Seeds.TAG)
    @Test
    void moreSeeds_meetTheModel() {
        Seeds.each(
                FIRST_MORE,
                MORE_SEEDS,
                seed -> Simulation.runOverTcp(seed, Simulation.profileOf(seed), Optional.empty()));
    }

    @Test
    void sameSeed_twice_takesTheSameCourse() {
        assertEquals(
                Simulation.runOverTcp(1_000_000, Profile.CALM, Optional.empty()).traceHash(),
                Simulation.runOverTcp(1_000_000, Profile.CALM, Optional.empty()).traceHash());
    }
}
