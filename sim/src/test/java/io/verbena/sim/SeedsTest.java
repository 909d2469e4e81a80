package io.verbena.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Rounds;
import io.verbena.fixture.Seeds;
import io.verbena.sim.model.Simulation;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Thousands of programs over simulated RNICs, each checked against the reference model. {@code -Dverbena.seeds=N} sets
 * the number, {@code -Dverbena.seed=N} runs one seed with a log, {@code -Dverbena.profile=P} selects the kind of
 * faults. A failure prints the command that replays it.
 *
 * <p>A fresh seed ({@link Seeds}) that fails is added to
 * {@link #seed_thatOnceFailed_meetsTheModel}.
 */
class SeedsTest {

    /** Those whose courses are recorded: each is compared with the course that it took when it was recorded. */
    private static final int USUAL_SEEDS = Rounds.of(1_000, 4_000);

    private static final long FIRST_MORE = 2_000_000;

    /** In an ordinary build few: the recorded ones show the same, and fresh ones are a part of their own. */
    private static final int USUAL_MORE_SEEDS = Rounds.of(30, 300);

    /** Few, because the recorded courses show the same: they were taken by another build, on another machine. */
    private static final long REPEATED = Rounds.of(2, 12);

    private static final long MANY_HOURS = 12;

    @Test
    @Timeout(value = MANY_HOURS, unit = java.util.concurrent.TimeUnit.HOURS)
    void seeds_everyProfile_meetTheModel() {
        Optional<Profile> profile =
                Optional.ofNullable(System.getProperty("verbena.profile")).map(Profile::named);
        Long only = Long.getLong("verbena.seed");
        if (only != null) {
            Consumer<String> log = System.out::println;
            Simulation.run(only, profile.orElseGet(() -> Simulation.profileOf(only)), Optional.of(log));
            return;
        }
        int seeds = Integer.getInteger("verbena.seeds", USUAL_SEEDS);
        Map<Profile, Long> operations = new EnumMap<>(Profile.class);
        long began = System.nanoTime();
        try (RecordedCourses courses = new RecordedCourses("iwarp")) {
            for (int i = 0; i < seeds; i++) {
                long seed = i;
                Simulation.Report report = Simulation.run(seed, profile.orElseGet(() -> Simulation.profileOf(seed)));
                operations.merge(report.profile(), report.operations(), Long::sum);
                if (profile.isEmpty()) {
                    courses.took(report);
                }
            }
        }
        double seconds = (System.nanoTime() - began) * 1e-9;
        System.out.printf("%d seeds in %.1f s; work requests: %s%n", seeds, seconds, operations);
        assertTrue(seeds < 100 || operations.values().stream().allMatch(count -> count > 0), "a profile did nothing");
    }

    @Tag(Seeds.TAG)
    @Test
    @Timeout(value = MANY_HOURS, unit = java.util.concurrent.TimeUnit.HOURS)
    void moreSeeds_meetTheModel() {
        Seeds.each(FIRST_MORE, USUAL_MORE_SEEDS, seed -> Simulation.run(seed, Simulation.profileOf(seed)));
    }

    /**
     * Each of these seeds once detected a bug, and detects it again as long as the programs of the simulation remain
     * unchanged.
     */
    @ParameterizedTest
    @CsvSource({"41, MISUSE", "357, MISUSE", "5781, MISUSE", "908463431466, SLOW", "250938416275, CLOSING"})
    void seed_thatOnceFailed_meetsTheModel(long seed, Profile profile) {
        Simulation.run(seed, profile);
    }

    /** The clocks of these seeds start so close to the wrap-around that deadlines are after it. */
    @ParameterizedTest
    @ValueSource(longs = {783327235, 500741, 3000074, 6000138, 27742398620459L})
    void seed_whoseClockWraps_meetsTheModel(long seed) {
        for (Profile profile : Profile.values()) {
            Simulation.run(seed, profile);
        }
    }

    @ParameterizedTest
    @EnumSource
    void sameSeed_twice_takesTheSameCourse(Profile profile) {
        for (long seed = 1_000_000; seed < 1_000_000 + REPEATED; seed++) {
            assertEquals(
                    Simulation.run(seed, profile, Optional.empty()).traceHash(),
                    Simulation.run(seed, profile, Optional.empty()).traceHash(),
                    "seed " + seed + " of " + profile);
        }
    }

    @ParameterizedTest
    @EnumSource
    void sameSeed_withALog_takesTheSameCourse(Profile profile) {
        List<String> lines = new ArrayList<>();
        long logged = Simulation.run(77, profile, Optional.of(lines::add)).traceHash();
        assertEquals(Simulation.run(77, profile, Optional.empty()).traceHash(), logged);
        assertTrue(lines.stream().anyMatch(line -> line.contains("MPA request")), "the log shows what is on the wire");
    }
}
