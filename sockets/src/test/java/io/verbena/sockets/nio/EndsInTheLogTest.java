package io.verbena.sockets.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Seeds;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the log says of each way in which a connection ends: nothing of an end that a program has made, and one sentence of a loss. */
@Timeout(120)
class EndsInTheLogTest {

    private static final Logger LOGGER = Logger.getLogger("io.verbena");

    private static final Map<String, SocketTransport> TRANSPORTS =
            Map.of("shm", SocketTransport.SHARED_MEMORY, "iwarp", SocketTransport.IWARP, "roce", SocketTransport.ROCE);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** One side ends a connection, and the other one takes note of that. */
    private interface End {
        void run(SocketChannel one, SocketChannel other) throws Exception;
    }

    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord line) {
            if (line.getLevel().intValue() >= Level.INFO.intValue()) {
                lines.add(line.getMessage());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    EndsInTheLogTest() {
        LOGGER.addHandler(handler);
    }

    @AfterEach
    void close() {
        LOGGER.removeHandler(handler);
    }

    private static Map<String, End> ends() {
        Map<String, End> ends = new LinkedHashMap<>();
        ends.put("close, then the other", (one, other) -> {
            one.close();
            Stage.read(other, 1);
            other.close();
        });
        ends.put("shutdownOutput, then close of both", (one, other) -> {
            one.shutdownOutput();
            Stage.read(other, 1);
            other.write(Stage.text("last"));
            other.close();
            Stage.read(one, 5);
            one.close();
        });
        ends.put("close of both at once", (one, other) -> {
            Thread second = Thread.ofPlatform()
                    .start(() -> Stage.tryOut(() -> {
                        other.close();
                        return "";
                    }));
            one.close();
            second.join();
        });
        ends.put("close, and the other writes until it fails", (one, other) -> {
            one.close();
            Stage.read(other, 1);
            String outcome = "";
            while (!outcome.startsWith("java")) {
                outcome = Stage.tryOut(() -> other.write(Stage.text("x")));
            }
            other.close();
        });
        ends.put("close with bytes on their way", (one, other) -> {
            Stage.writeAll(one, ByteBuffer.allocate(1 << 18));
            one.close();
            Stage.read(other, 1 << 19);
            other.close();
        });
        ends.put("SO_LINGER 0", (one, other) -> {
            one.setOption(StandardSocketOptions.SO_LINGER, 0);
            one.close();
            Stage.tryOut(() -> Stage.read(other, 1));
            other.close();
        });
        ends.put("SO_LINGER 0 with bytes on their way", (one, other) -> {
            Stage.writeAll(one, ByteBuffer.allocate(1 << 18));
            one.setOption(StandardSocketOptions.SO_LINGER, 0);
            one.close();
            Stage.tryOut(() -> Stage.read(other, 1 << 19));
            other.close();
        });
        ends.put("close with bytes that were not read", (one, other) -> {
            other.write(Stage.text("unread"));
            one.close();
            Stage.tryOut(() -> Stage.read(other, 1));
            other.close();
        });
        return ends;
    }

    private static VerbenaSelectorProvider provider(String carrier, InetAddress address) {
        return VerbenaSelectorProvider.of(SocketsOptions.defaults()
                .withPatience(PATIENCE)
                .withSilence(Duration.ofSeconds(2))
                .withRdma("*")
                .withProvider(carrier)
                .withDevice(carrier.equals("roce") ? address.getHostAddress() : ""));
    }

    private static String remote(SocketChannel channel) throws IOException {
        InetSocketAddress remote = (InetSocketAddress) channel.getRemoteAddress();
        return remote.getAddress().getHostAddress() + ":" + remote.getPort();
    }

    /** The lines with one of these addresses: other tests may run in this JVM. */
    private List<String> about(String... addresses) {
        return lines.stream()
                .filter(line -> Stream.of(addresses).anyMatch(line::contains))
                .toList();
    }

    private static InetAddress address(String carrier) {
        return carrier.equals("roce") ? Stage.freeAddress() : InetAddress.getLoopbackAddress();
    }

    private static void awaitEnd(VerbenaSelectorProvider provider) {
        assertTrue(provider.networks().streams().awaitEmpty(PATIENCE));
    }

    @ParameterizedTest
    @ValueSource(strings = {"shm", "iwarp", "roce"})
    void endOfAProgramsMaking_isNotLogged(String carrier) throws Exception {
        InetAddress address = address(carrier);
        VerbenaSelectorProvider provider = provider(carrier, address);
        TreeMap<String, List<String>> logged = new TreeMap<>();
        TreeMap<String, List<String>> expected = new TreeMap<>();
        for (boolean clientEnds : List.of(true, false)) {
            for (Map.Entry<String, End> each : ends().entrySet()) {
                try (Stage stage = new Stage(provider, address)) {
                    Stage.Pair pair = stage.pair();
                    assertEquals(TRANSPORTS.get(carrier), Stage.transport(pair.server()));
                    pair.client().write(Stage.text("x"));
                    assertEquals("x", Stage.read(pair.server(), 1));
                    SocketChannel ends = clientEnds ? pair.client() : pair.server();
                    String client = remote(pair.server());
                    String server = remote(pair.client());
                    each.getValue().run(ends, clientEnds ? pair.server() : pair.client());
                    String name = each.getKey() + " by the " + (clientEnds ? "client" : "server");
                    awaitEnd(provider);
                    logged.put(name, about(client, server));
                    expected.put(name, List.of());
                }
            }
        }
        assertEquals(expected, logged);
    }

    /**
     * How a process ends.
     *
     * @param lost whether the peer reads a reset, and the log has a line: over RoCE no system reports the death of a process
     */
    private record ProcessEnd(String carrier, String kind, boolean lost) {}

    private static final List<ProcessEnd> PROCESS_ENDS = List.of(
            new ProcessEnd("shm", "exit", false),
            new ProcessEnd("shm", "halt", false),
            new ProcessEnd("iwarp", "exit", false),
            new ProcessEnd("iwarp", "halt", false),
            new ProcessEnd("roce", "exit", false),
            new ProcessEnd("roce", "halt", true));

    /** Every run takes one of them; {@code -Dverbena.seeds=2} or more runs all. */
    @Tag(Seeds.TAG)
    @Test
    void endOfTheProcess_isLoggedWhereItIsALoss() throws Exception {
        boolean all = Integer.getInteger("verbena.seeds", 1) > 1;
        int one = new SplittableRandom(Seeds.one(1)).nextInt(PROCESS_ENDS.size());
        for (ProcessEnd each : all ? PROCESS_ENDS : List.of(PROCESS_ENDS.get(one))) {
            end(each);
        }
    }

    private void end(ProcessEnd end) throws Exception {
        InetAddress address = address(end.carrier());
        VerbenaSelectorProvider provider = provider(end.carrier(), address);
        try (ServerSocketChannel listener = provider.openServerSocketChannel()) {
            listener.bind(new InetSocketAddress(address, 0));
            int port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
            Process child = ChildJvm.start(Peer.class, end.carrier(), address.getHostAddress(), port, end.kind());
            String remote;
            try (SocketChannel server = listener.accept()) {
                remote = remote(server);
                assertEquals(TRANSPORTS.get(end.carrier()), Stage.transport(server));
                Stage.read(server, 1);
                server.write(Stage.text("x"));
                child.waitFor();
                server.write(Stage.text("y")); // over RoCE, an idle connection would be probed only later
                String expected = end.lost() ? "java.net.SocketException: Connection reset" : "|end";
                assertEquals(expected, Stage.tryOut(() -> Stage.read(server, 1)), end.toString());
            } finally {
                child.destroyForcibly();
            }
            awaitEnd(provider);
            assertEquals(end.lost() ? 1 : 0, about(remote).size(), end + " " + about(remote));
        }
    }

    /** Connects, exchanges a byte, and ends without a close. */
    static final class Peer {

        private Peer() {}

        public static void main(String[] arguments) throws IOException {
            InetAddress address = InetAddress.getByName(arguments[1]);
            SocketChannel channel =
                    provider(arguments[0], address(arguments[0])).openSocketChannel();
            channel.connect(new InetSocketAddress(address, Integer.parseInt(arguments[2])));
            channel.write(Stage.text("x"));
            Stage.read(channel, 1);
            if (arguments[3].startsWith("halt")) {
                Runtime.getRuntime().halt(0);
            }
            System.exit(0);
        }
    }
}
