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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every race of this module for a moment. The code is interpreted first, then compiled by C1, then by C2, which orders
 * instructions at random as far as the memory model allows: each of the three has races of its own. A compare-and-set of a
 * boolean, for example, is a locked instruction with C2; with the others it is one only if it succeeds. The test finds what goes
 * wrong once in some hundred thousand tries; {@code stress/run} looks for longer, and in all modes of compilation.
 */
class SmokeTest {

    /**
     * All races together; a race takes about a second besides, for its JVM. The tests of other modules run at the same time: while
     * they have a processor, a thread races alone.
     */
    private static final long RACING_MS = 10_000;

    private static final long SHORTEST_MS = 100;
    private static final long LONGEST_MS = 400;
    private static final long LIMIT_SECONDS = 570;

    @TempDir
    private Path folder = Path.of(".");

    @Test
    @Timeout(LIMIT_SECONDS + 30)
    void everyRace_forAMoment_hasNoForbiddenOutcome() throws Exception {
        int races = races();
        Path output = folder.resolve("output");
        Process jcstress = start(Math.clamp(RACING_MS / races, SHORTEST_MS, LONGEST_MS), output);
        try {
            assertTrue(
                    jcstress.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS),
                    () -> "jcstress did not end in " + LIMIT_SECONDS + " s: " + read(output));
        } finally {
            jcstress.destroyForcibly();
        }
        String said = read(output);
        assertEquals(0, jcstress.exitValue(), said);
        // Races of three threads need three cores, and would be left out silently on two.
        String all = "(Results: " + races + " planned; " + races + " passed, 0 failed, 0 soft errs, 0 hard errs)";
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

    private Process start(long eachMs, Path output) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path", ""), "org.openjdk.jcstress.Main"));
        command.addAll(List.of("-f", "1", "-fsm", "1", "-iters", "1", "-time", String.valueOf(eachMs)));
        command.addAll(List.of("-sc", "false", "-af", "NONE", "-r", folder.toString()));
        command.addAll(List.of(
                "-jvmArgs",
                "-XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions -XX:+StressLCM -XX:+StressGCM -XX:+StressIGVN"
                        + " -XX:+StressCCP"
                        // jcstress asks for a heap of 256 MB that is touched before each race; the races need less.
                        + " -XX:-AlwaysPreTouch -Xms64M"));
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
