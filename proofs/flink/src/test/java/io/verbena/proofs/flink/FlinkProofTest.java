package io.verbena.proofs.flink;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.proofs.Carrier;
import io.verbena.proofs.Program;
import io.verbena.proofs.Running;
import io.verbena.proofs.Scale;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A job manager and two task managers of Flink exchange records, in batches and as a stream. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class FlinkProofTest {

    private static final int RECORDS = 2_000_000;

    private static final List<String> OPENED = List.of(
            "java.lang",
            "java.lang.reflect",
            "java.net",
            "java.nio",
            "java.text",
            "java.time",
            "java.util",
            "java.util.concurrent",
            "java.util.concurrent.atomic",
            "java.util.concurrent.locks");

    @TempDir
    private Path directory;

    @ParameterizedTest
    @MethodSource("io.verbena.proofs.Carrier#chosen")
    void recordsByKey_haveTheirSums(Carrier carrier) throws Exception {
        Files.writeString(directory.resolve("config.yaml"), """
                jobmanager:
                  rpc: {address: 127.0.0.1, port: 0}
                  bind-host: 127.0.0.1
                  memory:
                    process: {size: 1g}
                taskmanager:
                  bind-host: 127.0.0.1
                  host: 127.0.0.1
                  numberOfTaskSlots: 1
                  cpu: {cores: 1}
                  memory:
                    task: {heap: {size: 256m}, off-heap: {size: 0m}}
                    network: {min: 64m, max: 64m}
                    managed: {size: 64m}
                    framework: {heap: {size: 128m}, off-heap: {size: 128m}}
                    jvm-metaspace: {size: 256m}
                    jvm-overhead: {min: 192m, max: 192m}
                rest: {address: 127.0.0.1, bind-address: 127.0.0.1, bind-port: 0}
                blob: {server: {port: 0}}
                # A machine with other work may be slow.
                pekko: {startup-timeout: 120s, ask: {timeout: 60s}}
                heartbeat: {timeout: 180000}
                """);
        String configuration = directory.toString();
        try (Running jobs = start(
                carrier,
                "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint",
                "--configDir",
                configuration)) {
            String rpc = port(jobs.awaitLine("Actor system started at"));
            String rest = port(jobs.awaitLine("Rest endpoint listening at"));
            try (Running first = tasks(carrier, rpc);
                    Running second = tasks(carrier, rpc);
                    Running client = start(carrier, Sums.class.getName(), rest, String.valueOf(records()))) {
                assertEquals(expected(), sums(client.awaitSuccess()));
                client.testimony().requireCarriedBy(carrier, 1, 10_000);
                // In both modes records of half of the keys go to the other task manager.
                long bytes = records() * (long) Sums.TEXT_BYTES / 4;
                first.testimony().requireCarriedBy(carrier, 3, bytes);
                second.testimony().requireCarriedBy(carrier, 3, bytes);
                jobs.testimony().requireCarriedBy(carrier, 1, 10_000);
            } catch (AssertionError e) {
                throw new AssertionError(e.getMessage() + "\n" + jobs, e);
            }
        }
    }

    /** The number at the end of a line. */
    private static String port(String line) {
        return line.strip().replaceFirst(".*:", "");
    }

    private Running tasks(Carrier carrier, String rpc) throws Exception {
        return start(
                carrier,
                "org.apache.flink.runtime.taskexecutor.TaskManagerRunner",
                "--configDir",
                directory.toString(),
                "-Djobmanager.rpc.port=" + rpc);
    }

    private Running start(Carrier carrier, String main, String... arguments) throws Exception {
        List<String> options = new ArrayList<>();
        OPENED.forEach(each -> options.add("--add-opens=java.base/" + each + "=ALL-UNNAMED"));
        options.add("--sun-misc-unsafe-memory-access=allow");
        options.add("-Xmx512m");
        // Flink has a copy of Netty whose native transport no setting switches off: the agent does.
        return new Program(carrier, directory)
                .withAgent()
                .with(options.toArray(String[]::new))
                .start(main, arguments);
    }

    private static int records() {
        return Scale.of(RECORDS);
    }

    private static List<String> sums(List<String> output) {
        return output.stream().filter(line -> line.startsWith(Sums.SUM)).toList();
    }

    private static List<String> expected() {
        return Sums.MODES.stream()
                .flatMap(mode -> LongStream.range(0, Sums.KEYS).mapToObj(key -> Sums.expected(mode, key, records())))
                .toList();
    }
}
