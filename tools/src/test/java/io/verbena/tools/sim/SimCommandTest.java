package io.verbena.tools.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.sim.Profile;
import io.verbena.tools.CliRun;
import org.junit.jupiter.api.Test;

class SimCommandTest {

    @Test
    void help_namesAllProfiles() {
        String help = CliRun.of("sim", "--help").out();
        for (Profile profile : Profile.values()) {
            assertTrue(help.matches("(?s).*\n  " + profile + " +" + profile.description() + "\n.*"), help);
        }
    }

    @Test
    void sim_oneSeed_isLoggedAndTheSameEachTime() {
        CliRun first = CliRun.of("sim", "--seed", "7", "--profile", "calm");
        assertEquals(0, first.code(), first.err());
        assertTrue(first.out().lines().count() > 10, first.out());
        assertTrue(first.out().contains("\nSeed 7, CALM (no faults): "), first.out());
        assertEquals(
                first.out(),
                CliRun.of("sim", "--seed", "7", "--profile", "CALM").out());
    }

    @Test
    void sim_manySeeds_areCounted() {
        CliRun run = CliRun.of("sim", "--seed", "1", "--count", "16", "--profile", "calm", "--json");
        assertEquals(0, run.code(), run.err());
        assertTrue(run.out().startsWith("{\"ok\":true,\"firstSeed\":1,\"profile\":\"CALM\",\"seeds\":16,"), run.out());
        assertEquals(1, run.out().lines().count());
    }

    @Test
    void sim_stopped_saysHowFarItCame() {
        try (CliRun run = CliRun.start("sim", "--count", "100000000", "--profile", "calm")) {
            run.interrupt();
            assertEquals(1, run.code());
            assertTrue(run.err().matches("verbena sim: Stopped after \\d+ of 100000000 seeds\\.\n"), run.err());
            assertTrue(run.out().contains(" passed: "), run.out());
        }
    }
}
