package io.verbena.stress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every race of this module for a moment, in one JVM for each way to execute code: interpreted, compiled by C1, and compiled by C2,
 * which orders instructions at random as far as the memory model allows. Each of the three has races of its own. A compare-and-set
 * of a boolean, for example, is a locked instruction with C2; with the others it is one only if it succeeds. The test finds what
 * goes wrong once in some hundred thousand tries; {@code stress/run} looks for longer, in all modes of compilation, and in a JVM for
 * each race.
 */
class SmokeTest {

    /** All races together. The tests of other modules run at the same time: while they have a processor, a thread races alone. */
    private static final long RACING_MS = 4_500;

    private static final long LIMIT_SECONDS = 170;

    /** How the JVM executes code. */
    enum Execution {
        INTERPRETED("-Xint"),
        C1("-XX:TieredStopAtLevel=1"),
        C2("-XX:+StressLCM", "-XX:+StressGCM", "-XX:+StressIGVN", "-XX:+StressCCP");

        private final List<String> options;

        Execution(String... options) {
            this.options = List.of(options);
        }
    }

    @TempDir
    private Path folder = Path.of(".");

    @ParameterizedTest
    @EnumSource
    @Timeout(LIMIT_SECONDS + 10)
    void everyRace_forAMoment_hasNoForbiddenOutcome(Execution execution) throws Exception {
        int races = races();
        Path output = folder.resolve("output");
        long eachMs = RACING_MS / Execution.values().length / races;
        Process process = start(execution, eachMs, output);
        try {
            assertTrue(
                    process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS),
                    () -> "the races did not end in " + LIMIT_SECONDS + " s: " + read(output));
        } finally {
            process.destroyForcibly();
        }
        String said = read(output);
        assertEquals(0, process.exitValue(), said);
        String all = races + " of " + races + " passed";
        assertTrue(said.contains(all), () -> "Not what was wanted, " + all + ", but: " + said);
    }

    /** How many there are: jcstress's annotation processor writes a line for each. */
    private static int races() throws IOException {
        try (var list = SmokeTest.class.getResourceAsStream("/META-INF/TestList")) {
            byte[] lines = Objects.requireNonNull(list, "no list of races").readAllBytes();
            return (int) new String(lines, StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank())
                    .count();
        }
    }

    private Process start(Execution execution, long eachMs, Path output) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC", "-Xms64M", "-Xmx256M"));
        // As jcstress does: its fields that are marked as contended are in cache lines of their own.
        command.addAll(List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:-RestrictContended"));
        command.addAll(execution.options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path", ""), Races.class.getName()));
        command.add(String.valueOf(eachMs));
        return new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
    }

    private static String read(Path output) {
        try {
            return Files.readString(output);
        } catch (IOException e) {
            return "its output cannot be read: " + e.getMessage();
        }
    }
}
