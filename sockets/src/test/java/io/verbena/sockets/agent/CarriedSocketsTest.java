package io.verbena.sockets.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sockets of the JDK and sockets that the agent carries have the same outcome in every case of {@link SocketCalls}. */
class CarriedSocketsTest {

    @TempDir
    private Path folder = Path.of(".");

    private static List<String> run(String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC"));
        command.addAll(List.of(options));
        URI classes = SocketCalls.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI();
        command.addAll(List.of("-cp", Path.of(classes).toString(), SocketCalls.class.getName()));
        command.addAll(List.of(System.getProperty("verbena.case", "").split(" ")));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertEquals(0, process.waitFor(), output);
        return output.lines().toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "rdma=*,provider=iwarp,setup=60,patience=20000", "provider=iwarp", "sockets=false"})
    void everyCase_hasTheOutcomeOfTheJdk(String options) throws Exception {
        List<String> expected = run();
        List<String> ours = run("-javaagent:" + AgentJar.make(folder) + "=" + options);
        assertEquals(String.join("\n", expected), String.join("\n", ours));
        assertTrue(
                expected.size() >= 100
                        || !System.getProperty("verbena.case", "").isEmpty(),
                () -> "" + expected.size());
    }

    @Test
    void table_isTheSame_whenTheJdkRunsItTwice() throws Exception {
        assertEquals(run(), run());
    }
}
