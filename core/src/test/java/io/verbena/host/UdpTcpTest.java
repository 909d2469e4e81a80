package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.port.faults.FaultPlan;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Progress;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.StreamConversion;
import io.verbena.verbs.TcpCarrier;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** RNICs over the TCP of the library, in UDP packets over the loopback interface. */
class UdpTcpTest {

    private static final int[] LENGTHS = {0, 1, 8, 4096, 500_000};

    private final List<Rnic> open = new ArrayList<>();

    private Rnic rnic(RnicOptions options) {
        Rnic rnic = new IwarpProvider().open(options.withIwarp(it -> it.withTcp(TcpCarrier.UDP)), FaultPlan.none());
        open.add(rnic);
        return rnic;
    }

    private Rnic rnic(Progress progress) {
        return rnic(RnicOptions.defaults().withCrc(true).withMarkers(true).withProgress(progress));
    }

    @AfterEach
    void close() {
        open.forEach(Rnic::close);
    }

    private static void connect(Rnic nearRnic, Site near, Rnic farRnic, Site far) throws IOException {
        InetSocketAddress loopback = StreamProbe.loopback(0);
        connect(nearRnic, near, farRnic, far, loopback, loopback.getAddress());
    }

    /** Connects two sites; the far one listens at an address, and the near one connects to another one of the same host. */
    private static void connect(
            Rnic nearRnic, Site near, Rnic farRnic, Site far, SocketAddress listened, InetAddress destination)
            throws IOException {
        try (Listener listener = farRnic.listen(listened)) {
            int port = ((InetSocketAddress) listener.localAddress()).getPort();
            Connection opening = nearRnic.startConnect(
                    near.queuePair, new InetSocketAddress(destination, port), ConnectionOptions.defaults());
            ConnectionRequest request = listener.nextRequest(Site.PATIENCE).orElseThrow();
            Connection accepted = request.startAccept(far.queuePair, ConnectionOptions.defaults());
            opening.awaitEstablished(Site.PATIENCE);
            accepted.awaitEstablished(Site.PATIENCE);
        }
    }

    @ParameterizedTest
    @EnumSource
    void twoRnics_connected_sendWriteReadBothWays(Progress progress) throws IOException {
        Rnic left = rnic(progress);
        Rnic right = rnic(progress);
        Site near = new Site(left);
        Site far = new Site(right);
        connect(left, near, right, far);
        for (int length : LENGTHS) {
            Site.exchange(near, far, length, length);
            Site.exchange(far, near, length, length + 5);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "::1, ::1, false",
        "::1, ::1, true",
        "'::', ::1, false",
        "'::', 127.0.0.1, false",
        "0.0.0.0, 127.0.0.1, false"
    })
    void twoRnics_connectedOverIpv6OrAWildcardAddress_exchangeData(String listened, String to, boolean jdk)
            throws IOException {
        Rnic left;
        Rnic right;
        System.setProperty("io.verbena.sockets", jdk ? "jdk" : "");
        try {
            left = rnic(Progress.ENGINE_THREAD);
            right = rnic(Progress.ENGINE_THREAD);
        } finally {
            System.clearProperty("io.verbena.sockets");
        }
        Site near = new Site(left);
        Site far = new Site(right);
        InetSocketAddress at = new InetSocketAddress(InetAddress.ofLiteral(listened), 0);
        connect(left, near, right, far, at, InetAddress.ofLiteral(to));
        for (int length : LENGTHS) {
            Site.exchange(near, far, length, length);
            Site.exchange(far, near, length, length + 5);
        }
    }

    /** One RNIC has connections of both versions of IP at a time. */
    @Test
    void connectionsOfBothVersions_ofOneRnic_exchangeData() throws IOException {
        Rnic left = rnic(Progress.ENGINE_THREAD);
        Rnic right = rnic(Progress.ENGINE_THREAD);
        List<Site> sites = new ArrayList<>();
        for (String address : List.of("127.0.0.1", "::1", "127.0.0.1", "::1")) {
            Site near = new Site(left);
            Site far = new Site(right);
            InetAddress loopback = InetAddress.ofLiteral(address);
            connect(left, near, right, far, new InetSocketAddress(loopback, 0), loopback);
            sites.add(near);
            sites.add(far);
        }
        for (int i = 0; i < sites.size(); i += 2) {
            Site.exchange(sites.get(i), sites.get(i + 1), 100_000, i);
            Site.exchange(sites.get(i + 1), sites.get(i), 100_000, i + 50);
        }
    }

    @Test
    void rnicClosed_withAnOpenConnection_resetsThePeer() throws IOException {
        Rnic left = rnic(Progress.ENGINE_THREAD);
        Rnic right = rnic(Progress.ENGINE_THREAD);
        Site near = new Site(left);
        Site far = new Site(right);
        connect(left, near, right, far);
        left.close();
        assertTrue(far.queuePair.connection().orElseThrow().awaitClosed(Site.PATIENCE));
    }

    @Test
    void connect_toALinkLocalAddress_failsWithASentence() {
        Rnic left = rnic(Progress.ENGINE_THREAD);
        InetSocketAddress far = new InetSocketAddress(InetAddress.ofLiteral("fe80::1"), 7471);
        Site near = new Site(left);
        ConnectionException failure = assertThrows(
                ConnectionException.class,
                () -> left.startConnect(near.queuePair, far, ConnectionOptions.defaults())
                        .awaitEstablished(Site.PATIENCE));
        assertTrue(String.valueOf(failure.getMessage()).contains("link-local"), failure::toString);
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1"})
    void connect_whereNothingListens_isRefused(String loopback) throws IOException {
        Rnic left = rnic(Progress.ENGINE_THREAD);
        SocketAddress gone;
        try (Listener listener = left.listen(new InetSocketAddress(InetAddress.ofLiteral(loopback), 0))) {
            gone = listener.localAddress();
        }
        Site near = new Site(left);
        ConnectionException refused = assertThrows(
                ConnectionException.class,
                () -> left.startConnect(
                                near.queuePair,
                                gone,
                                ConnectionOptions.defaults().withTimeout(Duration.ofSeconds(20)))
                        .awaitEstablished(Site.PATIENCE));
        assertEquals(ConnectionException.Kind.REFUSED, refused.kind());
    }

    /** The port of a listener is free again when the listener is closed and its connections have ended. */
    @Test
    void listenerClosed_itsPortIsReleased_whenNoConnectionUsesIt() throws Exception {
        Rnic left = rnic(Progress.ENGINE_THREAD);
        Rnic right = rnic(Progress.ENGINE_THREAD);
        Site near = new Site(left);
        Site far = new Site(right);
        SocketAddress address;
        try (Listener listener = right.listen(StreamProbe.loopback(0))) {
            address = listener.localAddress();
            Connection opening = left.startConnect(near.queuePair, address, ConnectionOptions.defaults());
            listener.nextRequest(Site.PATIENCE)
                    .orElseThrow()
                    .startAccept(far.queuePair, ConnectionOptions.defaults())
                    .awaitEstablished(Site.PATIENCE);
            opening.awaitEstablished(Site.PATIENCE);
        }
        Site.exchange(near, far, 100, 1);
        assertThrows(IOException.class, () -> left.listen(address), "the connection uses the port");
        right.listen(address).close();
        far.queuePair.close();
        right.close();
        Rnic another = rnic(Progress.ENGINE_THREAD);
        SocketAddress unused;
        try (Listener listener = another.listen(StreamProbe.loopback(0))) {
            unused = listener.localAddress();
        }
        long endNs = System.nanoTime() + Site.PATIENCE.toNanos();
        while (!listens(left, unused)) {
            assertTrue(System.nanoTime() - endNs < 0, "the port remains in use");
            Thread.onSpinWait();
        }
    }

    private static boolean listens(Rnic rnic, SocketAddress address) {
        try (Listener listener = rnic.listen(address)) {
            return listener.localAddress().equals(address);
        } catch (IOException e) {
            return false; // in use
        }
    }

    @Test
    void listen_portInUse_fails() throws IOException {
        Rnic left = rnic(Progress.ENGINE_THREAD);
        Rnic right = rnic(Progress.ENGINE_THREAD);
        try (Listener listener = left.listen(StreamProbe.loopback(0))) {
            assertThrows(IOException.class, () -> right.listen(listener.localAddress()));
            assertThrows(IOException.class, () -> left.listen(listener.localAddress()));
        }
    }

    @Test
    void severalEngines_orAStreamOfTheKernel_areRejected() throws IOException {
        assertThrows(
                IllegalArgumentException.class,
                () -> rnic(RnicOptions.defaults().withEngines(2)));
        Rnic left = rnic(Progress.ENGINE_THREAD);
        try (ServerSocketChannel server = ServerSocketChannel.open().bind(StreamProbe.loopback(0));
                SocketChannel stream = SocketChannel.open(server.getLocalAddress())) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> left.takeOver(new Site(left).queuePair, stream, StreamConversion.asInitiator()));
        }
    }
}
