package io.verbena.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.examples.PingPong;
import io.verbena.messaging.start.JobSecret;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Open MPI's mpirun as the launcher of our ranks: it says rank and size, and rank 0 listens where all meet. */
class MpirunTest {

    private static final long LIMIT_SECONDS = 60;

    @Test
    void pingPong_startedByMpirun_ranksFindEachOther() throws Exception {
        Optional<Path> mpirun = mpirun();
        assumeTrue(mpirun.isPresent(), "Open MPI's mpirun is not installed");
        String meeting = "127.0.0.1:" + freePort();
        ProcessBuilder builder = new ProcessBuilder(List.of(
                        mpirun.get().toString(),
                        "--oversubscribe",
                        "-n",
                        "2",
                        "-x",
                        Bootstrap.ADDRESS + "=" + meeting,
                        "-x",
                        JobSecret.TEXT,
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        PingPong.class.getName(),
                        "100",
                        "200"))
                .redirectErrorStream(true);
        builder.environment().put(JobSecret.TEXT, JobSecret.random().text());
        builder.environment().put("OMPI_ALLOW_RUN_AS_ROOT", "1");
        builder.environment().put("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        Path output = Files.createTempFile("mpirun", ".log");
        Process job = builder.redirectOutput(output.toFile()).start();
        try {
            boolean ended = job.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
            String said = Files.readString(output);
            assertTrue(ended, said);
            assertEquals(0, job.exitValue(), said);
            assertTrue(said.contains("100 bytes"), said);
        } finally {
            job.destroy(); // mpirun ends its ranks
            Files.delete(output);
        }
    }

    /** Where it is, under the name that it has beside another MPI or alone. */
    private static Optional<Path> mpirun() {
        String path = System.getenv().getOrDefault("PATH", "");
        return Stream.of("mpirun.openmpi", "mpirun")
                .flatMap(name -> Stream.of(path.split(":")).map(folder -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .filter(MpirunTest::isOpenMpi)
                .findFirst();
    }

    private static boolean isOpenMpi(Path program) {
        try {
            Process process = new ProcessBuilder(program.toString(), "--version").start();
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).contains("Open");
        } catch (IOException e) {
            return false;
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
