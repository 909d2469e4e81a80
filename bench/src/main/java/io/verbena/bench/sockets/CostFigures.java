package io.verbena.bench.sockets;

import io.verbena.bench.side.Spread;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * The processor time of a message of 64 bytes, from the write to the read of its last byte: both ends of a
 * connection are in one thread, which writes to one and reads from the other. No thread waits, so that the figure
 * hardly depends on what else the machine does, and two that poll on processors of their own take this time and
 * that of their looks. The contestants run in turn.
 */
final class CostFigures {

    private static final int ROUNDS = 7;
    private static final int WARM_UPS = 3;
    private static final int BYTES = 64;
    private static final int MESSAGES = 40_000;
    private static final int SHORTER = 50;
    private static final double NS_PER_US = 1e3;
    private static final List<Contestant> CONTESTANTS = List.of(Contestant.JDK, Contestant.RING, Contestant.IWARP);
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    record Pair(SocketChannel one, SocketChannel other) {
        static Pair open(Contestant contestant) throws IOException {
            try (ServerSocketChannel listener = contestant.patient().openServerSocketChannel()) {
                listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                SocketAddress address = listener.getLocalAddress();
                SocketChannel client = contestant.provider().openSocketChannel();
                CompletableFuture<Void> connected = CompletableFuture.runAsync(() -> connect(client, address));
                Pair pair = new Pair(client, listener.accept());
                connected.join();
                if (!contestant.carries(client)) {
                    throw new IOException("a connection is not carried by " + contestant + " but by TCP");
                }
                for (SocketChannel side : List.of(pair.one, pair.other)) {
                    side.configureBlocking(false);
                    side.setOption(StandardSocketOptions.TCP_NODELAY, true);
                }
                return pair;
            }
        }

        private static void connect(SocketChannel client, SocketAddress address) {
            try {
                client.connect(address);
            } catch (IOException e) {
                throw new CompletionException(e);
            }
        }

        /** Nanoseconds of a message in each direction in turn. */
        double run(int messages) throws IOException {
            ByteBuffer message = ByteBuffer.allocateDirect(BYTES);
            ByteBuffer into = ByteBuffer.allocateDirect(BYTES);
            long beganNs = THREADS.getCurrentThreadCpuTime();
            for (int i = 0; i < messages / 2; i++) {
                pass(one, other, message.clear(), into.clear());
                pass(other, one, message.clear(), into.clear());
            }
            return (THREADS.getCurrentThreadCpuTime() - beganNs) / (double) messages;
        }

        private static void pass(SocketChannel from, SocketChannel to, ByteBuffer message, ByteBuffer into)
                throws IOException {
            while (into.hasRemaining()) {
                if (message.hasRemaining()) {
                    from.write(message);
                }
                if (to.read(into) < 0) {
                    throw new IOException("a connection has ended");
                }
            }
        }
    }

    private CostFigures() {}

    static void print(boolean brief, boolean json) throws IOException {
        int messages = brief ? MESSAGES / SHORTER : MESSAGES;
        Map<Contestant, Pair> pairs = new EnumMap<>(Contestant.class);
        for (Contestant contestant : CONTESTANTS) {
            pairs.put(contestant, Pair.open(contestant));
        }
        Map<Contestant, double[]> ns = new EnumMap<>(Contestant.class);
        for (int round = -WARM_UPS; round < ROUNDS; round++) {
            for (Map.Entry<Contestant, Pair> each : pairs.entrySet()) {
                double one = each.getValue().run(messages);
                if (round >= 0) {
                    ns.computeIfAbsent(each.getKey(), _ -> new double[ROUNDS])[round] = one;
                }
            }
        }
        double[] jdk = ns.getOrDefault(Contestant.JDK, new double[ROUNDS]);
        List<String> rows = new ArrayList<>();
        ns.forEach((contestant, each) -> rows.add(String.format(
                Locale.ROOT,
                json
                        ? "{\"name\":\"%s\",\"us\":%.3f,\"timesJdk\":%.3f}"
                        : "%-5s a message of 64 B takes %6.2f us of a processor (%.2f of the JDK)",
                contestant.name().toLowerCase(Locale.ROOT),
                Spread.of(each).median() / NS_PER_US,
                Spread.ofRatios(each, jdk).median())));
        System.out.println(json ? "[" + String.join(",\n ", rows) + "]" : String.join("\n", rows));
    }
}
