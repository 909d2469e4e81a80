package io.verbena.proofs;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Times of {@link Requests} in rounds in which every carrier has its turn, by {@link Figures#interleave}. */
public final class Latencies {

    private static final double NS_PER_US = 1e3;

    private final String name;
    private final Map<Carrier, List<long[]>> timesNs = new EnumMap<>(Carrier.class);

    /** No times of what the name says. */
    public Latencies(String name) {
        this.name = name;
    }

    /** Waits until a client has ended, which has called {@link Requests#measure}, and adds its times. */
    public void add(Carrier carrier, Running client) throws InterruptedException {
        String line = client.awaitSuccess().stream()
                .filter(each -> each.startsWith(Requests.TIMES))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no times in the output of " + client));
        String[] words = line.substring(Requests.TIMES.length()).split(" ");
        long[] times = {Long.parseLong(words[0]), Long.parseLong(words[1])};
        timesNs.computeIfAbsent(carrier, _ -> new ArrayList<>()).add(times);
    }

    /** Prints the medians over the rounds, and the medians of the ratios to the provider of the JDK in each round. */
    public void print() {
        List<long[]> plain = timesNs.getOrDefault(Carrier.PLAIN, List.of());
        timesNs.forEach((carrier, times) -> System.out.printf(
                Locale.ROOT,
                "%-24s %-6s p50 %8.1f us (%.2f of plain), p99 %8.1f us (%.2f), %d rounds%n",
                name,
                carrier,
                median(times, 0),
                ratio(times, plain, 0),
                median(times, 1),
                ratio(times, plain, 1),
                times.size()));
    }

    private static double median(List<long[]> times, int which) {
        double[] sorted =
                times.stream().mapToDouble(each -> each[which]).sorted().toArray();
        return sorted[sorted.length / 2] / NS_PER_US;
    }

    private static double ratio(List<long[]> times, List<long[]> plain, int which) {
        double[] ratios = new double[Math.min(times.size(), plain.size())];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = (double) times.get(i)[which] / plain.get(i)[which];
        }
        Arrays.sort(ratios);
        return ratios[ratios.length / 2];
    }
}
