package io.verbena.bench.sockets;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Idle connections between two JVMs: what they cost in memory, how long one takes to be set up, and what a selection costs with all of them in
 * the selector, over shared memory, over iWARP and over the provider of the JDK. The memory is that of both JVMs together, the live heap
 * and everything outside of the heap; kernel sockets are not in it. {@code --connections N} sets their number.
 */
public final class IdleFigures {

    private static final int CONNECTIONS = 10_000;

    private IdleFigures() {}

    public static void main(String[] arguments) throws IOException {
        List<String> words = List.of(arguments);
        boolean json = words.contains("--json");
        int at = words.indexOf("--connections");
        int connections = at < 0 ? CONNECTIONS : Integer.parseInt(words.get(at + 1));
        List<String> rows = new ArrayList<>();
        for (Contestant contestant : Contestant.values()) {
            String row = row(contestant, connections, json);
            rows.add(row);
            if (!json) {
                System.out.println(row);
            }
        }
        if (json) {
            System.out.println("[" + String.join(",\n ", rows) + "]");
        }
        System.exit(0);
    }

    private static String row(Contestant contestant, int connections, boolean json) throws IOException {
        try (OtherJvm server = side("serve", contestant, 0, 0)) {
            int port = server.number();
            try (OtherJvm client = side("connect", contestant, port, connections)) {
                String[] idle = client.line().split(" ");
                long before = Long.parseLong(idle[0]) + memory(server);
                client.next();
                String[] all = client.line().split(" ");
                long after = Long.parseLong(all[0]) + memory(server);
                client.next();
                SetUpTimes times = SetUpTimes.parse(all[1]);
                String[] selections = client.line().split(" ");
                double kibEach = (after - before) / 1024.0 / connections;
                double few = Double.parseDouble(selections[0]);
                double many = Double.parseDouble(selections[1]);
                return String.format(
                        Locale.ROOT,
                        json
                                ? "{\"name\":\"%s\",\"connections\":%d,\"kibEach\":%.1f,\"setupFirstUs\":%.0f,\"setupUs\":%.0f,\"setupP99Us\":%.0f,\"roundTripUs\":%.1f,\"timesOf100\":%.2f}"
                                : "%-5s %6d connections: %6.1f KiB each, both sides; set-up %6.0f us at first, then %6.0f (99 %%: %6.0f); an echo through the selector %6.1f us, %.2f of that with 100",
                        contestant.name().toLowerCase(Locale.ROOT),
                        connections,
                        kibEach,
                        times.firstUs(),
                        times.lastUs(),
                        times.p99Us(),
                        many,
                        many / few);
            }
        }
    }

    private static OtherJvm side(String role, Contestant contestant, int port, int connections) throws IOException {
        // The heap is touched at the start, so that memory outside of it is what grows.
        return new OtherJvm(
                List.of("-Xms1g", "-Xmx1g", "-XX:+AlwaysPreTouch"),
                IdleSide.class,
                role,
                contestant.name(),
                String.valueOf(port),
                String.valueOf(connections));
    }

    private static long memory(OtherJvm side) throws IOException {
        side.next();
        return Long.parseLong(side.line());
    }
}
