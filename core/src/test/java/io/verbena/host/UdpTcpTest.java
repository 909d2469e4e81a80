package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.port.FaultPlan;
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
import java.net.SocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

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
        try (Listener listener = farRnic.listen(StreamProbe.loopback(0))) {
            Connection opening =
                    nearRnic.startConnect(near.queuePair, listener.localAddress(), ConnectionOptions.defaults());
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
    void connect_whereNothingListens_isRefused() throws IOException {
        Rnic left = rnic(Progress.ENGINE_THREAD);
        SocketAddress gone;
        try (Listener listener = left.listen(StreamProbe.loopback(0))) {
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
