package io.verbena.messaging.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Processes with the environments that a test gives them. Each is ended after a minute. */
final class RankJob implements AutoCloseable {

    private static final long LIMIT_SECONDS = 60;

    private record Rank(Process process, Path output) {}

    private final List<Rank> ranks = new ArrayList<>();

    /** The command of a rank, for a launcher. */
    static List<String> command(String... options) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC"));
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), LaunchProbe.class.getName()));
        return command;
    }

    /** Starts a process with these variables and no others of a launcher. */
    void start(List<String> command, Map<String, String> environment) throws Exception {
        Path output = Files.createTempFile("rank", ".log");
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectInput(new File("/dev/null"))
                .redirectOutput(output.toFile());
        builder.environment().keySet().removeIf(name -> name.matches("(VERBENA|OMPI|PMI|PMIX|SLURM|MPI)_.*"));
        builder.environment().put("VERBENA_START_SECONDS", "30"); // a rank that fails shall not delay the others
        builder.environment().putAll(environment);
        ranks.add(new Rank(builder.start(), output));
    }

    /** Waits for the end of each; returns what they printed. */
    List<String> outputs(int exitCode) throws Exception {
        List<String> outputs = new ArrayList<>();
        for (Rank rank : ranks) {
            boolean ended = rank.process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
            String output = Files.readString(rank.output);
            assertTrue(ended, output);
            assertEquals(exitCode, rank.process.exitValue(), output);
            outputs.add(output);
        }
        return outputs;
    }

    /** Checks that all have met: each prints its number and the sum of all. */
    void expectAll() throws Exception {
        int size = ranks.size();
        List<String> outputs = outputs(0);
        for (int i = 0; i < size; i++) {
            String expected = "rank " + i + " of " + size + ", sum " + size * (size - 1) / 2;
            assertTrue(outputs.get(i).contains(expected), expected + ": " + outputs);
        }
    }

    /** Checks that each failed with one sentence, which contains these words. */
    void expectSentence(String... words) throws Exception {
        for (String output : outputs(1)) {
            assertTrue(List.of(words).stream().anyMatch(output::contains), output);
            assertEquals(1, output.lines().count(), output);
        }
    }

    @Override
    public void close() throws Exception {
        for (Rank rank : ranks) {
            rank.process.destroyForcibly();
            Files.deleteIfExists(rank.output);
        }
    }
}
