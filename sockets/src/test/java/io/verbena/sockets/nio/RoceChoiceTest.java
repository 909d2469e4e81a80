package io.verbena.sockets.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which connections RoCE carries with the provider {@code roce}, and that TCP carries the others. {@link TableTest} has the rest. */
@Timeout(60)
class RoceChoiceTest {

    private final InetAddress serverAddress = Stage.freeAddress();
    private final InetAddress clientAddress = Stage.freeAddress();
    private final VerbenaSelectorProvider servers = provider(serverAddress);
    private final VerbenaSelectorProvider clients = provider(clientAddress);

    private static VerbenaSelectorProvider provider(InetAddress device) {
        return VerbenaSelectorProvider.of(SocketsOptions.defaults()
                .withPatience(java.time.Duration.ofSeconds(20))
                .withRdma("*")
                .withProvider("roce")
                .withDevice(device.getHostAddress()));
    }

    private static SocketTransport transport(SocketChannel channel) {
        return VerbenaSelectorProvider.transport(channel);
    }

    private Stage serving() {
        return new Stage(servers, serverAddress);
    }

    private static void exchange(SocketChannel client, SocketChannel server) throws IOException {
        client.write(Stage.text("hello"));
        assertEquals("hello", Stage.read(server, 5));
        server.write(Stage.text("answer"));
        assertEquals("answer", Stage.read(client, 6));
    }

    @Test
    void listedPeer_isReachedByRoce_andBothSidesAgreeOnTheAddresses() throws Exception {
        try (Stage stage = serving()) {
            ServerSocketChannel listener = stage.listening();
            SocketChannel client = stage.keep(clients.openSocketChannel());
            client.connect(listener.getLocalAddress());
            SocketChannel server = stage.keep(listener.accept());
            assertEquals(SocketTransport.ROCE, transport(client));
            assertEquals(SocketTransport.ROCE, transport(server));
            assertEquals(client.getLocalAddress(), server.getRemoteAddress());
            assertEquals(listener.getLocalAddress(), client.getRemoteAddress());
            assertEquals(listener.getLocalAddress(), server.getLocalAddress());
            exchange(client, server);
            client.close();
            assertEquals("|end", Stage.read(server, 1));
        }
    }

    @Test
    void onePort_servesRoceAndPlainPeers_inAnyOrder() throws Exception {
        try (Stage stage = serving()) {
            ServerSocketChannel listener = stage.listening();
            for (SelectorProvider other : new SelectorProvider[] {clients, SelectorProvider.provider(), clients}) {
                SocketChannel client = stage.keep(other.openSocketChannel());
                client.connect(listener.getLocalAddress());
                SocketChannel server = stage.keep(listener.accept());
                assertEquals(other == clients ? SocketTransport.ROCE : SocketTransport.TCP, transport(server));
                exchange(client, server);
            }
        }
    }

    @Test
    void manyConnections_haveDifferentAddresses() throws Exception {
        try (Stage stage = serving()) {
            ServerSocketChannel listener = stage.listening();
            Set<Object> addresses = new HashSet<>();
            for (int i = 0; i < 100; i++) {
                SocketChannel client = stage.keep(clients.openSocketChannel());
                client.connect(listener.getLocalAddress());
                addresses.add(stage.keep(listener.accept()).getRemoteAddress());
            }
            assertEquals(100, addresses.size());
        }
    }

    @Test
    void boundClient_keepsItsAddress() throws Exception {
        try (Stage stage = serving()) {
            ServerSocketChannel listener = stage.listening();
            SocketChannel client = stage.keep(clients.openSocketChannel());
            client.bind(new InetSocketAddress(clientAddress, 0));
            var bound = client.getLocalAddress();
            client.connect(listener.getLocalAddress());
            SocketChannel server = stage.keep(listener.accept());
            assertEquals(SocketTransport.ROCE, transport(server));
            assertEquals(bound, client.getLocalAddress());
            assertEquals(bound, server.getRemoteAddress());
        }
    }

    @Test
    void clientIsBoundToAnAddressThatTheRnicDoesNotHave_isPlain_andTheNextIsNot() throws Exception {
        try (Stage stage = serving()) {
            ServerSocketChannel listener = stage.listening();
            SocketChannel client = stage.keep(clients.openSocketChannel());
            client.bind(Stage.anyPort());
            client.connect(listener.getLocalAddress());
            assertEquals(SocketTransport.TCP, transport(stage.keep(listener.accept())));
            SocketChannel unbound = stage.keep(clients.openSocketChannel());
            unbound.connect(listener.getLocalAddress());
            assertEquals(SocketTransport.ROCE, transport(stage.keep(listener.accept())));
        }
    }

    @Test
    void serverAtTheWildcard_acceptsRoceAtTheAddressOfTheRnic() throws Exception {
        try (Stage stage = serving()) {
            ServerSocketChannel listener = stage.server();
            listener.bind(null);
            int port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
            SocketChannel client = stage.keep(clients.openSocketChannel());
            client.connect(new InetSocketAddress(serverAddress, port));
            exchange(client, stage.keep(listener.accept()));
            assertEquals(SocketTransport.ROCE, transport(client));
        }
    }

    /** The RNIC at another loopback address must not take the port of a server that belongs to another process. */
    @Test
    void serverAtAnAddressThatTheRnicDoesNotHave_isPlain() throws Exception {
        try (Stage stage = serving()) {
            ServerSocketChannel elsewhere = stage.server();
            elsewhere.bind(Stage.anyPort());
            int port = ((InetSocketAddress) elsewhere.getLocalAddress()).getPort();
            SocketChannel client = stage.keep(clients.openSocketChannel());
            assertThrows(ConnectException.class, () -> client.connect(new InetSocketAddress(serverAddress, port)));
            SocketChannel other = stage.keep(SelectorProvider.provider().openSocketChannel());
            other.connect(elsewhere.getLocalAddress());
            exchange(other, stage.keep(elsewhere.accept()));
        }
    }

    @Test
    void peerRejects_isPlain_withOneConnection_andRemembered() throws Exception {
        try (Stage stage = serving();
                ServerSocketChannel plain = SelectorProvider.provider().openServerSocketChannel()) {
            stage.listening(); // the RNIC is open, and has no listener at the port of the plain server
            plain.bind(new InetSocketAddress(serverAddress, 0));
            for (int i = 0; i < 2; i++) {
                SocketChannel client = stage.keep(clients.openSocketChannel());
                client.connect(plain.getLocalAddress());
                assertEquals(SocketTransport.TCP, transport(client));
                exchange(client, stage.keep(plain.accept()));
            }
            plain.configureBlocking(false);
            assertNull(plain.accept());
        }
    }

    @Test
    void hostWithoutRnic_isPlain() throws Exception {
        try (Stage stage = serving();
                ServerSocketChannel plain = SelectorProvider.provider().openServerSocketChannel()) {
            plain.bind(new InetSocketAddress(serverAddress, 0));
            SocketChannel client = stage.keep(clients.openSocketChannel());
            client.connect(plain.getLocalAddress());
            assertEquals(SocketTransport.TCP, transport(client));
            exchange(client, stage.keep(plain.accept()));
        }
    }

    @Test
    void udpPortOfTheAddressIsTaken_bindAndConnectUseTcp() throws Exception {
        RnicOptions taken = RnicOptions.defaults().withProvider("roce");
        try (Stage stage = serving();
                Rnic _ = Rnic.open(taken.withDevice(serverAddress.getHostAddress()));
                Rnic _ = Rnic.open(taken.withDevice(clientAddress.getHostAddress()))) {
            ServerSocketChannel listener = stage.listening();
            SocketChannel client = stage.keep(clients.openSocketChannel());
            client.connect(listener.getLocalAddress());
            SocketChannel server = stage.keep(listener.accept());
            assertEquals(SocketTransport.TCP, transport(client));
            exchange(client, server);
        }
    }

    @Test
    void serverCloses_portIsFreeForAnother_andConnectionsRemain() throws Exception {
        try (Stage stage = serving()) {
            ServerSocketChannel first = stage.listening();
            var address = first.getLocalAddress();
            SocketChannel client = stage.keep(clients.openSocketChannel());
            client.connect(address);
            SocketChannel server = stage.keep(first.accept());
            first.close();
            ServerSocketChannel second = stage.server();
            second.bind(address);
            SocketChannel next = stage.keep(clients.openSocketChannel());
            next.connect(address);
            exchange(next, stage.keep(second.accept()));
            assertEquals(SocketTransport.ROCE, transport(next));
            exchange(client, server);
        }
    }

    @Test
    void serverClosesWithoutAccepting_peerReadsConnectionReset() throws Exception {
        try (Stage stage = serving()) {
            ServerSocketChannel listener = stage.listening();
            SocketChannel client = stage.keep(clients.openSocketChannel());
            client.connect(listener.getLocalAddress());
            listener.close();
            IOException reset = assertThrows(IOException.class, () -> client.read(ByteBuffer.allocate(1)));
            assertEquals("Connection reset", reset.getMessage());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "0.0.0.0, 10.0.0.1, true",
        "0.0.0.0, fd00::1, false",
        "::, 10.0.0.1, true",
        "::, fd00::1, true",
        "10.0.0.1, 10.0.0.1, true",
        "10.0.0.2, 10.0.0.1, false",
        "127.0.0.1, 127.0.0.2, false",
    })
    void rnicListens_onlyWhereTheProcessHasTheTcpPort(String tcp, String rnic, boolean expected) {
        assertEquals(expected, RoceNetwork.covers(InetAddress.ofLiteral(tcp), InetAddress.ofLiteral(rnic)));
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.1, 10.0.0.2, true",
        "10.0.0.1, 127.0.0.1, true",
        "127.0.0.1, 192.0.2.1, false",
        "127.0.0.1, 127.0.0.2, true",
        "fd00::1, 10.0.0.2, false",
        "10.0.0.1, fd00::1, false",
        "::1, ::1, true",
    })
    void rnicAtALoopbackAddress_reachesThisHostOnly(String rnic, String peer, boolean expected) {
        assertEquals(expected, RoceNetwork.reaches(InetAddress.ofLiteral(rnic), InetAddress.ofLiteral(peer)));
    }

    @ParameterizedTest
    @CsvSource({"eth0", "0.0.0.0", "host.example"})
    void deviceIsNoAddress_isRejectedWithASentence(String device) {
        IllegalArgumentException wrong = assertThrows(
                IllegalArgumentException.class, () -> SocketsOptions.defaults().withDevice(device));
        assertEquals(
                "The device of sockets must be an IP address of this machine, not \"" + device
                        + "\"; see the property io.verbena.sockets.device.",
                wrong.getMessage());
    }

    @Test
    void options_comeFromProperties() {
        SocketsOptions options = SocketsOptions.from(java.util.Map.of(
                SocketsOptions.PROVIDER, "roce", SocketsOptions.DEVICE, "10.0.0.7", SocketsOptions.SETUP, "1")::get);
        assertEquals("10.0.0.7", options.device());
        assertTrue(options.overRoce());
        assertFalse(options.sharesMemory());
        assertEquals(Duration.ofSeconds(1), options.streams().connectTimeout());
    }
}
