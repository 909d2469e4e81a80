package io.verbena.bench.sockets;

import io.verbena.bench.side.Contest;
import io.verbena.bench.side.FigureOptions;
import io.verbena.bench.side.Goal;
import io.verbena.bench.sockets.Exchange.Plan;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A pair of our proxies over shared memory beside socat, between the same two programs that use TCP. */
public final class ForwardingFigures {

    private static final String HELP = """
            Usage: bench/proxy [--quick] [--json]
                   bench/proxy --connections N

            Half a round trip of 64 B and a stream of 64 KiB between two programs that use TCP on this host: through two processes of
            verbena sockets proxy, which share memory, and through one process of socat (Debian: apt-get install socat). They run in
            turn. A figure is the median of seven rounds, and a ratio the median of the ratios in each round: of times for the echo, of
            speeds for the stream.

              --quick   three rounds
              --json    the figures for programs
              --help    this text

            With --connections, N connections are opened through our two proxies as fast as possible, and one echoes while all others are
            idle. The proxies report each connection that fails.""";

    private static final int UNMEASURED = 2;

    private static final String CONNECTIONS = "--connections";

    private static final String SOCAT = "socat";
    private static final String PROXY = "proxy";

    private static final Plan ECHO = new Plan(Way.BLOCK, 64, 10_000, true);
    private static final Plan STREAM = new Plan(Way.BLOCK, 64 << 10, 6_000, false);

    private ForwardingFigures() {}

    public static void main(String[] arguments) throws IOException {
        if (arguments.length == 2 && arguments[0].equals(CONNECTIONS)) {
            openMany(arguments[1]);
            System.exit(0);
        }
        FigureOptions options = FigureOptions.of(arguments, HELP);
        try (OtherJvm server = new OtherJvm(List.of(), Exchange.class, Contestant.JDK.name())) {
            int target = server.number();
            try (Socat socat = new Socat(target);
                    OtherJvm last = proxy("rdma", target);
                    OtherJvm first = proxy("tcp", last.number())) {
                Map<String, Integer> ports = new LinkedHashMap<>();
                ports.put(SOCAT, socat.port());
                ports.put(PROXY, first.number());
                String echo = row("echo 64 B", ECHO, measure(ports, ECHO, options.rounds()), options.json());
                String stream = row("stream 64 KiB", STREAM, measure(ports, STREAM, options.rounds()), options.json());
                System.out.println(options.json() ? "[" + echo + ",\n " + stream + "]" : echo + "\n" + stream);
            }
        }
        System.exit(0);
    }

    private static OtherJvm proxy(String listens, int target) throws IOException {
        return new OtherJvm(List.of(), ProxySide.class, listens, String.valueOf(target));
    }

    private static void openMany(String connections) throws IOException {
        try (OtherJvm server = idle("serve", 0, connections);
                OtherJvm last = proxy("rdma", server.number());
                OtherJvm first = proxy("tcp", last.number());
                OtherJvm client = idle("connect", first.number(), connections)) {
            client.line();
            client.next();
            SetUpTimes times = SetUpTimes.parse(client.line().split(" ")[1]);
            client.next();
            String[] echoUs = client.line().split(" ");
            System.out.printf(
                    Locale.ROOT,
                    "%s connections open; connecting %.0f us (99 %%: %.0f); an echo with all others idle %s us, with 100 others %s us%n",
                    connections,
                    times.lastUs(),
                    times.p99Us(),
                    echoUs[1],
                    echoUs[0]);
        }
    }

    private static OtherJvm idle(String role, int port, String connections) throws IOException {
        return new OtherJvm(List.of(), IdleSide.class, role, Contestant.JDK.name(), String.valueOf(port), connections);
    }

    private static String row(String name, Plan plan, Map<String, double[]> us, boolean json) {
        Contest row = new Contest(name, plan.messageBytes(), !plan.echoes(), SOCAT, us);
        Map<String, Goal> goals = Map.of(PROXY, plan.echoes() ? Goal.atMost(1.2) : Goal.atLeast(0.8));
        return json ? row.json(goals) : row.text(goals);
    }

    private static Map<String, double[]> measure(Map<String, Integer> ports, Plan plan, int rounds) throws IOException {
        Map<String, double[]> us = new LinkedHashMap<>();
        for (int round = -UNMEASURED; round < rounds; round++) {
            for (Map.Entry<String, Integer> port : ports.entrySet()) {
                double one = Exchange.run(Contestant.JDK, port.getValue(), plan) / 1000;
                if (round >= 0) {
                    us.computeIfAbsent(port.getKey(), _ -> new double[rounds])[round] = plan.echoes() ? one / 2 : one;
                }
            }
        }
        return us;
    }
}
