package io.verbena.tools.fabric.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.tools.CliRun;
import org.junit.jupiter.api.Test;

class FabricRunCommandTest {

    @Test
    void run_twiceWithASeed_figuresAreEqual() {
        String[] arguments = {
            "fabric", "run", "leaf-spine:4x2", "--load", "0.3", "--errors", "1e-3", "--time", "3", "--json", "-q"
        };
        CliRun first = CliRun.of(arguments);
        assertEquals(0, first.code(), first.err());
        assertTrue(first.out().startsWith("{\"ok\":true,\"endnodes\":"), first.out());
        assertTrue(first.out().contains("\"routes\":\"up/down\""), first.out());
        assertTrue(first.out().matches("(?s).*\"flitsResent\":[1-9].*\"deadlock\":\\[\\].*"), first.out());
        assertEquals(first.out(), CliRun.of(arguments).out());
    }

    @Test
    void f3_lostCredits_areNoticed_andTrafficContinues() {
        String fault = "0 credits leaf-0 to spine-1 0.5";
        CliRun run = CliRun.of(
                "fabric", "run", "leaf-spine:4x2", "--load", "0.3", "--time", "40", "--json", "-q", "--fault", fault);
        assertEquals(0, run.code(), run.err());
        assertTrue(run.out().matches("(?s).*\"creditsLost\":[1-9].*\"creditsRestored\":[1-9].*"), run.out());
        CliRun verbs = CliRun.of(
                "fabric", "verbs", "leaf-spine:2x2,hosts=2", "--messages", "100", "--fault", fault, "--json", "-q");
        assertEquals(0, verbs.code(), verbs.out() + verbs.err());
        assertTrue(verbs.out().contains("\"packetsLost\":0"), verbs.out());
        assertTrue(verbs.out().matches("(?s).*\"creditsRestored\":[1-9].*"), verbs.out());
        CliRun certain = CliRun.of("fabric", "run", "leaf-spine:4x2", "--fault", "0 credits leaf-0 to spine-1 1");
        assertEquals(2, certain.code(), certain.out());
    }

    @Test
    void run_ringWithOneLane_reportsTheDeadlock() {
        CliRun run = CliRun.of(
                "fabric", "run", "ring:8", "--pattern", "tornado", "--load", "1", "--lanes", "1", "--frame", "4096");
        assertEquals(1, run.code(), run.err());
        assertTrue(run.out().contains("DEADLOCK: s-"), run.out());
    }

    @Test
    void run_withAnEngine_usesTheTablesOfTheSubnetManager() {
        CliRun tree = CliRun.of("fabric", "run", "mesh:4x4", "--routing", "up_down", "--time", "3", "--json", "-q");
        assertEquals(0, tree.code(), tree.err());
        assertTrue(tree.out().contains("\"routes\":\"up/down\""), tree.out());
        assertTrue(tree.out().contains("\"discarded\":0"), tree.out());
        CliRun ring = CliRun.of(
                "fabric",
                "run",
                "ring:8",
                "--routing",
                "minhop",
                "--pattern",
                "tornado",
                "--load",
                "1",
                "--frame",
                "4096");
        assertEquals(1, ring.code(), ring.err());
        assertTrue(ring.out().contains("DEADLOCK: "), ring.out());
    }

    @Test
    void run_wrongValues_areRejectedInOneSentence() {
        for (String[] arguments : new String[][] {
            {"ring:8", "--load", "1.5"},
            {"ring:8", "--lanes", "16"},
            {"ring:8", "--errors", "1"},
            {"ring:8", "--frame", "0"},
            {"ring:8", "--time", "0"},
            {"ring:1"},
            {"dragonfly:40x40x40"},
            {"torus:4x4", "--switch", "virtual-output-queues"}
        }) {
            String[] all = new String[arguments.length + 2];
            all[0] = "fabric";
            all[1] = "run";
            System.arraycopy(arguments, 0, all, 2, arguments.length);
            CliRun run = CliRun.of(all);
            assertEquals(2, run.code(), String.join(" ", arguments) + ": " + run.out() + run.err());
            assertTrue(run.err().startsWith("verbena fabric run: "), run.err());
        }
    }
}
