package io.verbena.sockets.nio;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.sockets.stream.StreamSocket;
import io.verbena.sockets.stream.StreamTotals;
import io.verbena.verbs.TransportType;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import jdk.jfr.consumer.RecordingStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which transport carries a connection, and what peers that speak another protocol, half of it or none get. */
@Timeout(60)
class ChoiceOfTransportTest {

    private static final String KEY = "MPA ID Req Frame";

    private static final VerbenaSelectorProvider RDMA = VerbenaSelectorProvider.of(SocketsOptions.defaults()
            .withRdma("*")
            .withProvider("iwarp")
            .withSilence(Duration.ofSeconds(2))
            .withPatience(Duration.ofSeconds(20)));
    private static final VerbenaSelectorProvider IMPATIENT = VerbenaSelectorProvider.of(SocketsOptions.defaults()
            .withRdma("*")
            .withProvider("iwarp")
            .withSilence(Duration.ofMillis(1))
            .withPatience(Duration.ofSeconds(20)));
    private static final VerbenaSelectorProvider PLAIN =
            VerbenaSelectorProvider.of(SocketsOptions.defaults().withProvider("iwarp"));
    private static final SocketsOptions NEAR =
            SocketsOptions.defaults().withSilence(Duration.ofSeconds(2)).withPatience(Duration.ofSeconds(20));

    private static SocketTransport transport(SocketChannel channel) {
        return VerbenaSelectorProvider.transport(channel);
    }

    @Test
    void onePort_servesPlainAndRdma() throws Exception {
        try (Stage stage = new Stage(RDMA)) {
            Stage.Pair pair = stage.pair();
            assertEquals(SocketTransport.IWARP, transport(pair.client()));
            assertEquals(SocketTransport.IWARP, transport(pair.server()));
            for (SelectorProvider other : List.of(PLAIN, SelectorProvider.provider())) {
                SocketChannel client = stage.keep(other.openSocketChannel());
                client.connect(pair.listener().getLocalAddress());
                client.write(Stage.text("plain"));
                SocketChannel server = stage.keep(pair.listener().accept());
                assertEquals(SocketTransport.TCP, transport(server));
                assertEquals(SocketTransport.TCP, transport(client));
                assertEquals("plain", Stage.read(server, 5));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"auto", "shm"})
    void peersOnOneHost_shareMemory_withoutAList(String name) throws Exception {
        VerbenaSelectorProvider near = VerbenaSelectorProvider.of(NEAR.withProvider(name));
        try (Stage stage = new Stage(near)) {
            Stage.Pair pair = stage.pair();
            assertEquals(SocketTransport.SHARED_MEMORY, transport(pair.client()));
            assertEquals(SocketTransport.SHARED_MEMORY, transport(pair.server()));
            assertEquals(pair.client().getLocalAddress(), pair.server().getRemoteAddress());
            assertEquals(pair.listener().getLocalAddress(), pair.client().getRemoteAddress());
            pair.client().write(Stage.text("memory"));
            assertEquals("memory", Stage.read(pair.server(), 6));
            for (SelectorProvider other : List.of(PLAIN, SelectorProvider.provider())) {
                SocketChannel client = stage.keep(other.openSocketChannel());
                client.connect(pair.listener().getLocalAddress());
                client.write(Stage.text("plain"));
                SocketChannel server = stage.keep(pair.listener().accept());
                assertEquals(SocketTransport.TCP, transport(server));
                assertEquals("plain", Stage.read(server, 5));
            }
        }
    }

    @Test
    void boundClient_keepsItsAddressInSharedMemory() throws Exception {
        try (Stage stage = new Stage(VerbenaSelectorProvider.of(NEAR))) {
            ServerSocketChannel listener = stage.listening();
            SocketChannel client = stage.client();
            client.bind(Stage.anyPort());
            var bound = client.getLocalAddress();
            client.connect(listener.getLocalAddress());
            SocketChannel server = stage.keep(listener.accept());
            assertEquals(SocketTransport.SHARED_MEMORY, transport(server));
            assertEquals(bound, client.getLocalAddress());
            assertEquals(bound, server.getRemoteAddress());
        }
    }

    @Test
    void unannouncedServer_isPlain_withOneConnection() throws Exception {
        try (Stage stage = new Stage(VerbenaSelectorProvider.of(NEAR));
                ServerSocketChannel plain = SelectorProvider.provider().openServerSocketChannel()) {
            plain.bind(Stage.anyPort());
            SocketChannel client = stage.client();
            client.connect(plain.getLocalAddress());
            assertEquals(SocketTransport.TCP, transport(client));
            client.write(Stage.text("first"));
            assertEquals("first", Stage.read(stage.keep(plain.accept()), 5));
            plain.configureBlocking(false);
            org.junit.jupiter.api.Assertions.assertNull(plain.accept());
        }
    }

    /** A foreign process has the name of the address: the offer is made in vain. */
    @Test
    void announcementIsFalse_connectFallsBackToTcp() throws Exception {
        try (Stage stage = new Stage(VerbenaSelectorProvider.of(NEAR));
                var liar = io.verbena.verbs.Rnic.open();
                ServerSocketChannel plain = SelectorProvider.provider().openServerSocketChannel()) {
            plain.bind(Stage.anyPort());
            stage.submit(() -> {
                while (true) {
                    SocketChannel peer = plain.accept();
                    peer.write(Stage.text("220 an old server"));
                }
            });
            try (var _ = liar.announce(plain.getLocalAddress())) {
                SocketChannel client = stage.client();
                client.connect(plain.getLocalAddress());
                assertEquals("220 an", Stage.read(client, 6));
                assertEquals(SocketTransport.TCP, transport(client));
            }
        }
    }

    @Test
    void connectionsEnd_totalsKeepWhatTheyCarried() throws Exception {
        VerbenaSelectorProvider provider = VerbenaSelectorProvider.of(
                SocketsOptions.defaults().withRdma("*").withProvider("iwarp"));
        assertEquals(List.of(), provider.totals());
        try (Stage stage = new Stage(provider)) {
            for (int i = 1; i <= 3; i++) {
                Stage.Pair pair = stage.pair();
                pair.client().write(Stage.text("12345"));
                assertEquals("12345", Stage.read(pair.server(), 5));
                // Both ends belong to this provider.
                assertEquals(List.of(new StreamTotals(TransportType.IWARP, 2L * i, 5L * i, 5L * i)), provider.totals());
                pair.client().close();
                pair.server().close();
            }
        }
    }

    @Test
    void listedServerIsPlain_connectFallsBackToTcp_andRemembers() throws Exception {
        try (Stage stage = new Stage(RDMA);
                ServerSocketChannel plain = SelectorProvider.provider().openServerSocketChannel()) {
            plain.bind(Stage.anyPort());
            AtomicInteger connections = new AtomicInteger();
            stage.submit(() -> {
                while (true) {
                    SocketChannel peer = plain.accept();
                    connections.incrementAndGet();
                    stage.submit(() -> {
                        try (peer) {
                            peer.write(Stage.text("220 an old server"));
                            return peer.read(ByteBuffer.allocate(100));
                        }
                    });
                }
            });
            for (int i = 0; i < 2; i++) {
                SocketChannel client = stage.client();
                client.connect(plain.getLocalAddress());
                assertEquals(SocketTransport.TCP, transport(client));
                assertEquals("220 an", Stage.read(client, 6));
            }
            assertEquals(4, connections.get(), "one attempt by RDMA, one question, then TCP only");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void silentPeer_isHandedOverUndecided_andBecomesRdmaByItsFirstBytes(boolean blocking) throws Exception {
        try (Stage stage = new Stage(IMPATIENT)) {
            ServerSocketChannel listener = stage.listening();
            SocketChannel tcp = stage.keep(SelectorProvider.provider().openSocketChannel());
            tcp.connect(listener.getLocalAddress());
            SocketChannel server = stage.keep(listener.accept());
            assertEquals(0, server.write(Stage.text(""))); // nothing is no decision
            assertEquals(0, server.write(new ByteBuffer[] {Stage.text(""), Stage.text("")}));
            assertEquals(SocketTransport.UNDECIDED, transport(server));
            try (var network = io.verbena.sockets.stream.StreamNetwork.open(
                    io.verbena.verbs.RnicOptions.defaults().withProvider("iwarp"),
                    io.verbena.sockets.stream.StreamOptions.defaults())) {
                var client = network.startConversion(tcp);
                Future<String> received = stage.submit(() -> blocking ? Stage.read(server, 5) : select(stage, server));
                assertTrue(client.awaitReady(io.verbena.sockets.stream.StreamSocket.CONNECTED, 20_000_000_000L));
                assertTrue(client.finishConnect());
                client.write(Stage.text("bytes"));
                assertEquals("bytes", received.get());
                assertEquals(SocketTransport.IWARP, transport(server));
            }
        }
    }

    @Test
    void silentPeer_asksWhileTheProgramAccepts_becomesRdma() throws Exception {
        try (Stage stage = new Stage(IMPATIENT);
                var network = io.verbena.sockets.stream.StreamNetwork.open(
                        io.verbena.verbs.RnicOptions.defaults().withProvider("iwarp"),
                        io.verbena.sockets.stream.StreamOptions.defaults())) {
            ServerSocketChannel listener = stage.listening();
            for (int i = 0; i < 30; i++) {
                SocketChannel tcp = stage.keep(SelectorProvider.provider().openSocketChannel());
                tcp.connect(listener.getLocalAddress());
                LockSupport.parkNanos(2_000_000); // the peer waits to be accepted
                Future<SocketChannel> accepted = stage.submit(listener::accept);
                LockSupport.parkNanos(i * 100_000L);
                var client = network.startConversion(tcp);
                SocketChannel server = stage.keep(accepted.get());
                Future<String> received = stage.submit(() -> select(stage, server));
                assertTrue(client.awaitReady(io.verbena.sockets.stream.StreamSocket.CONNECTED, 20_000_000_000L));
                client.write(Stage.text("bytes"));
                assertEquals("bytes", received.get());
                assertEquals(SocketTransport.IWARP, transport(server));
            }
        }
    }

    private static String select(Stage stage, SocketChannel server) throws Exception {
        server.configureBlocking(false);
        Selector selector = stage.selector();
        SelectionKey key = server.register(selector, SelectionKey.OP_READ);
        assertEquals(SelectionKey.OP_READ, Stage.await(selector, key, SelectionKey.OP_READ));
        return Stage.read(server, 5);
    }

    @Test
    void silentPeer_programWritesFirst_isTcp() throws Exception {
        try (Stage stage = new Stage(IMPATIENT);
                SocketChannel client = SelectorProvider.provider().openSocketChannel()) {
            ServerSocketChannel listener = stage.listening();
            client.connect(listener.getLocalAddress());
            SocketChannel server = stage.keep(listener.accept());
            server.write(Stage.text("banner"));
            assertEquals("banner", Stage.read(client, 6));
            client.write(Stage.text(KEY));
            assertEquals(KEY, Stage.read(server, 16));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {KEY, "VRBNSHMO"})
    void firstBytes_atEachLengthOfARequest_thenOtherBytes_areRead(String key) throws Exception {
        try (Stage stage = new Stage(IMPATIENT)) {
            ServerSocketChannel listener = stage.listening();
            for (int length = 0; length <= key.length(); length++) {
                try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port(listener))) {
                    String sent = key.substring(0, length);
                    client.getOutputStream().write(sent.getBytes());
                    SocketChannel server = stage.keep(listener.accept());
                    client.shutdownOutput();
                    assertEquals(sent + "|end", Stage.read(server, 100));
                }
            }
        }
    }

    private static int port(ServerSocketChannel listener) throws Exception {
        return ((InetSocketAddress) listener.getLocalAddress()).getPort();
    }

    @Test
    void peersWithHalfARequest_doNotDelayOthers() throws Exception {
        try (Stage stage = new Stage(IMPATIENT)) {
            ServerSocketChannel listener = stage.server();
            listener.bind(Stage.anyPort(), 5);
            List<Socket> silent = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                Socket half = stage.keep(new Socket(InetAddress.getLoopbackAddress(), port(listener)));
                half.getOutputStream().write("MPA ID".getBytes());
                silent.add(half);
                stage.keep(listener.accept());
            }
            SocketChannel client = stage.keep(PLAIN.openSocketChannel());
            client.connect(listener.getLocalAddress());
            client.write(Stage.text("x"));
            assertEquals("x", Stage.read(stage.keep(listener.accept()), 1));
            assertEquals(20, silent.size());
        }
    }

    @Test
    void manyReaders_onVirtualThreads_pinNothing() throws Exception {
        AtomicInteger pinned = new AtomicInteger();
        try (RecordingStream events = new RecordingStream();
                Stage stage = new Stage(RDMA)) {
            events.enable("jdk.VirtualThreadPinned").withThreshold(Duration.ofMillis(20));
            events.onEvent("jdk.VirtualThreadPinned", event -> {
                if (String.valueOf(event.getStackTrace()).contains("verbena")) {
                    pinned.incrementAndGet();
                }
            });
            events.startAsync();
            ServerSocketChannel listener = stage.listening();
            List<SocketChannel> clients = new ArrayList<>();
            List<Future<String>> readers = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                SocketChannel client = stage.client();
                client.connect(listener.getLocalAddress());
                clients.add(client);
                SocketChannel server = stage.keep(listener.accept());
                readers.add(stage.submit(() -> Stage.read(server, 1)));
            }
            for (SocketChannel client : clients) {
                client.write(Stage.text("x"));
            }
            for (Future<String> reader : readers) {
                assertEquals("x", reader.get());
            }
            events.stop();
            assertEquals(0, pinned.get());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "*, host, 1, true",
        "*:9092, host, 9092, true",
        "*:9092, host, 9093, false",
        "kafka-*:9092, kafka-7, 9092, true",
        "kafka-*:9092, zookeeper, 9092, false",
        "10.0.0.0/8, 10.200.3.4, 1, true",
        "10.0.0.0/8, 11.0.0.1, 1, false",
        "10.0.0.128/25:80, 10.0.0.129, 80, true",
        "10.0.0.128/25:80, 10.0.0.127, 80, false",
        "[fd00::/8]:80, fd12::1, 80, true",
        "[0:0:0:0:0:0:0:1], ::1, 80, true",
        "a.b, axb, 1, false",
    })
    void pattern_matches(String pattern, String host, int port, boolean expected) throws Exception {
        InetSocketAddress peer = Character.isDigit(host.charAt(0)) || host.contains(":")
                ? new InetSocketAddress(InetAddress.ofLiteral(host), port)
                : new InetSocketAddress(InetAddress.getByAddress(host, new byte[] {9, 9, 9, 9}), port);
        assertEquals(expected, PeerPattern.of(pattern).matches(peer));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ":80", "host:0", "host:x", "10.0.0.0/33", "host/8", "[::1"})
    void pattern_wrong_isRejected(String pattern) {
        assertThrows(IllegalArgumentException.class, () -> PeerPattern.of(pattern));
    }

    @Test
    void options_comeFromProperties() {
        SocketsOptions options = SocketsOptions.from(java.util.Map.of(
                SocketsOptions.RDMA, "a, b:7", SocketsOptions.PROVIDER, "iwarp", SocketsOptions.BUFFER, "65536")::get);
        assertEquals(2, options.rdma().size());
        assertEquals(65536, options.streams().mostBufferBytes());
        assertFalse(SocketsOptions.from(_ -> null).lists(new InetSocketAddress("127.0.0.1", 1)));
    }

    /** A selector reads the request while the program takes the channel: no read follows that decides. */
    @Test
    void requestIsReadWhileProgramAccepts_channelBecomesRdma() throws Exception {
        Networks networks =
                new Networks(JdkProvider.find(), SocketsOptions.defaults().withProvider("iwarp"));
        try (Stage stage = new Stage(RDMA);
                ServerSocketChannel listener = networks.jdk().openServerSocketChannel()) {
            listener.bind(Stage.anyPort());
            SocketChannel tcp = stage.keep(networks.jdk().openSocketChannel());
            tcp.connect(listener.getLocalAddress());
            StreamSocket client = networks.streams().startConversion(tcp);
            PlainCarrier plain = PlainCarrier.undecided(listener.accept());
            while (plain.decision() == PlainCarrier.Decision.UNDECIDED) {
                plain.readFirstWithin();
            }
            VerbenaSocketChannel server = stage.keep(VerbenaSocketChannel.accepted(RDMA, networks, plain));
            server.onAccepted();
            assertTrue(client.awaitReady(StreamSocket.CONNECTED, 20_000_000_000L));
            assertTrue(client.finishConnect());
            assertEquals(SocketTransport.IWARP, transport(server));
            client.close();
        }
    }

    /** A selection that does not wait looks at the key, because its interest has changed, and finds the request then. */
    @Test
    void requestIsFoundBySelectionThatLooksAtTheKey_channelBecomesRdma() throws Exception {
        Networks networks =
                new Networks(JdkProvider.find(), SocketsOptions.defaults().withProvider("iwarp"));
        try (Stage stage = new Stage(IMPATIENT);
                Selector selector = stage.selector()) {
            byte[] request = request(stage, networks);
            ServerSocketChannel listener = stage.listening();
            SocketChannel client = stage.keep(networks.jdk().openSocketChannel());
            client.connect(listener.getLocalAddress());
            SocketChannel server = stage.keep(listener.accept());
            assertEquals(SocketTransport.UNDECIDED, transport(server));
            server.configureBlocking(false);
            SelectionKey key = server.register(selector, 0);
            selector.selectNow();
            client.write(ByteBuffer.wrap(request));
            key.interestOps(SelectionKey.OP_READ);
            client.configureBlocking(false);
            ByteBuffer reply = ByteBuffer.allocate(16);
            long startNs = System.nanoTime();
            while (client.read(reply) == 0 && System.nanoTime() - startNs < 10_000_000_000L) {
                selector.selectNow();
            }
            assertEquals("MPA ID Rep Frame", new String(reply.array(), US_ASCII));
        }
    }

    /** The request with which a stream socket begins. */
    private static byte[] request(Stage stage, Networks networks) throws Exception {
        ServerSocketChannel listener = stage.keep(networks.jdk().openServerSocketChannel());
        listener.bind(Stage.anyPort());
        SocketChannel tcp = stage.keep(networks.jdk().openSocketChannel());
        tcp.connect(listener.getLocalAddress());
        PlainCarrier plain = PlainCarrier.undecided(stage.keep(listener.accept()));
        StreamSocket socket = networks.streams().startConversion(tcp);
        while (plain.decision() == PlainCarrier.Decision.UNDECIDED) {
            plain.readFirstWithin();
        }
        socket.abort();
        return plain.request();
    }
}
