package io.verbena.messaging.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.messaging.Bootstrap;
import io.verbena.messaging.start.JobSecret;
import io.verbena.messaging.start.Meeting;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each row of {@link LaunchEnvironment} with real processes, whose environment is that of the launcher. */
class LaunchersTest {

    private static final String SECRET = "0123456789abcdef0123456789abcdef";

    private static void expectAll(int size, IntFunction<Map<String, String>> environment, String... options)
            throws Exception {
        try (RankJob job = new RankJob()) {
            for (int rank = 0; rank < size; rank++) {
                job.start(RankJob.command(options), environment.apply(rank));
            }
            job.expectAll();
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @Test
    void verbenaRun_serverWaitsForTheRanks() throws Exception {
        JobSecret secret = JobSecret.random();
        InetSocketAddress anywhere = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (Meeting meeting = Bootstrap.serve(anywhere, 2, secret)) {
            int port = meeting.address().getPort();
            expectAll(
                    2,
                    rank -> Map.of(
                            "VERBENA_RANK",
                            "" + rank,
                            "VERBENA_SIZE",
                            "2",
                            "VERBENA_BOOTSTRAP",
                            "127.0.0.1:" + port,
                            "VERBENA_SECRET",
                            secret.text()));
        }
    }

    /** Bash can open a socket under a number, which the JVM inherits. */
    private static List<String> withSocket(int port) {
        assumeTrue(Files.isExecutable(Path.of("/bin/bash")), "bash opens the socket of PMI_FD");
        List<String> command = new ArrayList<>(
                List.of("/bin/bash", "-c", "exec 7<>/dev/tcp/127.0.0.1/" + port + "; exec \"$@\"", "rank"));
        command.addAll(RankJob.command());
        return command;
    }

    @ParameterizedTest
    @CsvSource({"1,0", "1,3", "2,0", "2,1", "1,3.0", "2,3.0"})
    void pmi_overAnInheritedSocket_bothVersions_whateverIsAskedFirst(int version, String job) throws Exception {
        try (PmiServer server = new PmiServer(2, Set.of(version));
                RankJob ranks = new RankJob()) {
            for (int rank = 0; rank < 2; rank++) {
                Map<String, String> environment =
                        new HashMap<>(Map.of("PMI_FD", "7", "PMI_RANK", "" + rank, "PMI_SIZE", "2"));
                if (!job.equals("0")) {
                    environment.put("PMI_JOBID", job);
                }
                if (job.equals("3.0")) {
                    environment.put("MPI_LOCALNRANKS", "2");
                }
                ranks.start(withSocket(server.port()), environment);
            }
            ranks.expectAll();
            assertEquals(2, server.left());
        }
    }

    @Test
    void pmiPort_launcherTellsTheRankToo() throws Exception {
        try (PmiServer server = new PmiServer(3, Set.of(1))) {
            expectAll(3, rank -> Map.of("PMI_PORT", "127.0.0.1:" + server.port(), "PMI_ID", "" + rank));
            assertEquals(3, server.left());
        }
    }

    @Test
    void openMpi_onOneMachine_meetsInTheFolderOfTheJob(@TempDir Path folder) throws Exception {
        expectAll(
                2,
                rank -> Map.of(
                        "OMPI_COMM_WORLD_RANK",
                        "" + rank,
                        "OMPI_COMM_WORLD_SIZE",
                        "2",
                        "OMPI_COMM_WORLD_LOCAL_SIZE",
                        "2",
                        "PMIX_SERVER_TMPDIR",
                        folder.toString(),
                        "PMIX_NAMESPACE",
                        "prterun-host-123@1"));
    }

    @Test
    void openMpi_onSeveralMachines_meetsWhereVerbenaBootstrapSays() throws Exception {
        String meeting = "127.0.0.1:" + freePort();
        expectAll(
                2,
                rank -> Map.of(
                        "OMPI_COMM_WORLD_RANK",
                        "" + rank,
                        "OMPI_COMM_WORLD_SIZE",
                        "2",
                        "OMPI_COMM_WORLD_LOCAL_SIZE",
                        "1",
                        "VERBENA_BOOTSTRAP",
                        meeting,
                        "VERBENA_SECRET",
                        SECRET));
    }

    @ParameterizedTest
    @CsvSource({"1", "2"})
    void slurm_meetsAtTheFirstNode(String nodes) throws Exception {
        String port = "" + freePort();
        expectAll(
                2,
                rank -> Map.of(
                        "SLURM_PROCID",
                        "" + rank,
                        "SLURM_STEP_ID",
                        "0",
                        "SLURM_NTASKS",
                        "2",
                        "SLURM_JOB_ID",
                        "4711",
                        "SLURM_NNODES",
                        nodes,
                        "SLURM_JOB_NODELIST",
                        nodes.equals("1") ? "node[07-08]" : "localhost,node[07-08]",
                        "VERBENA_PORT",
                        port,
                        "VERBENA_SECRET",
                        SECRET));
    }

    @ParameterizedTest
    @CsvSource({"False,1", "True,2"})
    void torchrun_meetsAtTheMaster_besideTheStoreOfTheAgent(String agentStore, String localSize) throws Exception {
        int port = freePort();
        expectAll(
                2,
                rank -> Map.of(
                        "RANK",
                        "" + rank,
                        "WORLD_SIZE",
                        "2",
                        "LOCAL_WORLD_SIZE",
                        localSize,
                        "MASTER_ADDR",
                        "localhost",
                        "MASTER_PORT",
                        "" + (agentStore.equals("True") ? port - 1 : port),
                        "TORCHELASTIC_USE_AGENT_STORE",
                        agentStore,
                        "VERBENA_SECRET",
                        SECRET));
    }

    /** The name server of a cluster. */
    private static String hosts(Path folder, String name) throws IOException {
        return "-Djdk.net.hosts.file=" + Files.writeString(folder.resolve("hosts"), "127.0.0.1 " + name + "\n");
    }

    @Test
    void indexedJob_meetsAtThePodOfIndex0(@TempDir Path folder) throws Exception {
        String port = "" + freePort();
        expectAll(
                2,
                rank -> Map.of(
                        "JOB_COMPLETION_INDEX",
                        "" + rank,
                        "HOSTNAME",
                        "heat-" + rank,
                        "VERBENA_SIZE",
                        "2",
                        "VERBENA_SERVICE",
                        "ranks",
                        "VERBENA_PORT",
                        port,
                        "VERBENA_SECRET",
                        SECRET),
                hosts(folder, "heat-0.ranks"));
    }

    @Test
    void jobSet_countsThePodsOfAllJobs_meetsAtTheCoordinator(@TempDir Path folder) throws Exception {
        String port = "" + freePort();
        expectAll(
                4,
                rank -> Map.of(
                        "JOB_COMPLETION_INDEX",
                        "" + rank % 2,
                        "VERBENA_JOB_INDEX",
                        "" + rank / 2,
                        "VERBENA_JOB_PODS",
                        "2",
                        "VERBENA_SIZE",
                        "4",
                        "VERBENA_COORDINATOR",
                        "heat-ranks-0-0.heat",
                        "VERBENA_PORT",
                        port,
                        "VERBENA_SECRET",
                        SECRET),
                hosts(folder, "heat-ranks-0-0.heat"));
    }

    // Ranks that do not come, and those that come twice.

    private static Map<String, String> torchrun(int rank, int size, int port) {
        return Map.of(
                "RANK",
                "" + rank,
                "WORLD_SIZE",
                "" + size,
                "MASTER_ADDR",
                "127.0.0.1",
                "MASTER_PORT",
                "" + port,
                "VERBENA_START_SECONDS",
                "3",
                "VERBENA_SECRET",
                SECRET);
    }

    @Test
    void aRankDoesNotCome_othersEndWithASentenceThatNamesIt() throws Exception {
        int port = freePort();
        try (RankJob job = new RankJob()) {
            job.start(RankJob.command(), torchrun(0, 3, port));
            job.start(RankJob.command(), torchrun(2, 3, port));
            job.expectSentence("Only 2 of 3 ranks have arrived. Missing: rank 1.");
        }
    }

    @Test
    void rank0DoesNotCome_othersEndWithASentence(@TempDir Path folder) throws Exception {
        int port = freePort();
        try (RankJob job = new RankJob()) {
            job.start(RankJob.command(), torchrun(1, 2, port));
            job.start(
                    RankJob.command(),
                    Map.of(
                            "OMPI_COMM_WORLD_RANK",
                            "1",
                            "OMPI_COMM_WORLD_SIZE",
                            "2",
                            "OMPI_COMM_WORLD_LOCAL_SIZE",
                            "2",
                            "PMIX_SERVER_TMPDIR",
                            folder.toString(),
                            "PMIX_NAMESPACE",
                            "1",
                            "VERBENA_START_SECONDS",
                            "3"));
            job.expectSentence("it is rank 0 that listens there", "Rank 0 has not come");
        }
    }

    @Test
    void aRankOfHydraDoesNotCome_theOtherEndsWithASentence() throws Exception {
        try (PmiServer server = new PmiServer(2, Set.of(1));
                RankJob job = new RankJob()) {
            job.start(
                    RankJob.command(),
                    Map.of("PMI_PORT", "127.0.0.1:" + server.port(), "PMI_ID", "1", "VERBENA_START_SECONDS", "3"));
            job.expectSentence("A rank of the job has not come");
        }
    }

    @Test
    void aRankComesTwice_theSecondIsRejected() throws Exception {
        int port = freePort();
        try (RankJob job = new RankJob()) {
            job.start(RankJob.command(), torchrun(0, 3, port));
            job.start(RankJob.command(), torchrun(1, 3, port));
            job.start(RankJob.command(), torchrun(1, 3, port));
            job.expectSentence("Rank 1 has arrived already.", "Missing: rank 2.");
        }
    }

    @Test
    void rank0ComesTwice_theSecondCannotListen() throws Exception {
        int port = freePort();
        try (RankJob job = new RankJob()) {
            job.start(RankJob.command(), torchrun(0, 2, port));
            job.start(RankJob.command(), torchrun(0, 2, port));
            job.expectSentence("The ranks cannot meet at", "Missing: rank 1.");
        }
    }

    // The launchers of others, where they are installed.

    private static List<String> launched(String program, String... options) {
        String path = System.getenv().getOrDefault("PATH", "");
        boolean installed = Stream.of(path.split(":")).anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
        assumeTrue(installed, program + " is not installed");
        List<String> command = new ArrayList<>(List.of(program));
        command.addAll(List.of(options));
        command.addAll(RankJob.command());
        return command;
    }

    private static void expectFour(List<String> command) throws Exception {
        try (RankJob job = new RankJob()) {
            job.start(command, Map.of("OMPI_ALLOW_RUN_AS_ROOT", "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"));
            String output = job.outputs(0).getFirst();
            for (int rank = 0; rank < 4; rank++) {
                assertTrue(output.contains("rank " + rank + " of 4, sum 6"), output);
            }
            assertFalse(output.contains("WARNING"), output);
        }
    }

    @Test
    void hydra_startsFourRanks() throws Exception {
        expectFour(launched("mpiexec.hydra", "-n", "4"));
    }

    @Test
    void hydraWithAPort_startsFourRanks() throws Exception {
        expectFour(launched("mpiexec.hydra", "-pmi-port", "-n", "4"));
    }

    @Test
    void mpirunOfOpenMpi_startsFourRanks_withoutVariables() throws Exception {
        expectFour(launched("mpirun.openmpi", "--oversubscribe", "-n", "4"));
    }
}
