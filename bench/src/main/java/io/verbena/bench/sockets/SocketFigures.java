package io.verbena.bench.sockets;

import io.verbena.bench.side.Spread;
import io.verbena.bench.sockets.Exchange.Plan;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Channels of {@code java.nio} between two JVMs: half a round trip of 64 bytes, and a stream of 64 KiB, over shared memory, over
 * iWARP and over the provider of the JDK. The contestants run in turn; a figure is the median of the rounds, a ratio the median
 * of the ratios in each round. {@code --short} sends a fiftieth of the messages, which shows that everything works.
 * {@code --waiting} leaves out the programs that poll, whose figures on one processor ({@code taskset -c 0 bench/sockets --waiting}) would be time slices.
 * {@code --crowded} measures {@link CrowdedFigures} instead, {@code --costs} the {@link CostFigures}, {@code
 * --selectors} the {@link ManySelectorsFigures}.
 */
public final class SocketFigures {

    private static final int ROUNDS = 7;

    private static final int ECHO_BYTES = 64;
    private static final int ECHOES = 20_000;
    private static final int STREAM_BYTES = 64 << 10;
    private static final int STREAM_MESSAGES = 10_000;

    private SocketFigures() {}

    private static final int SHORTER = 50;

    private static Map<String, Plan> plans(List<String> words) {
        int part = words.contains("--short") ? SHORTER : 1;
        Map<String, Plan> plans = new LinkedHashMap<>();
        for (Way way : Way.values()) {
            if (way == Way.POLL && words.contains("--waiting")) {
                continue;
            }
            String name = way.name().toLowerCase(Locale.ROOT);
            plans.put("echo-" + name, new Plan(way, ECHO_BYTES, ECHOES / part, true));
            plans.put("stream-" + name, new Plan(way, STREAM_BYTES, STREAM_MESSAGES / part, false));
        }
        return plans;
    }

    public static void main(String[] arguments) throws IOException {
        boolean json = List.of(arguments).contains("--json");
        if (List.of(arguments).contains("--crowded")) {
            CrowdedFigures.print(List.of(arguments).contains("--short"), json);
            System.exit(0);
        }
        if (List.of(arguments).contains("--costs")) {
            CostFigures.print(List.of(arguments).contains("--short"), json);
            System.exit(0);
        }
        if (List.of(arguments).contains("--selectors")) {
            ManySelectorsFigures.print(List.of(arguments).contains("--short"));
            System.exit(0);
        }
        Map<Contestant, OtherJvm> servers = new EnumMap<>(Contestant.class);
        try {
            Map<Contestant, Integer> ports = new EnumMap<>(Contestant.class);
            for (Contestant contestant : Contestant.values()) {
                OtherJvm server = new OtherJvm(List.of(), Exchange.class, contestant.name());
                servers.put(contestant, server);
                ports.put(contestant, server.number());
            }
            List<String> rows = new ArrayList<>();
            for (Map.Entry<String, Plan> plan : plans(List.of(arguments)).entrySet()) {
                String row = row(plan.getKey(), plan.getValue(), measure(ports, plan.getValue()), json);
                rows.add(row);
                if (!json) {
                    System.out.println(row);
                }
            }
            if (json) {
                System.out.println("[" + String.join(",\n ", rows) + "]");
            }
        } finally {
            servers.values().forEach(OtherJvm::close);
        }
        System.exit(0);
    }

    private static Map<Contestant, double[]> measure(Map<Contestant, Integer> ports, Plan plan) throws IOException {
        Map<Contestant, double[]> ns = new EnumMap<>(Contestant.class);
        for (int round = -1; round < ROUNDS; round++) {
            for (Contestant contestant : Contestant.values()) {
                double one = Exchange.run(contestant, ports.getOrDefault(contestant, 0), plan);
                if (round >= 0) {
                    ns.computeIfAbsent(contestant, _ -> new double[ROUNDS])[round] = plan.echoes() ? one / 2 : one;
                }
            }
        }
        return ns;
    }

    /** Times of a message in microseconds, and of ours those of the JDK. */
    private static String row(String name, Plan plan, Map<Contestant, double[]> ns, boolean json) {
        StringBuilder text = new StringBuilder(json ? "{\"name\":\"" + name + "\"" : String.format("%-14s", name));
        double[] jdk = ns.getOrDefault(Contestant.JDK, new double[ROUNDS]);
        ns.forEach((contestant, each) -> text.append(String.format(
                Locale.ROOT,
                json ? ",\"%s\":{\"us\":%.3f,\"timesJdk\":%.3f}" : "  %5s %8.2f us (%.2f of the JDK)",
                contestant.name().toLowerCase(Locale.ROOT),
                Spread.of(each).median() / 1000,
                Spread.ofRatios(each, jdk).median())));
        if (json) {
            return text.append(",\"bytes\":")
                    .append(plan.messageBytes())
                    .append('}')
                    .toString();
        }
        return text.toString();
    }
}
