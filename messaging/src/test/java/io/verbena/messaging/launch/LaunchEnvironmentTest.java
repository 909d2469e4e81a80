package io.verbena.messaging.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.messaging.start.JobStartException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The table of environments: what is read from variables, and what malformed ones cause. */
class LaunchEnvironmentTest {

    /** NAME=VALUE, separated by spaces. */
    private static Map<String, String> variables(String text) {
        Map<String, String> variables = new LinkedHashMap<>();
        for (String each : text.split(" ")) {
            if (!each.isEmpty()) {
                variables.put(each.substring(0, each.indexOf('=')), each.substring(each.indexOf('=') + 1));
            }
        }
        return variables;
    }

    @ParameterizedTest
    @CsvSource({
        "VERBENA_RANK=1 VERBENA_SIZE=3 VERBENA_BOOTSTRAP=h:1, VERBENA, 1, 3, h:1",
        "OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=3 VERBENA_BOOTSTRAP=h:1, OPEN_MPI, 1, 3, h:1",
        "RANK=2 WORLD_SIZE=4 MASTER_ADDR=m MASTER_PORT=29500, TORCHRUN, 2, 4, m:29500",
        "RANK=2 WORLD_SIZE=4 MASTER_ADDR=m MASTER_PORT=29500 TORCHELASTIC_USE_AGENT_STORE=True, TORCHRUN, 2, 4, m:29501",
        "RANK=2 WORLD_SIZE=4 LOCAL_WORLD_SIZE=4 MASTER_ADDR=m MASTER_PORT=29500, TORCHRUN, 2, 4, 127.0.0.1:29500",
        "SLURM_PROCID=5 SLURM_STEP_ID=0 SLURM_NTASKS=8 SLURM_JOB_ID=10 SLURM_JOB_NODELIST=n[3-4], SLURM, 5, 8, n3:20310",
        "SLURM_PROCID=0 SLURM_STEP_ID=0 SLURM_NTASKS=9 SLURM_STEP_NUM_TASKS=8 VERBENA_PORT=7 SLURM_STEP_NODELIST=a,"
                + " SLURM, 0, 8, a:7",
        "JOB_COMPLETION_INDEX=3 HOSTNAME=heat-3 VERBENA_SIZE=4 VERBENA_SERVICE=ranks, INDEXED_JOB, 3, 4, heat-0.ranks:7471",
        "JOB_COMPLETION_INDEX=1 VERBENA_JOB_INDEX=2 VERBENA_JOB_PODS=4 VERBENA_SIZE=12 VERBENA_COORDINATOR=h-0-0.h, JOB_SET, 9,"
                + " 12, h-0-0.h:7471",
    })
    void variables_sayWhatTheRankIs(String text, LaunchEnvironment launcher, int rank, int size, String address)
            throws IOException {
        Map<String, String> environment = variables(text);
        assertEquals(Optional.of(launcher), LaunchEnvironment.of(environment));
        Placement placement = LaunchEnvironment.placement(environment);
        assertEquals(rank, placement.rank());
        assertEquals(size, placement.size());
        String where = placement.place() instanceof MeetingPlace.Server(String server)
                ? server
                : assertInstanceOf(MeetingPlace.FirstRank.class, placement.place())
                        .address();
        assertEquals(address, where);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "VERBENA_RANK=",
                "RANK=1 WORLD_SIZE=3",
                "JOB_COMPLETION_INDEX=1 HOSTNAME=a-1",
                "SLURM_PROCID=0 SLURM_NTASKS=4",
                "PMI_RANK=1 PMI_SIZE=2",
                "VERBENA_RANK=0 VERBENA_SIZE=1",
                "OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1",
                "PMI_FD=9 PMI_RANK=0 PMI_SIZE=1"
            })
    void withoutALauncher_orAloneInItsJob_aProcessIsTheOnlyRank(String text) throws IOException {
        Placement placement = LaunchEnvironment.placement(variables(text));
        assertEquals(new Placement(0, 1, new MeetingPlace.Alone()), placement);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "VERBENA_RANK=0 | VERBENA_SIZE is not set",
                "VERBENA_RANK=x VERBENA_SIZE=2 | VERBENA_RANK must be a number, not 'x'",
                "VERBENA_RANK=2 VERBENA_SIZE=2 | There is no rank 2 in a job of 2 ranks",
                "VERBENA_RANK=-1 VERBENA_SIZE=2 | There is no rank -1",
                "VERBENA_RANK=0 VERBENA_SIZE=99999999 | job of 99999999 ranks",
                "VERBENA_RANK=0 VERBENA_SIZE=99999999999 | must be a number",
                "PMI_FD=9 PMI_RANK=0 | PMI_SIZE is not set",
                "PMI_FD=9 PMI_RANK=3 PMI_SIZE=3 | There is no rank 3",
                "PMI_FD=x PMI_RANK=0 PMI_SIZE=3 | PMI_FD must be a number",
                "PMI_FD=1 PMI_RANK=0 PMI_SIZE=3 | PMI_FD must be the number of a socket",
                "PMI_PORT=nowhere PMI_ID=0 | PMI_PORT must be HOST:PORT, not 'nowhere'",
                "PMI_PORT=h:0 PMI_ID=0 | must be 1 to 65535, not 0",
                "PMI_PORT=127.0.0.1:1 PMI_ID=0 | does not answer at 127.0.0.1:1",
                "OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=-3 | job of -3 ranks",
                "OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_SIZE=2 PMIX_SERVER_TMPDIR=/ PMIX_NAMESPACE=../x"
                        + " | '../x' is no name of a job",
                "RANK=0 WORLD_SIZE=2 MASTER_ADDR=a | MASTER_PORT is not set",
                "RANK=0 WORLD_SIZE=2 MASTER_ADDR=a MASTER_PORT=70000 | MASTER_PORT must be a port, 1 to 65535, not 70000",
                "SLURM_PROCID=0 SLURM_STEP_ID=0 | SLURM_NTASKS is not set",
                "SLURM_PROCID=0 SLURM_STEP_ID=0 SLURM_NTASKS=2 SLURM_JOB_NODELIST=a[1- | 'a[1-' is no list of Slurm's nodes",
                "JOB_COMPLETION_INDEX=1 HOSTNAME=heat-3 VERBENA_SIZE=4 VERBENA_SERVICE=r | HOSTNAME is 'heat-3'",
                "JOB_COMPLETION_INDEX=1 HOSTNAME=heat-1 VERBENA_SIZE=4 | VERBENA_SERVICE is not set",
                "JOB_COMPLETION_INDEX=4 HOSTNAME=heat-4 VERBENA_SIZE=4 VERBENA_SERVICE=r | There is no rank 4",
                "JOB_COMPLETION_INDEX=4 VERBENA_JOB_INDEX=0 VERBENA_JOB_PODS=4 VERBENA_SIZE=8 VERBENA_COORDINATOR=c | no pod 4",
                "JOB_COMPLETION_INDEX=0 VERBENA_JOB_INDEX=2000000000 VERBENA_JOB_PODS=4 VERBENA_SIZE=8 VERBENA_COORDINATOR=c"
                        + " | no pod 0 in job 2000000000"
            })
    void malformedVariables_areNamed(String text, String words) {
        JobStartException failure =
                assertThrows(JobStartException.class, () -> LaunchEnvironment.placement(variables(text)));
        String sentence = String.valueOf(failure.getMessage());
        assertTrue(sentence.contains(words), sentence);
        assertTrue(sentence.contains("This rank was started by "), sentence);
    }

    @Test
    void startSeconds_limitTheWait_malformedOnesAreNamed() throws IOException {
        assertEquals(Duration.ofMinutes(10), Gathering.patience(Map.of(), Duration.ofDays(365)));
        assertEquals(Duration.ofSeconds(2), Gathering.patience(Map.of(), Duration.ofSeconds(2)));
        Map<String, String> longer = Map.of("VERBENA_START_SECONDS", "3600");
        assertEquals(Duration.ofHours(1), Gathering.patience(longer, Duration.ofSeconds(2)));
        for (String bad : List.of("0", "-1", "1 h")) {
            assertThrows(
                    JobStartException.class,
                    () -> Gathering.patience(Map.of("VERBENA_START_SECONDS", bad), Duration.ofSeconds(2)));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "a | a",
                "a,b | a b",
                "n[1-3] | n1 n2 n3",
                "n[08-10,12] | n08 n09 n10 n12",
                "n[1,3]-ib,m.x.org | n1-ib n3-ib m.x.org",
                "r[1-2]n[01-02] | r1n01 r1n02 r2n01 r2n02"
            })
    void nodeList_isExpanded(String list, String nodes) throws IOException {
        assertEquals(List.of(nodes.split(" ")), NodeList.expand(list));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ",",
                "a,",
                "a[",
                "a]",
                "a[1-2",
                "a[[1]]",
                "a[x]",
                "a[1-2-3]",
                "a[0-99999999]",
                "a b",
                "a[1]$(x)"
            })
    void nodeList_malformed_isAnError(String list) {
        assertThrows(JobStartException.class, () -> NodeList.expand(list));
    }

    // The folder of a job of Open MPI.

    @Test
    void sharedFile_isForItsOwner_andInAFolderOfItsOwnerOnly(@TempDir Path folder) throws Exception {
        SharedFile board = SharedFile.of(folder.toString(), "123");
        assertEquals("text", board.share(Optional.of("text"), Duration.ofSeconds(1)));
        assertEquals("text", board.share(Optional.empty(), Duration.ofSeconds(1)));
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(board.file())));
        try (var files = Files.list(folder)) {
            assertEquals(1, files.count());
        }
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwx---"));
        assertThrows(JobStartException.class, () -> board.share(Optional.of("text"), Duration.ofSeconds(1)));
        assertFalse(Files.exists(folder.resolve("verbena-124")));
        SharedFile nowhere = SharedFile.of(folder.resolve("none").toString(), "123");
        assertThrows(JobStartException.class, () -> nowhere.share(Optional.empty(), Duration.ofSeconds(1)));
    }
}
