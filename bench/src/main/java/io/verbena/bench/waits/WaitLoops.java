package io.verbena.bench.waits;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Half the round trip of a small message with every loop in which an INLINE program can wait, with polling allowed or not, on one
 * processor or two. The best loop of a row is the limit of the row; a figure above {@value #LIMIT} times that is marked.
 *
 * <p>Whether polling without a wait is allowed depends on the number of processors that the JVM sees; on how many it runs is
 * decided by {@code taskset}. So each figure comes from a JVM of its own.
 */
public final class WaitLoops {

    private static final double LIMIT = 1.2;

    private WaitLoops() {}

    /** Conditions of a row. */
    private record Row(String provider, int processors, boolean polls) {

        String title() {
            return String.format(
                    "%-6s %d processor%s, %s",
                    provider, processors, processors == 1 ? " " : "s", polls ? "polling    " : "not polling");
        }
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        List<String> providers = arguments.length > 0 ? Arrays.asList(arguments) : List.of("shm", "iwarp", "roce");
        StringBuilder head = new StringBuilder(String.format("%-36s", "half a round trip, microseconds"));
        for (WaitLoop loop : WaitLoop.values()) {
            head.append(String.format("%18s", loop.title));
        }
        System.out.println(head);
        int marked = 0;
        for (String provider : providers) {
            for (int processors = 2; processors >= 1; processors--) {
                for (boolean polls : new boolean[] {true, false}) {
                    marked += row(new Row(provider, processors, polls));
                }
            }
        }
        System.out.printf("* above %.1f times the best of its row: %d%n", LIMIT, marked);
    }

    private static int row(Row row) throws IOException, InterruptedException {
        WaitLoop[] loops = WaitLoop.values();
        double[] us = new double[loops.length];
        for (int i = 0; i < loops.length; i++) {
            us[i] = figure(row, loops[i]);
        }
        double best =
                Arrays.stream(us).filter(each -> !Double.isNaN(each)).min().orElse(Double.NaN);
        StringBuilder line = new StringBuilder(String.format("%-36s", row.title()));
        int marked = 0;
        for (double each : us) {
            boolean above = each > LIMIT * best;
            marked += above ? 1 : 0;
            line.append(String.format(Locale.ROOT, "%17.1f%s", each, above ? "*" : " "));
        }
        System.out.println(line);
        return marked;
    }

    /** Runs a pair in a JVM of its own; not a number if it fails. */
    private static double figure(Row row, WaitLoop loop) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("taskset", "-c", row.processors() == 1 ? "0" : "0,1"));
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(
                "-XX:ActiveProcessorCount=" + (row.polls() ? 2 : 1),
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                WaitPair.class.getName(),
                row.provider(),
                loop.name()));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII))) {
            String line = out.readLine();
            return process.waitFor() == 0 && line != null ? Double.parseDouble(line) : Double.NaN;
        } finally {
            process.destroyForcibly();
        }
    }
}
