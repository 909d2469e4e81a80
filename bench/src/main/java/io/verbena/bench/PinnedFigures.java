package io.verbena.bench;

import static io.verbena.bench.MemoryFigure.median;

import io.verbena.bench.side.Goal;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Accesses to pinned memory now and before, each in a JVM of its own ({@link PinnedProbe}), in turns. */
final class PinnedFigures {

    private static final int WARM_UPS = 5;

    private final int rounds;
    private final Path before;

    /** Before: the classes, or the jar, of an older core. */
    PinnedFigures(int rounds, Path before) {
        this.rounds = rounds;
        this.before = before;
    }

    List<MemoryFigure> measure() throws IOException {
        List<MemoryFigure> figures = new ArrayList<>();
        String path = System.getProperty("java.class.path");
        try (Probe then = new Probe(before + File.pathSeparator + path);
                Probe now = new Probe(path)) {
            figures.add(compare("check", "check of a key", then, now));
            figures.add(compare("write_lat", "write_lat 8 B", then, now));
            figures.add(compare("write_bw", "write_bw 64 KiB", then, now));
        }
        return figures;
    }

    private MemoryFigure compare(String command, String what, Probe then, Probe now) throws IOException {
        double[] old = new double[rounds];
        double[] ours = new double[rounds];
        double[] ratio = new double[rounds];
        for (int i = -WARM_UPS; i < rounds; i++) {
            int at = Math.max(i, 0);
            // The order alternates from round to round.
            if (i % 2 == 0) {
                old[at] = then.measure(command);
                ours[at] = now.measure(command);
            } else {
                ours[at] = now.measure(command);
                old[at] = then.measure(command);
            }
            ratio[at] = ours[at] / old[at];
        }
        return new MemoryFigure(
                what + ", pinned, time now / before",
                text(median(ours)),
                "before",
                text(median(old)),
                ratio,
                Goal.atMost(1.05));
    }

    private static String text(double ns) {
        return String.format(Locale.ROOT, ns < 1000 ? "%.1f ns" : "%,.0f ns", ns);
    }

    /** A JVM that measures on request. */
    private static final class Probe implements AutoCloseable {
        private final Process process;
        private final BufferedReader answers;
        private final PrintStream commands;

        Probe(String classPath) throws IOException {
            String java =
                    Path.of(System.getProperty("java.home"), "bin", "java").toString();
            process = new ProcessBuilder(
                            java,
                            "-XX:+UseParallelGC",
                            "--enable-native-access=ALL-UNNAMED",
                            "-cp",
                            classPath,
                            PinnedProbe.class.getName())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            answers = process.inputReader(StandardCharsets.UTF_8);
            commands = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
        }

        double measure(String command) throws IOException {
            commands.println(command);
            String answer = answers.readLine();
            if (answer == null) {
                throw new IOException("the measuring process ended");
            }
            return Double.parseDouble(answer);
        }

        @Override
        public void close() {
            commands.close();
            process.destroy();
        }
    }
}
