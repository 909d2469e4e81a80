package io.verbena.bench.sockets;

import io.verbena.bench.side.Spread;
import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What several selectors cost: a client goes round connections, each of which a thread and a selector of its own serve
 * in another JVM. A row has the time of an echo, and the voluntary switches of all threads of the server for it. The
 * contestants run in turn.
 */
final class ManySelectorsFigures {

    private static final int SELECTORS = 16;
    private static final int ROUNDS = 7;
    private static final int WARM_UPS = 3;
    private static final int ECHOES = 4_000;
    private static final int SHORTER = 20;

    private record Jvms(OtherJvm server, OtherJvm client) {}

    private ManySelectorsFigures() {}

    static void print(boolean brief) throws IOException {
        int echoes = brief ? ECHOES / SHORTER : ECHOES;
        Map<Contestant, Jvms> jvms = new EnumMap<>(Contestant.class);
        try {
            for (Contestant contestant : Contestant.values()) {
                jvms.put(contestant, start(contestant, echoes));
            }
            Map<Contestant, double[]> us = new EnumMap<>(Contestant.class);
            Map<Contestant, double[]> switches = new EnumMap<>(Contestant.class);
            for (int round = -WARM_UPS; round < ROUNDS; round++) {
                for (Map.Entry<Contestant, Jvms> each : jvms.entrySet()) {
                    long before = switches(each.getValue().server);
                    each.getValue().client.next();
                    double took = Double.parseDouble(each.getValue().client.line());
                    long between = switches(each.getValue().server) - before;
                    if (round >= 0) {
                        us.computeIfAbsent(each.getKey(), _ -> new double[ROUNDS])[round] = took;
                        switches.computeIfAbsent(each.getKey(), _ -> new double[ROUNDS])[round] =
                                (double) between / echoes;
                    }
                }
            }
            us.forEach((contestant, each) -> System.out.printf(
                    Locale.ROOT,
                    "%-5s %d selectors: an echo %7.1f us (%.2f of the JDK), %.2f switches of the server%n",
                    contestant.name().toLowerCase(Locale.ROOT),
                    SELECTORS,
                    Spread.of(each).median(),
                    Spread.ofRatios(each, us.getOrDefault(Contestant.JDK, each)).median(),
                    Spread.of(switches.getOrDefault(contestant, each)).median()));
        } finally {
            jvms.values().forEach(each -> List.of(each.client, each.server).forEach(OtherJvm::close));
        }
    }

    private static Jvms start(Contestant contestant, int echoes) throws IOException {
        String selectors = String.valueOf(SELECTORS);
        OtherJvm server = new OtherJvm(List.of(), ManySelectorsSide.class, contestant.name(), selectors);
        String port = server.line();
        OtherJvm client = new OtherJvm(
                List.of(), ManySelectorsSide.class, contestant.name(), selectors, port, String.valueOf(echoes));
        if (!client.line().equals("true")) {
            throw new IOException("a connection is not carried by " + contestant + " but by TCP");
        }
        return new Jvms(server, client);
    }

    private static long switches(OtherJvm server) throws IOException {
        server.next();
        return Long.parseLong(server.line());
    }
}
