package io.verbena.bench.side;

import io.verbena.bench.side.peer.UcxPerftest;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs each experiment in a separate JVM and reads its output. */
public final class Children {

    private static final long LIMIT_S = 120;
    private static final int WORDS_OF_FAILURE = 300;

    private Children() {}

    /** The command of a JVM with this one's class path, and the options of the verbena launcher. */
    public static List<String> java(List<String> jvmOptions, String mainClass, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(
                "-XX:+UseParallelGC", "--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"));
        System.getProperties().stringPropertyNames().stream()
                .filter(name -> name.startsWith("io.verbena."))
                .forEach(name -> command.add("-D" + name + "=" + System.getProperty(name)));
        command.addAll(jvmOptions);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), mainClass));
        command.addAll(arguments);
        return command;
    }

    static Samples run(String experiment, int pairs, boolean quick, int socketBufferBytes) throws IOException {
        List<String> command = java(
                List.of("--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED"), // Aeron needs it
                Child.class.getName(),
                List.of(
                        experiment,
                        String.valueOf(pairs),
                        quick ? "quick" : "full",
                        String.valueOf(socketBufferBytes)));
        Path errors = Files.createTempFile("side-by-side", ".log");
        try {
            ProcessBuilder builder = new ProcessBuilder(command).redirectError(errors.toFile());
            builder.environment().putAll(UcxPerftest.overTcp(socketBufferBytes));
            return listen(builder.start(), errors);
        } finally {
            Files.deleteIfExists(errors);
        }
    }

    private static Samples listen(Process child, Path errors) throws IOException {
        Samples samples = new Samples();
        Thread limit = Thread.ofVirtual().start(() -> endAfterLimit(child));
        try (BufferedReader lines = child.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                samples.take(line);
            }
            if (child.waitFor() != 0) {
                samples.fail(firstWords(errors));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            child.destroyForcibly();
            limit.interrupt();
        }
        return samples;
    }

    private static void endAfterLimit(Process child) {
        try {
            if (!child.waitFor(LIMIT_S, TimeUnit.SECONDS)) {
                child.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The last output of the JVM, on one line. */
    private static String firstWords(Path errors) throws IOException {
        String text = Files.readString(errors)
                .lines()
                .filter(line -> line.contains("Exception") || line.contains("Error"))
                .findFirst()
                .orElse("it was ended after " + LIMIT_S + " s, or by a signal");
        return text.substring(0, Math.min(text.length(), WORDS_OF_FAILURE));
    }
}
