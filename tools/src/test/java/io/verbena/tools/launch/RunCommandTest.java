package io.verbena.tools.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.tools.CliRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunCommandTest {

    /** Runs ranks whose JVMs start with little work: each lives for a moment. */
    private static CliRun run(int ranks, String... more) {
        List<String> arguments = new ArrayList<>(List.of("run", "-n", String.valueOf(ranks)));
        arguments.addAll(List.of("--jvm=-XX:TieredStopAtLevel=1", "--jvm=-XX:+UseSerialGC"));
        arguments.addAll(List.of(more));
        return CliRun.of(arguments.toArray(String[]::new));
    }

    @Test
    void threeRanks_sendInARing_outputOfAllIsShown() {
        CliRun run = run(3, "--tag", "--", RunProbe.class.getName(), "14");
        assertEquals(0, run.code(), run.err());
        assertEquals("[0] sum 42\n", run.out());
    }

    @Test
    void aRankFails_runEndsAndNamesIt() {
        CliRun run = run(2, "--", RunProbe.class.getName(), "fail");
        assertEquals(1, run.code());
        assertTrue(run.err().contains("this rank breaks"), run.err());
        assertTrue(run.err().contains("Rank 1 ended with exit code 3"), run.err());
    }

    @Test
    void aRankEndsWithoutJoining_othersDoNotWaitForIt() {
        CliRun run = run(3, "--", RunProbe.class.getName(), "absent");
        assertEquals(1, run.code());
        // Those that had come before it ended report which rank is missing.
        assertTrue(
                run.err().contains("Missing: rank")
                        || run.err().contains("The job ended before all ranks had started."),
                run.err());
    }

    @Test
    void aRankHalts_othersAreNotifiedThatItDied() {
        CliRun run = run(3, "--tag", "--", RunProbe.class.getName(), "halt");
        assertEquals(1, run.code());
        for (String other : List.of("[0] ", "[1] ")) {
            assertTrue(
                    run.err()
                            .lines()
                            .anyMatch(line -> line.startsWith(other)
                                    && line.contains("RankFailedException")
                                    && line.contains("Rank 2 died")),
                    run.err());
        }
        assertFalse(run.err().contains("good order"), run.err());
        assertFalse(run.err().contains("gracefully"), run.err());
    }

    @Test
    void json_oneObjectOnStandardOutput_outputOfTheRanksBesideIt() {
        CliRun good = run(2, "--json", "--", RunProbe.class.getName(), "14");
        assertEquals(0, good.code(), good.err());
        assertEquals("sum 28\n", good.err());
        assertTrue(good.out().matches("\\{.*\"ok\":true.*}\n"), good.out());
        assertTrue(
                good.out().contains("\"ended\":[{\"rank\":0,\"exitCode\":0},{\"rank\":1,\"exitCode\":0}]"), good.out());

        CliRun bad = run(2, "--json", "--", RunProbe.class.getName(), "fail");
        assertEquals(1, bad.code());
        assertTrue(bad.out().matches("\\{.*\"ok\":false.*}\n"), bad.out());
        assertTrue(bad.out().contains("{\"rank\":1,\"exitCode\":3}"), bad.out());
        assertTrue(bad.out().contains("\"error\":\"Rank 1 ended with exit code 3.\""), bad.out());
    }

    @Test
    void sourceFile_runsWithoutBeingCompiledBefore(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("Hello.java");
        Files.writeString(file, """
            import io.verbena.messaging.Communicator;

            public class Hello {
                public static void main(String[] args) throws Exception {
                    try (Communicator world = Communicator.world()) {
                        world.barrier();
                        if (world.rank() == 0) {
                            System.out.println("hello from " + world.size());
                        }
                    }
                }
            }
            """);
        CliRun run = run(2, "--", file.toString());
        assertEquals(0, run.code(), run.err());
        assertEquals("hello from 2\n", run.out());
    }

    @Test
    void programForThePackageMpi_runsAsItIs() {
        CliRun run = run(2, "--", "../mpi/src/test/java/mpi/examples/Hello.java");
        assertEquals(0, run.code(), run.err());
        assertTrue(run.out().contains("Hello from rank 1 of 2\n"), run.out());
        assertTrue(run.out().contains("The sum of all ranks is 1\n"), run.out());
    }

    /** What ssh does, without another host: a shell runs the text that follows the name of the host. */
    private static String ssh(Path folder) throws Exception {
        Path script =
                Files.writeString(folder.resolve("ssh"), "#!/bin/sh\necho \"on $1\" >&2\nexec /bin/sh -c \"$2\"\n");
        assertTrue(script.toFile().setExecutable(true));
        return script.toString();
    }

    @Test
    void hosts_ranksAreStartedBySsh_andMeetThoseHere(@TempDir Path folder) throws Exception {
        CliRun run = CliRun.of(
                "run",
                "--hosts",
                "localhost,user@far:2",
                "--address",
                "127.0.0.1",
                "--ssh",
                ssh(folder),
                "--jvm=-XX:TieredStopAtLevel=1",
                "--tag",
                "--",
                RunProbe.class.getName(),
                "14");
        assertEquals(0, run.code(), run.err());
        assertEquals("[0] sum 42\n", run.out());
        assertTrue(run.err().contains("[1] on user@far\n") && run.err().contains("[2] on user@far\n"), run.err());
    }

    @Test
    void hosts_aRankThereHalts_itsExitCodeArrives_andOthersAreEnded(@TempDir Path folder) throws Exception {
        CliRun run = CliRun.of(
                "run",
                "--hosts",
                "localhost:1,far:1",
                "--address",
                "127.0.0.1",
                "--ssh",
                ssh(folder),
                "--",
                RunProbe.class.getName(),
                "fail");
        assertEquals(1, run.code());
        assertTrue(run.err().contains("Rank 1 ended with exit code 3"), run.err());
    }

    @Test
    void hosts_aHostWithoutRanksOrName_isAUsageProblem() {
        for (String hosts : List.of("a:0", "a:-1", "a:x", "", ",a", "-oProxyCommand=x:2", "a:99999", "a b")) {
            CliRun run = CliRun.of("run", "--hosts", hosts, "--", "X");
            assertEquals(2, run.code(), hosts);
            assertTrue(run.err().contains("--hosts"), run.err());
        }
        assertTrue(CliRun.of("run", "-n", "9", "--hosts", "a:4,b:4", "--", "X")
                .err()
                .contains("only 8"));
        CliRun unknown = CliRun.of("run", "--hosts", "no-such-host.invalid", "--", "X");
        assertEquals(1, unknown.code());
        assertTrue(unknown.err().contains("set --address"), unknown.err());
    }

    @Test
    void noRanks_isAUsageProblem() {
        assertEquals(2, CliRun.of("run", "-n", "0", "--", "X").code());
        assertEquals(2, CliRun.of("run", "--", "X").code());
    }
}
