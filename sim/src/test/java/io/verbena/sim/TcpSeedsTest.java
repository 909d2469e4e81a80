package io.verbena.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.sim.model.Simulation;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * The programs of {@link SeedsTest} over the TCP of the library, whose packets are lost, duplicated, reordered and corrupted, checked
 * against the same reference model. {@code -Dverbena.seed=N} runs one seed with a log, {@code -Dverbena.fresh=N} sets the number
 * of seeds that no build has run before, {@code -Dverbena.freshFrom=N} the first one.
 */
class TcpSeedsTest {

    private static final int SEEDS = 12;
    private static final int FRESH_SEEDS = 8;

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

    @Test
    void seeds_fresh_meetTheModel() {
        int seeds = Integer.getInteger("verbena.fresh", FRESH_SEEDS);
        long first = Long.getLong("verbena.freshFrom", new SecureRandom().nextLong(1L << 48));
        System.out.printf("%d fresh seeds over TCP from %d; again with -Dverbena.freshFrom=%d%n", seeds, first, first);
        for (long seed = first; seed < first + seeds; seed++) {
            Simulation.runOverTcp(seed, Simulation.profileOf(seed), Optional.empty());
        }
    }

    @Test
    void sameSeed_twice_takesTheSameCourse() {
        assertEquals(
                Simulation.runOverTcp(1_000_000, Profile.CALM, Optional.empty()).traceHash(),
                Simulation.runOverTcp(1_000_000, Profile.CALM, Optional.empty()).traceHash());
    }
}
