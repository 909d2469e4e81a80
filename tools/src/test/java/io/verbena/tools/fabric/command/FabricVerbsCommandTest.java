package io.verbena.tools.fabric.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.tools.CliRun;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FabricVerbsCommandTest {

    @Test
    void verbs_twiceWithASeed_figuresAreEqual() {
        String[] arguments = {
            "fabric",
            "verbs",
            "torus:2x2",
            "--pattern",
            "all-to-all",
            "--message",
            "2k",
            "--messages",
            "3",
            "--errors",
            "1e-2",
            "--json",
            "-q"
        };
        CliRun first = CliRun.of(arguments);
        assertEquals(0, first.code(), first.err());
        assertTrue(first.out().startsWith("{\"ok\":true,\"endnodes\":4,\"connections\":12,"), first.out());
        assertTrue(first.out().contains("\"completed\":36,"), first.out());
        assertTrue(first.out().matches("(?s).*\"flitsResent\":[1-9].*"), first.out());
        assertEquals(first.out(), CliRun.of(arguments).out());
    }

    @Test
    void verbs_withCapture_writesEveryPacket(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("ring.pcapng");
        CliRun run = CliRun.of("fabric", "verbs", "ring:3", "--messages", "1", "--capture", file.toString());
        assertEquals(0, run.code(), run.err());
        assertTrue(run.out().contains("3 of 3 messages completed and were correct"), run.out());
        assertTrue(Files.size(file) > 3 * (16 << 10));
        CliRun again = CliRun.of("fabric", "verbs", "ring:3", "--capture", file.toString());
        assertEquals(1, again.code());
        assertTrue(again.err().contains("exists already; name a new one"), again.err());
    }

    @Test
    void verbs_switchBreaks_connectionsMigrateOrFail() {
        String[] arguments = {
            "fabric",
            "verbs",
            "leaf-spine:2x2,hosts=2,ports=2",
            "--messages",
            "40",
            "--fault",
            "20 down spine-1",
            "--json"
        };
        CliRun migrates = CliRun.of(arguments);
        assertEquals(0, migrates.code(), migrates.err() + migrates.out());
        assertTrue(migrates.out().contains("\"completed\":160,\"failedConnections\":0"), migrates.out());
        assertTrue(migrates.out().matches("(?s).*\"packetsLost\":[1-9].*"), migrates.out());
        arguments[2] = "leaf-spine:2x2,hosts=2";
        CliRun fails = CliRun.of(arguments);
        assertEquals(1, fails.code(), fails.err() + fails.out());
        assertTrue(fails.out().matches("(?s).*\"failedConnections\":[1-9].*"), fails.out());
    }

    @Test
    void f10_lowEndAdapter_receivesWritesBySoftware_andTakesLonger() {
        String[] arguments = {"fabric", "verbs", "ring:4", "--adapter", "low-end h3", "--adapter", "io h2"};
        CliRun run = CliRun.of(arguments);
        assertEquals(0, run.code(), run.err());
        assertTrue(run.out().contains("128 of 128 messages completed and were correct"), run.out());
        assertTrue(
                run.out().matches("(?s).*latency by kind of adapter: host mean .* µs, io mean .* µs, low-end mean .*"),
                run.out());
        assertEquals(run.out(), CliRun.of(arguments).out());
    }

    @Test
    void verbs_wrongValues_areRejectedInOneSentence() {
        for (String[] arguments : new String[][] {
            {"ring:4", "--nodes", "1"},
            {"ring:4", "--nodes", "5"},
            {"ring:4", "--depth", "0"},
            {"ring:4", "--message", "4"},
            {"ring:4", "--message", "1g"},
            {"ring:4", "--levels", "17"},
            {"ring:4", "--lanes", "16"},
            {"ring:4", "--time", "0"},
            {"ring:4", "--fault", "20 down spine-0"},
            {"leaf-spine:2x2", "--fault", "20 down spine-9"},
            {"leaf-spine:2x2", "--fault", "spine-0"},
            {"leaf-spine:2x2", "--fault", "x down spine-0"},
            {"leaf-spine:2x2", "--fault", "20 down spine-0 to spine-1"},
            {"leaf-spine:2x2", "--fault", "20 errors spine-0 to leaf-0 2"},
            {"leaf-spine:2x2", "--lmc", "1"},
            {"ring:4", "--adapter", "low-end h9"},
            {"ring:4", "--adapter", "low-end"},
            {"ring:4", "--adapter", "slow h1"},
            {"ring:16", "--adapter", "low-end h1", "--pattern", "all-to-all"},
            {"ring:0"}
        }) {
            String[] all = new String[arguments.length + 2];
            all[0] = "fabric";
            all[1] = "verbs";
            System.arraycopy(arguments, 0, all, 2, arguments.length);
            CliRun run = CliRun.of(all);
            assertEquals(2, run.code(), String.join(" ", arguments) + ": " + run.out() + run.err());
            assertTrue(run.err().startsWith("verbena fabric verbs: "), run.err());
        }
    }
}
