package io.verbena.bench.netty;

import io.verbena.bench.side.Contest;
import io.verbena.bench.side.FigureOptions;
import io.verbena.bench.side.Goal;
import io.verbena.bench.sockets.OtherJvm;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Our transport of Netty beside Netty's epoll transport over loopback TCP; each has two JVMs, with one event loop each. */
public final class NettyFigures {

    private static final String HELP = """
            Usage: bench/netty [--quick] [--json]

            Half a round trip of 64 B and a stream of 64 KiB between two event loops in two JVMs: our transport of Netty over shared
            memory and iWARP beside Netty's epoll transport over loopback TCP, once with loops that poll on both sides
            (SelectStrategy.BUSY_WAIT) and once with loops that wait. The transports run in turn. A figure is the median of seven
            rounds, and a ratio the median of the ratios in each round: of times for the echo, of speeds for the stream.

              --quick   three rounds
              --json    the figures for programs
              --help    this text""";

    /** Rounds in which the JVMs compile. */
    private static final int UNMEASURED = 2;

    private static final Map<String, Goal> ECHO_GOALS = Map.of("shm", Goal.atMost(0.45), "iwarp", Goal.atMost(1));
    private static final Map<String, Goal> STREAM_GOALS = Map.of("shm", Goal.atLeast(2.5), "iwarp", Goal.atLeast(0.95));

    private NettyFigures() {}

    public static void main(String[] arguments) throws IOException {
        FigureOptions options = FigureOptions.of(arguments, HELP);
        List<OtherJvm> servers = new ArrayList<>();
        Map<NettyTransport, OtherJvm> clients = new EnumMap<>(NettyTransport.class);
        try {
            for (NettyTransport transport : NettyTransport.values()) {
                OtherJvm server = side("serve", transport.name());
                servers.add(server);
                clients.put(transport, side("connect", transport.name(), String.valueOf(server.number())));
            }
            print(measure(clients, options.rounds()), options.json());
        } finally {
            clients.values().forEach(OtherJvm::close);
            servers.forEach(OtherJvm::close);
        }
    }

    private static OtherJvm side(String... arguments) throws IOException {
        return new OtherJvm(List.of("-Xmx1g"), NettySide.class, arguments);
    }

    private static List<Map<String, double[]>> measure(Map<NettyTransport, OtherJvm> clients, int rounds)
            throws IOException {
        List<NettyPlan> plans = NettyPlan.all();
        List<Map<String, double[]>> figures = new ArrayList<>();
        plans.forEach(_ -> figures.add(new LinkedHashMap<>()));
        for (int round = -UNMEASURED; round < rounds; round++) {
            for (Map<String, double[]> row : figures) {
                for (Map.Entry<NettyTransport, OtherJvm> client : clients.entrySet()) {
                    client.getValue().next();
                    double us = Double.parseDouble(client.getValue().line());
                    if (round >= 0) {
                        row.computeIfAbsent(client.getKey().title(), _ -> new double[rounds])[round] = us;
                    }
                }
            }
        }
        return figures;
    }

    private static void print(List<Map<String, double[]>> figures, boolean json) {
        List<NettyPlan> plans = NettyPlan.all();
        List<String> rows = new ArrayList<>();
        for (int i = 0; i < plans.size(); i++) {
            NettyPlan plan = plans.get(i);
            Contest row = new Contest(
                    plan.title(), plan.messageBytes(), !plan.echoes(), NettyTransport.EPOLL.title(), figures.get(i));
            Map<String, Goal> goals = plan.echoes() ? ECHO_GOALS : STREAM_GOALS;
            rows.add(json ? row.json(goals) : row.text(goals));
        }
        System.out.println(json ? "[" + String.join(",\n ", rows) + "]" : String.join("\n", rows));
    }
}
