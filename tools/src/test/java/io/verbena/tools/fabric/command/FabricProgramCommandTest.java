package io.verbena.tools.fabric.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.tools.CliRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ranks and disks on the endnodes of a simulated fabric. */
class FabricProgramCommandTest {

    @ParameterizedTest
    @ValueSource(strings = {"barrier", "broadcast", "ring", "all-to-all"})
    void ranks_onEndnodes_receiveWhatWasSent(String program) {
        CliRun run = CliRun.of("fabric", "program", program, "leaf-spine:2x2,hosts=2", "--rounds", "3", "--json");
        assertEquals(0, run.code(), run.out() + run.err());
        assertTrue(run.out().contains("\"ranks\":4,\"rounds\":3,"), run.out());
    }

    @Test
    void ranks_switchIsKilled_theManagerFindsAnotherWay() {
        CliRun run = CliRun.of(
                "fabric",
                "program",
                "ring",
                "leaf-spine:2x2,hosts=1",
                "--rounds",
                "6",
                "--size",
                "16k",
                "--manager",
                "up_down",
                "--fault",
                "5 down spine-0",
                "--json");
        assertEquals(0, run.code(), run.out() + run.err());
        assertTrue(run.out().matches("(?s).*\"sweeps\":([2-9]|\\d\\d).*"), run.out());
    }

    @Test
    void ranks_twiceWithASeed_figuresAreEqual() {
        String[] arguments = {"fabric", "program", "ring", "ring:3", "--rounds", "2", "--errors", "1e-2", "--json"};
        CliRun run = CliRun.of(arguments);
        assertEquals(0, run.code(), run.out() + run.err());
        assertEquals(run.out(), CliRun.of(arguments).out());
    }

    /** F1: the RAID subsystem and a card at an embedded switch are nodes with disks. */
    @Test
    void f1_disks_ofTheRaidAndOfAnIoUnit_containWhatTheHostWrote() {
        CliRun run = CliRun.of(
                "fabric",
                "program",
                "disk",
                "machine-room",
                "--disk",
                "raid",
                "--disk",
                "io1 card-2",
                "--rounds",
                "6",
                "--json");
        assertEquals(0, run.code(), run.out() + run.err());
        assertTrue(run.out().contains("\"disks\":2,\"blocks\":12,"), run.out());
    }

    /** A low-end adapter has no incoming RDMA, and a disk needs none: it reads the memory of the host. */
    @Test
    void f10_disk_behindALowEndAdapter_fetchesBlocksByRdmaRead_moreSlowly() {
        double fast = microseconds("host io1");
        double slow = microseconds("low-end io1");
        assertTrue(slow > 2 * fast, fast + " and " + slow);
        CliRun ranks = CliRun.of("fabric", "program", "ring", "ring:4", "--adapter", "low-end h1");
        assertEquals(2, ranks.code(), ranks.out() + ranks.err());
        assertTrue(ranks.err().contains("performs no incoming RDMA"), ranks.err());
    }

    private static double microseconds(String adapter) {
        CliRun run = CliRun.of(
                "fabric",
                "program",
                "disk",
                "machine-room",
                "--disk",
                "io1 card-2",
                "--rounds",
                "8",
                "--adapter",
                adapter,
                "--json");
        assertEquals(0, run.code(), run.out() + run.err());
        assertTrue(run.out().contains("\"disks\":1,"), run.out());
        return Double.parseDouble(run.out().replaceFirst("(?s).*\"virtualMicroseconds\":([0-9.]+).*", "$1"));
    }

    @Test
    void wrongValues_areRejectedInOneSentence() {
        for (String[] arguments : new String[][] {
            {"dance", "ring:4"},
            {"ring", "ring:4", "--nodes", "5"},
            {"ring", "ring:4", "--size", "4"},
            {"disk", "ring:4", "--disk", "nothing"},
        }) {
            String[] all = new String[arguments.length + 2];
            all[0] = "fabric";
            all[1] = "program";
            System.arraycopy(arguments, 0, all, 2, arguments.length);
            CliRun run = CliRun.of(all);
            assertEquals(2, run.code(), String.join(" ", arguments) + ": " + run.out() + run.err());
        }
    }
}
