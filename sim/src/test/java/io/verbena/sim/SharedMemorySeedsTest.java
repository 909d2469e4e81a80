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
 * The programs of {@link SeedsTest} through shared memory, checked against the same reference model. Each side sleeps
 * after every turn without news, so that a lost wake-up stops the program; the faults are those of the sockets and of the
 * processes. {@code -Dverbena.seed=N} runs one seed with a log, {@code -Dverbena.fresh=N} sets the number of seeds that no
 * build has run before, {@code -Dverbena.freshFrom=N} the first one.
 */
class SharedMemorySeedsTest {

    private static final int SEEDS = 100;
    private static final int FRESH_SEEDS = 60;

    @Test
    void seeds_everyProfile_meetTheModel() {
        Long only = Long.getLong("verbena.seed");
        if (only != null) {
            Consumer<String> log = System.out::println;
            Simulation.runOverSharedMemory(only, Simulation.profileOf(only), Optional.of(log));
            return;
        }
        try (RecordedCourses courses = new RecordedCourses("shm")) {
            for (long seed = 0; seed < SEEDS; seed++) {
                courses.took(Simulation.runOverSharedMemory(seed, Simulation.profileOf(seed), Optional.empty()));
            }
        }
    }

    @Test
    void seeds_fresh_meetTheModel() {
        int seeds = Integer.getInteger("verbena.fresh", FRESH_SEEDS);
        long first = Long.getLong("verbena.freshFrom", new SecureRandom().nextLong(1L << 48));
        System.out.printf(
                "%d fresh seeds through shared memory from %d; again with -Dverbena.freshFrom=%d%n",
                seeds, first, first);
        for (long seed = first; seed < first + seeds; seed++) {
            Simulation.runOverSharedMemory(seed, Simulation.profileOf(seed), Optional.empty());
        }
    }

    @ParameterizedTest
    @EnumSource
    void sameSeed_twice_takesTheSameCourse(Profile profile) {
        assertEquals(
                Simulation.runOverSharedMemory(1_000_000, profile, Optional.empty())
                        .traceHash(),
                Simulation.runOverSharedMemory(1_000_000, profile, Optional.empty())
                        .traceHash());
    }
}
