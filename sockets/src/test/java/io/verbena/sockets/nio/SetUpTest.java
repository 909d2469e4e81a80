package io.verbena.sockets.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.sockets.nio.opening.ClientOpening;
import io.verbena.sockets.nio.opening.FirstBytes;
import io.verbena.sockets.stream.StreamListener;
import io.verbena.sockets.stream.StreamNetwork;
import io.verbena.sockets.stream.StreamOptions;
import io.verbena.sockets.stream.StreamSocket;
import io.verbena.verbs.RnicOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What set-up keeps that TCP keeps: connections, their first bytes, and the limits of a server. */
@Timeout(120)
class SetUpTest {

    private static final SocketsOptions PATIENT =
            SocketsOptions.defaults().withRdma("*").withPatience(Duration.ofSeconds(20));

    private static VerbenaSelectorProvider provider(String carrier) {
        return VerbenaSelectorProvider.of(PATIENT.withProvider(carrier));
    }

    private static SocketTransport transport(SocketChannel channel) {
        return VerbenaSelectorProvider.transport(channel);
    }

    private static int port(ServerSocketChannel listener) throws Exception {
        return ((InetSocketAddress) listener.getLocalAddress()).getPort();
    }

    /** A connection of TCP on which a client of ours has asked, and asks nothing else. */
    private static Socket asked(Stage stage, ServerSocketChannel listener, ClientOpening opening) throws Exception {
        Socket socket = stage.keep(new Socket(InetAddress.getLoopbackAddress(), port(listener)));
        socket.getOutputStream().write(opening.upgrade());
        return socket;
    }

    private static byte[] reply(Socket socket) throws Exception {
        return socket.getInputStream().readNBytes(FirstBytes.UPGRADE_BYTES);
    }

    @ParameterizedTest
    @ValueSource(strings = {"auto", "iwarp"})
    void serverAcceptsOnceAndSpeaksFirst_keepsItsClient(String carrier) throws Exception {
        try (Stage stage = new Stage(provider(carrier))) {
            for (int i = 0; i < 20; i++) {
                ServerSocketChannel listener = stage.listening();
                Future<Integer> served = stage.submit(() -> {
                    SocketChannel peer = stage.keep(listener.accept());
                    listener.close();
                    return peer.write(Stage.text("x"));
                });
                SocketChannel client = stage.client();
                client.connect(listener.getLocalAddress());
                assertEquals("x", Stage.read(client, 1));
                assertEquals(1, served.get());
            }
        }
    }

    /** The program has accepted the silent connection and has written before the upgrade arrives. */
    @Test
    void upgradeArrivesAfterTheProgramHasWritten_isDropped_andTheConnectionRemains() throws Exception {
        try (Stage stage = new Stage(VerbenaSelectorProvider.of(PATIENT.withSilence(Duration.ofMillis(1))))) {
            ServerSocketChannel listener = stage.listening();
            ClientOpening opening = new ClientOpening(7);
            Socket client = stage.keep(new Socket(InetAddress.getLoopbackAddress(), port(listener)));
            SocketChannel server = stage.keep(listener.accept());
            server.write(Stage.text("hello"));
            client.getOutputStream().write(opening.upgrade());
            assertEquals("hello", new String(client.getInputStream().readNBytes(5), StandardCharsets.US_ASCII));
            client.getOutputStream().write(opening.withdraw());
            client.getOutputStream().write("MPA bytes".getBytes(StandardCharsets.US_ASCII));
            assertEquals("MPA bytes", Stage.read(server, 9));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void upgradeArrivesAfterTheProgramHasAccepted_isDeclined(boolean blocking) throws Exception {
        try (Stage stage = new Stage(VerbenaSelectorProvider.of(PATIENT.withSilence(Duration.ofMillis(1))))) {
            ServerSocketChannel listener = stage.listening();
            ClientOpening opening = new ClientOpening(7);
            Socket client = stage.keep(new Socket(InetAddress.getLoopbackAddress(), port(listener)));
            SocketChannel server = stage.keep(listener.accept());
            assertEquals(SocketTransport.UNDECIDED, transport(server));
            Future<String> received = stage.submit(() -> blocking ? Stage.read(server, 2) : selected(stage, server));
            client.getOutputStream().write(opening.upgrade());
            opening.onBytes(ByteBuffer.wrap(reply(client)));
            assertEquals(ClientOpening.State.DECLINED, opening.state());
            client.getOutputStream().write(opening.withdraw());
            client.getOutputStream().write("ok".getBytes(StandardCharsets.US_ASCII));
            assertEquals("ok", received.get());
            assertEquals(SocketTransport.TCP, transport(server));
        }
    }

    private static String selected(Stage stage, SocketChannel server) throws Exception {
        server.configureBlocking(false);
        Selector selector = stage.selector();
        server.register(selector, SelectionKey.OP_READ);
        ByteBuffer read = ByteBuffer.allocate(2);
        while (read.hasRemaining()) {
            selector.select();
            selector.selectedKeys().clear();
            server.read(read);
        }
        return new String(read.array(), StandardCharsets.US_ASCII);
    }

    @Test
    void clientGivesUp_isNeverShown() throws Exception {
        try (Stage stage = new Stage(provider("iwarp"))) {
            ServerSocketChannel listener = stage.listening();
            Socket gone = asked(stage, listener, new ClientOpening(1));
            reply(gone);
            gone.close();
            SocketChannel client = stage.client();
            client.connect(listener.getLocalAddress());
            SocketChannel server = stage.keep(listener.accept());
            assertEquals(client.getLocalAddress(), server.getRemoteAddress());
            listener.configureBlocking(false);
            assertNull(listener.accept());
        }
    }

    @Test
    void replyCrossesTheWithdrawal_bothAreTcp_andNoByteIsLost() throws Exception {
        try (Stage stage = new Stage(provider("iwarp"))) {
            ServerSocketChannel listener = stage.listening();
            ClientOpening opening = new ClientOpening(9);
            Socket client = asked(stage, listener, opening);
            byte[] crossing = reply(client);
            client.getOutputStream().write(opening.withdraw());
            client.getOutputStream().write("first".getBytes(StandardCharsets.US_ASCII));
            opening.onBytes(ByteBuffer.wrap(crossing));
            assertEquals(ClientOpening.State.PLAIN, opening.state());
            assertFalse(opening.read().hasRemaining());
            SocketChannel server = stage.keep(listener.accept());
            assertEquals(SocketTransport.TCP, transport(server));
            assertEquals("first", Stage.read(server, 5));
        }
    }

    @Test
    void probe_isAnswered_andNotShown() throws Exception {
        try (Stage stage = new Stage(provider("iwarp"))) {
            ServerSocketChannel listener = stage.listening();
            ClientOpening opening = new ClientOpening(3);
            Socket socket = stage.keep(new Socket(InetAddress.getLoopbackAddress(), port(listener)));
            socket.getOutputStream().write(opening.probe());
            opening.onBytes(ByteBuffer.wrap(reply(socket)));
            assertEquals(ClientOpening.State.DECLINED, opening.state());
            assertEquals(-1, socket.getInputStream().read());
            listener.configureBlocking(false);
            assertNull(listener.accept());
        }
    }

    /** A plain client whose message is the beginning of a frame of ours gets its answer. */
    @ParameterizedTest
    @CsvSource({"M", "V", "MP", "VRBN", "MPA ID Req Fram", "MPA ID Req Frame", "VRBNSHMO", "VRBNSHMOxxxx", "VRBNUPGR"})
    void plainClientBeginsLikeARequest_isAnswered(String message) throws Exception {
        for (Duration silence : List.of(Duration.ofMillis(1), Duration.ofSeconds(20))) {
            try (Stage stage = new Stage(VerbenaSelectorProvider.of(PATIENT.withSilence(silence)))) {
                ServerSocketChannel listener = stage.listening();
                Socket client = stage.keep(new Socket(InetAddress.getLoopbackAddress(), port(listener)));
                if (silence.toMillis() > 1) {
                    client.getOutputStream().write(message.getBytes(StandardCharsets.US_ASCII));
                }
                SocketChannel server = stage.keep(listener.accept());
                if (silence.toMillis() == 1) {
                    client.getOutputStream().write(message.getBytes(StandardCharsets.US_ASCII));
                }
                assertEquals(message, Stage.read(server, message.length()));
                server.write(Stage.text("y"));
                assertEquals('y', client.getInputStream().read());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "VRBNSHMOzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz",
                "MPA ID Req Frame\0\7\0\0",
                "MPA ID Req Frame\0\2\0\4abcd"
            })
    void wholeFrameOfAStranger_isShownToTheProgram(String message) throws Exception {
        try (Stage stage = new Stage(provider("auto"))) {
            ServerSocketChannel listener = stage.listening();
            Socket client = stage.keep(new Socket(InetAddress.getLoopbackAddress(), port(listener)));
            client.getOutputStream().write(message.getBytes(StandardCharsets.US_ASCII));
            SocketChannel server = stage.keep(listener.accept());
            assertEquals(message, Stage.read(server, message.length()));
        }
    }

    /** A peer keeps its place when it has been converted. */
    @ParameterizedTest
    @CsvSource({"auto, 2", "auto, 3", "auto, 5", "iwarp, 5", "iwarp, 8"})
    void backlog_boundsThePeersThatWait_asWithTcp(String carrier, int backlog) throws Exception {
        try (Stage tcp = new Stage(SelectorProvider.provider());
                Stage stage = new Stage(provider(carrier))) {
            ServerSocketChannel plain = tcp.server();
            plain.bind(Stage.anyPort(), backlog);
            int most = 0;
            while (connectsAtOnce(tcp, plain)) {
                most++;
            }
            ServerSocketChannel listener = stage.server();
            listener.bind(Stage.anyPort(), backlog);
            for (int i = 0; i < backlog / 2; i++) { // those in the queue of the kernel are not answered
                stage.client().connect(listener.getLocalAddress());
            }
            for (int i = backlog / 2; i < most; i++) {
                tcp.client().connect(listener.getLocalAddress());
            }
            assertFalse(connectsAtOnce(tcp, listener), "more than " + most);
        }
    }

    /** Within one host TCP connects in the call, or the queue is full. */
    private static boolean connectsAtOnce(Stage stage, ServerSocketChannel listener) throws Exception {
        SocketChannel client = stage.client();
        client.configureBlocking(false);
        return client.connect(listener.getLocalAddress()) || client.finishConnect();
    }

    @Test
    void peerIsNotAccepted_isPlain_onTheSameConnection() throws Exception {
        try (Stage stage = new Stage(
                VerbenaSelectorProvider.of(PATIENT.withProvider("iwarp").withAccept("10.9.9.9")))) {
            ServerSocketChannel listener = stage.listening();
            SocketChannel client = stage.client();
            client.connect(listener.getLocalAddress());
            client.write(Stage.text("a"));
            SocketChannel server = stage.keep(listener.accept());
            assertEquals("a", Stage.read(server, 1));
            assertEquals(SocketTransport.TCP, transport(client));
            assertEquals(SocketTransport.TCP, transport(server));
            listener.configureBlocking(false);
            assertNull(listener.accept());
        }
    }

    /** Nothing listens, and then something does: the refusals show nothing about the peer. */
    @Test
    void serverRestarts_theNextConnectionIsRdma() throws Exception {
        try (Stage stage = new Stage(provider("iwarp"))) {
            ServerSocketChannel first = stage.listening();
            InetSocketAddress address = (InetSocketAddress) first.getLocalAddress();
            for (int i = 0; i < 3; i++) {
                first.close();
                assertEquals(
                        "java.net.ConnectException",
                        Stage.tryOut(() -> stage.client().connect(address)));
                first = stage.server();
                first.bind(address);
                SocketChannel client = stage.client();
                client.connect(address);
                assertEquals(SocketTransport.IWARP, transport(client));
                stage.keep(first.accept());
                client.close();
            }
        }
    }

    @Test
    void mutePlainServer_isReachedByTcp_andNotRemembered() throws Exception {
        Networks networks = new Networks(
                JdkProvider.find(), SocketsOptions.defaults().withRdma("*").withProvider("iwarp"));
        try (Stage stage = new Stage(VerbenaSelectorProvider.of(
                        SocketsOptions.defaults().withRdma("*").withProvider("iwarp")));
                ServerSocketChannel plain = SelectorProvider.provider().openServerSocketChannel()) {
            plain.bind(Stage.anyPort());
            SocketChannel client = stage.client();
            client.connect(plain.getLocalAddress());
            assertEquals(SocketTransport.TCP, transport(client));
            assertEquals(Networks.Approach.CONVERSION, networks.approach(plain.getLocalAddress()));
        }
    }

    /** A program with stream sockets of its own rejects the upgrade, as one over librdmacm does. */
    @ParameterizedTest
    @CsvSource({"iwarp, IWARP", "auto, SHARED_MEMORY"})
    void peerIsNoProvider_isConnectedByItsOwnRequest(String carrier, SocketTransport expected) throws Exception {
        try (Stage stage = new Stage(provider(carrier));
                StreamNetwork network =
                        StreamNetwork.open(RnicOptions.defaults().withProvider(carrier), StreamOptions.defaults());
                StreamListener listener = network.listen(Stage.anyPort(), 10)) {
            for (int i = 0; i < 2; i++) {
                SocketChannel client = stage.client();
                client.connect(listener.localAddress());
                assertEquals(expected, transport(client));
                client.write(Stage.text("a"));
                StreamSocket server =
                        stage.keep(listener.accept(Duration.ofSeconds(20)).orElseThrow());
                assertTrue(server.awaitReady(StreamSocket.READABLE, 20_000_000_000L));
                assertEquals(1, server.read(ByteBuffer.allocate(1)));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void withdrawnStream_dropsAReplyThatCrosses_andNothingElse(boolean crosses) throws Exception {
        try (Stage stage = new Stage(SelectorProvider.provider())) {
            ServerSocketChannel listener = stage.listening();
            SocketChannel client = stage.client();
            client.connect(listener.getLocalAddress());
            SocketChannel server = stage.keep(listener.accept());
            ClientOpening opening = new ClientOpening(5);
            opening.withdraw();
            PlainCarrier plain = PlainCarrier.withdrawn(client, opening);
            if (crosses) {
                server.write(ByteBuffer.wrap(FirstBytes.reply(5, true)));
            }
            server.write(Stage.text("MPA ID"));
            server.shutdownOutput();
            ByteBuffer read = ByteBuffer.allocate(100);
            while (plain.read(new ByteBuffer[] {read}, 0, 1) >= 0) {
                assertTrue(plain.available() >= 0);
            }
            assertEquals("MPA ID", new String(read.array(), 0, read.position(), StandardCharsets.US_ASCII));
        }
    }

    /** As on a machine with much load. More peers than there are places for slow ones keep theirs, whatever they decide later. */
    @Test
    void manySlowPeers_withdraw_noneIsLost() throws Exception {
        int all = 300;
        int freed = 256;
        try (Stage stage =
                new Stage(VerbenaSelectorProvider.of(SocketsOptions.defaults().withRdma("*")))) {
            ServerSocketChannel listener = stage.server();
            listener.bind(Stage.anyPort(), 2 * all); // half of it in the queue of the kernel
            List<Socket> slow = new ArrayList<>();
            for (int i = 0; i < all; i++) {
                Socket client = stage.keep(new Socket(InetAddress.getLoopbackAddress(), port(listener)));
                client.getOutputStream().write(FirstBytes.upgrade(i, FirstBytes.ASKS));
                assertEquals(
                        FirstBytes.UPGRADE_BYTES, client.getInputStream().readNBytes(FirstBytes.UPGRADE_BYTES).length);
                slow.add(client);
            }
            for (int i = 0; i < freed; i++) {
                Socket plain = stage.keep(new Socket(InetAddress.getLoopbackAddress(), port(listener)));
                plain.getOutputStream().write('p');
            }
            for (int i = 0; i < freed; i++) { // each when a peer has become slow
                assertEquals("p", Stage.read(stage.keep(listener.accept()), 1));
            }
            for (int i = 0; i < all; i++) {
                slow.get(i).getOutputStream().write(FirstBytes.withdrawal(i));
                slow.get(i).getOutputStream().write('w');
            }
            for (int i = 0; i < all; i++) {
                assertEquals("w", Stage.read(stage.keep(listener.accept()), 1));
            }
        }
    }
}
