package io.verbena.proofs;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Times of rounds in which every carrier has its turn, with the provider of the JDK as the first. */
public final class Figures {

    private static final int ROUNDS = Integer.getInteger("verbena.proofs.rounds", 3);
    private static final double NS_PER_S = 1e9;

    private final String name;
    private final Map<Carrier, List<Long>> timesNs = new EnumMap<>(Carrier.class);

    /** No times of what the name says. */
    public Figures(String name) {
        this.name = name;
    }

    /** A round of a program. */
    @FunctionalInterface
    public interface Round {
        /** Runs it; adds its times to the figures. */
        void run(Carrier carrier) throws Exception;
    }

    /** Runs the rounds. */
    public static void interleave(Round round) throws Exception {
        List<Carrier> carriers = Stream.concat(Stream.of(Carrier.PLAIN), Carrier.chosen())
                .distinct()
                .toList();
        for (int i = 0; i < ROUNDS; i++) {
            for (Carrier carrier : carriers) {
                round.run(carrier);
            }
        }
    }

    /** Adds the time in a line that ends with it, in nanoseconds. */
    public void add(Carrier carrier, String line) {
        long timeNs = Long.parseLong(line.substring(line.lastIndexOf(' ') + 1));
        timesNs.computeIfAbsent(carrier, _ -> new ArrayList<>()).add(timeNs);
    }

    /** Prints the medians, the ranges, and the speed as a multiple of that of the provider of the JDK. */
    public void print() {
        double plain = median(timesNs.getOrDefault(Carrier.PLAIN, List.of()));
        timesNs.forEach((carrier, times) -> System.out.printf(
                "%-30s %-6s median %7.2f s (%.2f to %.2f), %.2f times the speed of plain%n",
                name,
                carrier,
                median(times),
                times.stream().mapToLong(Long::longValue).min().orElseThrow() / NS_PER_S,
                times.stream().mapToLong(Long::longValue).max().orElseThrow() / NS_PER_S,
                plain / median(times)));
    }

    private static double median(List<Long> times) {
        List<Long> sorted = times.stream().sorted().toList();
        return sorted.get(sorted.size() / 2) / NS_PER_S;
    }
}
