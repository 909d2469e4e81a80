package io.verbena.examples.mpi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.messaging.Bootstrap;
import io.verbena.messaging.start.JobSecret;
import io.verbena.messaging.start.Meeting;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The MPI programs, as several processes: each checks its result itself. */
class MpiProgramsTest {

    @TempDir
    private Path folder;

    /** Runs a program and returns what its ranks print. */
    private String run(Class<?> program, int size) throws Exception {
        JobSecret secret = JobSecret.random();
        InetSocketAddress anywhere = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        List<Process> ranks = new ArrayList<>();
        Path output = Files.createTempFile(folder, program.getSimpleName(), ".log");
        try (Meeting meeting = Bootstrap.serve(anywhere, size, secret)) {
            for (int rank = 0; rank < size; rank++) {
                ProcessBuilder builder = new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java")
                                        .toString(),
                                "--enable-native-access=ALL-UNNAMED",
                                "-XX:+UseSerialGC",
                                "-cp",
                                System.getProperty("java.class.path"),
                                program.getName())
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()));
                builder.environment().put(Bootstrap.RANK, String.valueOf(rank));
                builder.environment().put(Bootstrap.SIZE, String.valueOf(size));
                builder.environment()
                        .put(Bootstrap.ADDRESS, "127.0.0.1:" + meeting.address().getPort());
                builder.environment().put(JobSecret.TEXT, secret.text());
                ranks.add(builder.start());
            }
            for (Process rank : ranks) {
                boolean ended = rank.waitFor(60, TimeUnit.SECONDS);
                String said = Files.readString(output);
                assertTrue(ended, said);
                assertEquals(0, rank.exitValue(), said);
            }
            return Files.readString(output);
        } finally {
            ranks.forEach(Process::destroyForcibly);
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {MatrixProduct.class, HeatEquation.class})
    void oneRankAndFour_sameResult(Class<?> program) throws Exception {
        String alone = run(program, 1);
        assertEquals(1, alone.lines().count(), alone);
        assertEquals(alone, run(program, 4));
    }

    @Test
    void sampleSort_threeRanks_allNumbersAreSorted() throws Exception {
        assertEquals("150000 numbers are sorted\n", run(SampleSort.class, 3));
    }
}
