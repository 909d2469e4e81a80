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
 * The programs of {@link SeedsTest} over the TCP of the library with IPv6 on an Ethernet, whose frames are lost, duplicated, reordered and
 * corrupted, checked against the same reference model. {@code -Dverbena.seed=N} runs one seed with a log.
 */
class EthernetSeedsTest {

    private static final int SEEDS = 8;
    private static final long FIRST_MORE = 2_000_000;
    private static final int MORE_SEEDS = Rounds.of(2, 6);

    @Test
    void seeds_everyProfile_meetTheModel() {
        Long only = Long.getLong("verbena.seed");
        if (only != null) {
            Consumer<String> log = System.out::println;
            Simulation.runOverEthernet(only, Simulation.profileOf(only), Optional.of(log));
            return;
        }
        try (RecordedCourses courses = new RecordedCourses("ethernet")) {
            for (long seed = 0; seed < SEEDS; seed++) {
                courses.took(Simulation.runOverEthernet(seed, Simulation.profileOf(seed), Optional.empty()));
            }
        }
    }

    @Test
    void seed_threeNeighborMessagesLost_noRouteToTheHost_andTheProgramConnectsAgain() {
        long seed = 160_682_094_423_954L;
        Simulation.runOverEthernet(seed, Simulation.profileOf(seed), Optional.empty());
    }

    @Tag(Seeds.TAG)
    @Test
    void moreSeeds_meetTheModel() {
        Seeds.each(
                FIRST_MORE,
                MORE_SEEDS,
                seed -> Simulation.runOverEthernet(seed, Simulation.profileOf(seed), Optional.empty()));
    }

    @Test
    void sameSeed_twice_takesTheSameCourse() {
        assertEquals(
                Simulation.runOverEthernet(1_000_000, Profile.CALM, Optional.empty())
                        .traceHash(),
                Simulation.runOverEthernet(1_000_000, Profile.CALM, Optional.empty())
                        .traceHash());
    }
}
