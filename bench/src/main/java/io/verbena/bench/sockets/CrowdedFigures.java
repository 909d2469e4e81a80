package io.verbena.bench.sockets;

import io.verbena.bench.side.Spread;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Programs whose threads compete for the processors: a server that polls with {@code selectNow}, four clients in the same JVM, and threads of
 * another JVM that compute. The contestants run in turn: echoes of a second, then the time of 500 connects at once. The rest of the
 * conditions is that of {@link SocketFigures}.
 */
final class CrowdedFigures {

    private static final int ROUNDS = 7;
    private static final int CLIENTS = 4;
    private static final int CONNECTS = 500;
    private static final int CONNECT_ROUNDS = 3;
    private static final int MEASURE_MS = 1000;
    private static final int BRIEF_MS = 100;

    private CrowdedFigures() {}

    /** Prints a row for each number of threads that compute. */
    static void print(boolean brief, boolean json) throws IOException {
        int most = 2 * Runtime.getRuntime().availableProcessors();
        List<String> rows = new ArrayList<>();
        for (int computing : new int[] {0, most}) {
            AtomicBoolean over = new AtomicBoolean();
            for (int i = 0; i < computing; i++) {
                Thread.ofPlatform().daemon().start(() -> compute(over));
            }
            try {
                rows.addAll(rows(computing, brief, json));
            } finally {
                over.set(true);
            }
        }
        if (json) {
            System.out.println("[" + String.join(",\n ", rows) + "]");
        }
    }

    private static void compute(AtomicBoolean over) {
        while (!over.get()) {
            Thread.onSpinWait();
        }
    }

    private static List<String> rows(int computing, boolean brief, boolean json) throws IOException {
        Map<Contestant, OtherJvm> jvms = new EnumMap<>(Contestant.class);
        try {
            for (Contestant contestant : Contestant.values()) {
                OtherJvm jvm = new OtherJvm(
                        List.of(),
                        CrowdedSide.class,
                        contestant.name(),
                        String.valueOf(CLIENTS),
                        String.valueOf(brief ? BRIEF_MS : MEASURE_MS));
                jvms.put(contestant, jvm);
                jvm.line();
            }
            List<String> rows = new ArrayList<>();
            rows.add(row("echoes-beside-" + computing, measure(jvms, "", brief ? 1 : ROUNDS), json));
            String connects = String.valueOf(brief ? CONNECTS / 10 : CONNECTS);
            rows.add(row("connect-ms-beside-" + computing, measure(jvms, connects, brief ? 1 : CONNECT_ROUNDS), json));
            if (!json) {
                rows.forEach(System.out::println);
            }
            return rows;
        } finally {
            jvms.values().forEach(OtherJvm::close);
        }
    }

    /** The first round, in which the JVMs compile, does not count. */
    private static Map<Contestant, double[]> measure(Map<Contestant, OtherJvm> jvms, String question, int rounds)
            throws IOException {
        Map<Contestant, double[]> all = new EnumMap<>(Contestant.class);
        for (int round = -1; round < rounds; round++) {
            for (Map.Entry<Contestant, OtherJvm> jvm : jvms.entrySet()) {
                jvm.getValue().ask(question);
                double one = Double.parseDouble(jvm.getValue().line());
                if (round >= 0) {
                    all.computeIfAbsent(jvm.getKey(), _ -> new double[rounds])[round] = one;
                }
            }
        }
        return all;
    }

    private static String row(String name, Map<Contestant, double[]> all, boolean json) {
        StringBuilder text = new StringBuilder(json ? "{\"name\":\"" + name + "\"" : String.format("%-22s", name));
        double[] jdk = all.getOrDefault(Contestant.JDK, new double[1]);
        all.forEach((contestant, each) -> text.append(String.format(
                Locale.ROOT,
                json ? ",\"%s\":{\"median\":%.0f,\"timesJdk\":%.3f}" : "  %5s %8.0f (%.2f of the JDK)",
                contestant.name().toLowerCase(Locale.ROOT),
                Spread.of(each).median(),
                Spread.ofRatios(each, jdk).median())));
        return json ? text.append('}').toString() : text.toString();
    }
}
