package io.verbena.sockets.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.sockets.stream.StreamListener;
import io.verbena.sockets.stream.StreamNetwork;
import io.verbena.sockets.stream.StreamOptions;
import io.verbena.sockets.stream.StreamSocket;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A peer that answers over RoCE only after the patience of the side that connects: one way carries the connection, and the program of the peer sees one. */
@Timeout(60)
class SilentRoceTest {

    private static final Duration LONGEST = Duration.ofSeconds(40);

    private final SelectorProvider jdk = JdkProvider.find();
    private final InetAddress serverAddress = Stage.freeAddress();
    private final CountDownLatch opened = new CountDownLatch(1);
    private final CountDownLatch answers = new CountDownLatch(1);
    private final Networks networks = new Networks(new ScriptedProvider(opened::countDown), options(LONGEST));
    private final StreamNetwork server = network(serverAddress);
    private final Stage stage = new Stage(jdk, serverAddress);

    private static SocketsOptions options(Duration setUp) {
        return SocketsOptions.defaults()
                .withRdma("*")
                .withProvider("roce")
                .withPatience(Duration.ofMillis(1))
                .withStreams(StreamOptions.defaults().withConnectTimeout(setUp))
                .withDevice(Stage.freeAddress().getHostAddress());
    }

    private static StreamNetwork network(InetAddress device) {
        return StreamNetwork.open(
                RnicOptions.defaults().withProvider("roce").withDevice(device.getHostAddress()),
                StreamOptions.defaults());
    }

    @AfterEach
    void close() throws Exception {
        answers.countDown();
        stage.close();
        server.close();
        networks.streams().close();
    }

    /** Listens by RoCE, and answers late. */
    private StreamListener listen(SocketAddress address) throws IOException {
        return stage.keep(server.listen(address, 5, _ -> answer()));
    }

    private boolean answer() {
        try {
            answers.await();
            return true;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private ConnectAttempt begin(SocketAddress address) throws IOException {
        return begin(networks, address);
    }

    private ConnectAttempt begin(Networks networks, SocketAddress address) throws IOException {
        SocketChannel tcp = stage.keep(jdk.openSocketChannel());
        ConnectAttempt attempt = new ConnectAttempt(
                networks,
                new ChannelOptions(networks, tcp),
                tcp,
                (InetSocketAddress) address,
                Networks.Approach.ROCE,
                () -> {});
        attempt.begin();
        return attempt;
    }

    /** The peer answers when TCP was tried. */
    private void answerAfterTcp() throws InterruptedException {
        opened.await();
        networks.setUp().execute(answers::countDown); // after the step that tries it
    }

    private Carrier result(ConnectAttempt attempt) throws IOException {
        assertTrue(attempt.await(LONGEST.toNanos()), "the attempt has ended");
        Carrier carrier = attempt.result();
        stage.keep(() -> carrier.close(false));
        return carrier;
    }

    private static StreamSocket accept(StreamListener listener) throws InterruptedException {
        return listener.accept(LONGEST).orElseThrow();
    }

    @Test
    void tcpIsRefused_roceCarriesTheConnection() throws Exception {
        SocketChannel port = stage.keep(jdk.openSocketChannel()); // has the port, and does not listen
        port.bind(stage.here());
        StreamListener listener = listen(port.getLocalAddress());
        ConnectAttempt attempt = begin(port.getLocalAddress());
        answerAfterTcp();
        Carrier carrier = result(attempt);
        assertEquals(SocketTransport.ROCE, carrier.transport());
        assertEquals(carrier.localAddress(), accept(listener).remoteAddress());
    }

    @Test
    void tcpConnects_theProgramSeesNoConnectionByRoce() throws Exception {
        ServerSocketChannel tcp = stage.keep(jdk.openServerSocketChannel()).bind(stage.here());
        StreamListener listener = listen(tcp.getLocalAddress());
        Carrier carrier = result(begin(tcp.getLocalAddress()));
        assertEquals(SocketTransport.TCP, carrier.transport());
        assertEquals(
                carrier.localAddress().orElseThrow(), stage.keep(tcp.accept()).getRemoteAddress());
        answers.countDown();
        assertFirstIsNew(listener, tcp.getLocalAddress());
    }

    private void assertFirstIsNew(StreamListener listener, SocketAddress address) throws Exception {
        try (StreamNetwork other = network(Stage.freeAddress());
                StreamSocket next = other.connect(address)) {
            assertEquals(next.localAddress(), accept(listener).remoteAddress());
        }
    }

    /** As if a firewall dropped the packets of TCP: the queue of a plain server is full. */
    @Test
    void tcpIsSilent_roceCarriesTheConnection_andTcpHasNone() throws Exception {
        ServerSocketChannel tcp = stage.keep(jdk.openServerSocketChannel()).bind(stage.here(), 1);
        StreamListener listener = listen(tcp.getLocalAddress());
        int waiting = fill(tcp.getLocalAddress());
        ConnectAttempt attempt = begin(tcp.getLocalAddress());
        answerAfterTcp();
        assertEquals(SocketTransport.ROCE, result(attempt).transport());
        accept(listener);
        tcp.configureBlocking(false);
        for (int i = 0; i < waiting; i++) {
            stage.keep(tcp.accept());
        }
        assertNull(tcp.accept());
    }

    /** Connects until the queue of the kernel is full; returns the number of connections in it. */
    private int fill(SocketAddress address) throws IOException {
        int filled = 0;
        while (true) {
            SocketChannel next = stage.keep(jdk.openSocketChannel());
            next.configureBlocking(false);
            if (!next.connect(address) && !next.finishConnect()) {
                next.close();
                return filled;
            }
            filled++;
        }
    }

    @Test
    void nothingAnswers_theFailureIsThatOfTcp() throws Exception {
        try (SocketChannel port = jdk.openSocketChannel();
                DatagramChannel silent = jdk.openDatagramChannel()) {
            InetAddress nobody = Stage.freeAddress();
            Networks hasty = new Networks(jdk, options(Duration.ofMillis(100)));
            port.bind(new InetSocketAddress(nobody, 0));
            silent.bind(new InetSocketAddress(nobody, 4791)); // else the system would report the port as closed
            ConnectAttempt attempt = begin(hasty, port.getLocalAddress());
            assertTrue(attempt.await(LONGEST.toNanos()), "the attempt has ended");
            assertThrows(ConnectException.class, attempt::result);
            hasty.streams().close();
        }
    }

    @Test
    void heldStreamIsEstablished_andGivenUp_theProgramOfThePeerDoesNotSeeIt() throws Exception {
        StreamListener listener = listen(new InetSocketAddress(serverAddress, 4000));
        try (StreamNetwork client = network(Stage.freeAddress())) {
            StreamSocket held = client.startConnect(listener.localAddress(), Optional.empty());
            assertTrue(held.hold());
            answers.countDown();
            while (!held.connected()) {
                Thread.yield();
            }
            assertFalse(held.finishConnect());
            held.discard();
            assertFirstIsNew(listener, listener.localAddress());
        }
    }

    @Test
    void establishedStream_cannotBeHeld() throws Exception {
        StreamListener listener = listen(new InetSocketAddress(serverAddress, 4000));
        answers.countDown();
        try (StreamNetwork client = network(Stage.freeAddress());
                StreamSocket socket = client.connect(listener.localAddress())) {
            assertFalse(socket.hold());
            assertEquals(socket.localAddress(), accept(listener).remoteAddress());
        }
    }
}
