package io.verbena.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Rnic;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The first RNIC without native access logs once what is missing; with it, nothing is logged. */
class NativeAccessTest {

    /** A program that opens two RNICs. */
    static final class Program {
        private Program() {}

        public static void main(String[] arguments) {
            Rnic.open().close();
            Rnic.open().close();
        }
    }

    @Test
    void firstOpen_withoutNativeAccess_logsTheFlagOnce() throws Exception {
        String said = run(List.of());
        assertEquals(1, said.split("--enable-native-access=ALL-UNNAMED", -1).length - 1, said);
        assertTrue(said.contains("Enable-Native-Access: ALL-UNNAMED"), said);
    }

    @Test
    void firstOpen_withNativeAccess_logsNothing() throws Exception {
        assertEquals("", run(List.of("--enable-native-access=ALL-UNNAMED")));
    }

    private static String run(List<String> options) throws Exception {
        List<String> line = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC"));
        line.addAll(options);
        line.addAll(List.of("-cp", System.getProperty("java.class.path"), Program.class.getName()));
        Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), said);
        return said;
    }
}
