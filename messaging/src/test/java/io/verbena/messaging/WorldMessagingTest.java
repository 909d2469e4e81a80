package io.verbena.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.fixture.Rounds;
import io.verbena.fixture.Seeds;
import io.verbena.sim.Medium;
import io.verbena.sim.Profile;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random runs in virtual time; {@code -Dverbena.seeds=N} for more of them, {@code -Dverbena.seed=S} for one, with a log by
 * {@code -Dverbena.log=true}.
 */
class WorldMessagingTest {

    private static final long SEEDS = Long.getLong("verbena.seeds", Rounds.of(25, 50));
    private static final int MEDIUM_SEEDS = 6;

    private static void runs(Profile profile, boolean wrongKeys) throws IOException {
        Long only = Long.getLong("verbena.seed");
        long first = only == null ? 0 : only;
        for (long seed = first; seed < first + (only == null ? SEEDS : 1); seed++) {
            one(seed, profile, wrongKeys);
        }
    }

    private static long one(long seed, Profile profile, boolean wrongKeys) throws IOException {
        try (WorldRun run = new WorldRun(seed, profile)) {
            run.run(wrongKeys);
            return run.traceHash();
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError("seed " + seed + ", profile " + profile + ": " + e.getMessage(), e);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"CALM", "TORN", "SLOW"})
    void badAcknowledgementsAndLittleMemory_noMessageIsLostDoubledReorderedOrAltered(Profile profile)
            throws IOException {
        runs(profile, false);
    }

    /** The last byte of a control message came after the rest, when its buffers had been freed. */
    @Test
    void controlMessageTornAtItsLastByte_buffersStayUntilItIsWhole() throws IOException {
        for (Profile profile : List.of(Profile.TORN, Profile.SLOW)) {
            try (WorldRun run = new WorldRun(profile == Profile.TORN ? 9 : 170, profile).pollingAlways()) {
                run.run(false);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"KILLED", "CORRUPT"})
    void connectionsBreak_noMessageIsDoubledReorderedOrAlteredAndAllSendsEnd(Profile profile) throws IOException {
        runs(profile, false);
    }

    @Test
    void wrongKeys_noMessageIsDoubledReorderedOrAlteredAndAllSendsEnd() throws IOException {
        runs(Profile.CALM, true);
    }

    /**
     * The same over each other medium, whose packets are lost, duplicated and reordered.
     */
    @Tag(Seeds.TAG)
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "STREAMS")
    void everyMedium_noMessageIsLostDoubledReorderedOrAltered(Medium medium) {
        Seeds.each(MEDIUM_SEEDS, seed -> over(medium, seed));
    }

    /** Once a staging buffer was replaced while go-back-N could need it. */
    @ParameterizedTest
    @ValueSource(longs = {1170, 1196})
    void acknowledgementOfARequestLost_stagingBufferStaysUntilItIsRepeated(long seed) throws IOException {
        over(Medium.ROCE_GO_BACK_N, seed);
    }

    private static void over(Medium medium, long seed) throws IOException {
        Profile profile = seed % 4 == 3 ? Profile.SLOW : Profile.CALM;
        try (WorldRun run = new WorldRun(seed, profile, medium)) {
            run.run(false);
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError("over " + medium + ": " + e.getMessage(), e);
        }
    }

    @Test
    void sameSeedTwice_sameTrace() throws IOException {
        long seed = Long.getLong("verbena.seed", 7);
        assertEquals(one(seed, Profile.TORN, false), one(seed, Profile.TORN, false));
    }
}
