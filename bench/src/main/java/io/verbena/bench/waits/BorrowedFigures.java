package io.verbena.bench.waits;

import io.verbena.bench.side.Spread;
import io.verbena.verbs.Progress;
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
 * Half the round trip of 64 bytes between two threads that wait: with the engine borrowed ({@code progress} of an RNIC with an
 * engine thread), INLINE, with an engine thread and {@code await}, and over plain sockets with selectors. The contestants run
 * in turn, each time in a JVM of its own; a figure is the median of the rounds, and the ratios are medians of the ratios in
 * each round.
 */
public final class BorrowedFigures {

    private static final int ROUNDS = 7;

    private BorrowedFigures() {}

    /** A way to wait. */
    private record Contestant(String title, List<String> arguments) {}

    private static List<Contestant> contestants(String provider) {
        return List.of(
                verbena("INLINE", provider, WaitLoop.PROGRESS, Progress.INLINE),
                verbena("borrowed", provider, WaitLoop.PROGRESS, Progress.ENGINE_THREAD),
                verbena("engine thread", provider, WaitLoop.AWAIT_DRAIN, Progress.ENGINE_THREAD),
                new Contestant("NIO", List.of(NioPair.class.getName())));
    }

    private static Contestant verbena(String title, String provider, WaitLoop loop, Progress progress) {
        return new Contestant(title, List.of(WaitPair.class.getName(), provider, loop.name(), progress.name()));
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        List<String> providers = arguments.length > 0 ? Arrays.asList(arguments) : List.of("shm", "iwarp", "roce");
        for (String provider : providers) {
            List<Contestant> all = contestants(provider);
            double[][] us = new double[all.size()][ROUNDS];
            for (int round = 0; round < ROUNDS; round++) {
                for (int i = 0; i < all.size(); i++) {
                    us[i][round] = figure(all.get(i));
                }
            }
            print(provider, all, us);
        }
    }

    private static void print(String provider, List<Contestant> all, double[][] us) {
        System.out.println(
                provider + ", half a round trip of 64 B, microseconds, median (least to most); times INLINE");
        for (int i = 0; i < all.size(); i++) {
            double[] ratios = new double[ROUNDS];
            for (int round = 0; round < ROUNDS; round++) {
                ratios[round] = us[i][round] / us[0][round];
            }
            System.out.printf(
                    Locale.ROOT,
                    "  %-14s %6.2f (%.2f to %.2f); %.2f%n",
                    all.get(i).title(),
                    Spread.of(us[i]).median(),
                    Arrays.stream(us[i]).min().orElseThrow(),
                    Arrays.stream(us[i]).max().orElseThrow(),
                    Spread.of(ratios).median());
        }
    }

    /** Runs a pair in a JVM of its own. */
    private static double figure(Contestant contestant) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path")));
        command.addAll(contestant.arguments());
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII))) {
            String line = out.readLine();
            if (process.waitFor() != 0 || line == null) {
                throw new IOException(contestant.title() + " has failed");
            }
            return Double.parseDouble(line);
        } finally {
            process.destroyForcibly();
        }
    }
}
