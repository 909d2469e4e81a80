package io.verbena.sockets.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.verbena.sockets.stream.StreamFigures.BufferPhase;
import io.verbena.sockets.stream.StreamTotals;
import io.verbena.verbs.TransportType;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which channels are rings, and what selectors do with many of them. */
@Timeout(60)
class RingChoiceTest {

    private static VerbenaSelectorProvider provider(boolean rings) {
        SocketsOptions options = SocketsOptions.defaults();
        return VerbenaSelectorProvider.of(options.withPatience(Duration.ofSeconds(20))
                .withSilence(Duration.ofSeconds(2))
                .withStreams(options.streams().withRings(rings).withConnectTimeout(Duration.ofSeconds(30))));
    }

    private static String carrier(SocketChannel channel) {
        return String.valueOf(((CarriedChannel) channel).carrier).replaceAll("\\[.*", "");
    }

    @ParameterizedTest
    @CsvSource({
        "true, true, RingCarrier",
        "true, false, StreamCarrier",
        "false, true, StreamCarrier",
        "false, false, StreamCarrier"
    })
    void rings_areUsed_ifBothSidesStateThem(boolean atClient, boolean atServer, String expected) throws Exception {
        try (ServerSocketChannel listener = provider(atServer).openServerSocketChannel();
                SocketChannel client = provider(atClient).openSocketChannel()) {
            listener.bind(Stage.anyPort());
            client.connect(listener.getLocalAddress());
            try (SocketChannel server = listener.accept()) {
                client.write(Stage.text("hello"));
                assertEquals("hello", Stage.read(server, 5));
                assertEquals(List.of(expected, expected), List.of(carrier(client), carrier(server)));
                assertEquals(SocketTransport.SHARED_MEMORY, Stage.transport(client));
                assertEquals(client.getLocalAddress(), server.getRemoteAddress());
            }
        }
    }

    @Test
    void option_isTrueOrFalse() {
        assertEquals(
                true, SocketsOptions.of(Map.of(SocketsOptions.RING, "true")).rings());
        assertEquals(
                false, SocketsOptions.of(Map.of(SocketsOptions.RING, "false")).rings());
        Map<String, String> wrong = Map.of(SocketsOptions.RING, "on");
        assertThrows(IllegalArgumentException.class, () -> SocketsOptions.of(wrong));
    }

    @Test
    void figuresAndTotals_countBothDirections() throws Exception {
        VerbenaSelectorProvider provider = provider(true);
        try (Stage stage = new Stage(provider)) {
            Stage.Pair pair = stage.pair();
            Stage.writeAll(pair.client(), Stage.text("hello"));
            assertEquals("hello", Stage.read(pair.server(), 5));
            SocketFigures client = provider.figures().getFirst();
            assertEquals(SocketTransport.SHARED_MEMORY, client.transport());
            assertEquals(5, client.stream().sent().bytes());
            assertEquals(BufferPhase.FIRST, client.stream().buffers().phase());
            assertEquals(List.of(new StreamTotals(TransportType.SHARED_MEMORY, 2, 5, 5)), provider.totals());
        }
        assertEquals(List.of(new StreamTotals(TransportType.SHARED_MEMORY, 2, 5, 5)), provider.totals());
    }

    /** More streams than a selector looks at in each selection: the quiet ones signal, and none is forgotten. */
    @Test
    void manyStreams_inOneSelector_areAllFound_whileOneIsBusy() throws Exception {
        int streams = 24;
        try (Stage stage = new Stage(provider(true));
                Selector selector = stage.provider.openSelector()) {
            ServerSocketChannel listener = stage.listening();
            List<SocketChannel> clients = new ArrayList<>();
            for (int i = 0; i < streams; i++) {
                SocketChannel client = stage.client();
                client.connect((InetSocketAddress) listener.getLocalAddress());
                clients.add(client);
                SocketChannel server = stage.keep(listener.accept());
                server.configureBlocking(false);
                server.register(selector, SelectionKey.OP_READ, i);
            }
            int[] read = new int[streams];
            ByteBuffer bytes = ByteBuffer.allocate(64);
            for (int round = 0; round < 400; round++) {
                int quiet = round % (streams - 1) + 1;
                clients.getFirst().write(Stage.text("x"));
                if (round % 20 == 19) {
                    clients.get(quiet).write(Stage.text("y"));
                }
                int wanted = round + 1 + (round + 1) / 20;
                while (java.util.Arrays.stream(read).sum() < wanted) {
                    selector.select();
                    for (SelectionKey key : selector.selectedKeys()) {
                        read[(int) key.attachment()] += ((SocketChannel) key.channel()).read(bytes.clear());
                    }
                    selector.selectedKeys().clear();
                }
            }
            assertEquals(400, read[0]);
        }
    }
}
