package io.verbena.sockets.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A step of the set-up that fails in an unexpected way ends one connection: its thread is that of all connections. */
class FailingSetUpTest {

    private static final long LONGEST_NS = 20_000_000_000L;

    private enum Failure {
        RUNTIME,
        ASSERTION,
        MEMORY;

        void fail() {
            switch (this) {
                case RUNTIME -> throw new IllegalStateException("scripted");
                case ASSERTION -> throw new AssertionError("scripted");
                case MEMORY -> throw new OutOfMemoryError("scripted");
            }
        }
    }

    private static SocketsOptions options() {
        return SocketsOptions.defaults().withRdma("*").withProvider("iwarp");
    }

    private static ServerSocketChannel listening() throws IOException {
        return JdkProvider.find().openServerSocketChannel().bind(Stage.anyPort());
    }

    @ParameterizedTest
    @EnumSource(Failure.class)
    void connecting_theConnectFails_andTheNextOneDoesNot(Failure failure) throws IOException {
        Networks networks = new Networks(new ScriptedProvider(failure::fail), options());
        try (ServerSocketChannel server = listening();
                SocketChannel tcp = JdkProvider.find().openSocketChannel()) {
            ConnectAttempt attempt = new ConnectAttempt(
                    networks,
                    new ChannelOptions(networks, tcp),
                    tcp,
                    (InetSocketAddress) server.getLocalAddress(),
                    Networks.Approach.CONVERSION,
                    () -> {});
            attempt.begin();
            server.accept().close(); // so that another channel is opened
            assertTrue(attempt.await(LONGEST_NS), "the attempt has ended");
            IOException failed = assertThrows(IOException.class, attempt::result);
            assertEquals(
                    Optional.of("scripted"),
                    Optional.ofNullable(failed.getCause()).map(Throwable::getMessage));
        }
        assertExchanges();
    }

    @ParameterizedTest
    @EnumSource(Failure.class)
    void accepting_thePeerIsDisconnected_andGivesItsPlaceToTheNext(Failure failure) throws IOException {
        VerbenaSelectorProvider provider = VerbenaSelectorProvider.of(options());
        Networks networks = new Networks(JdkProvider.find(), options());
        try (ServerSocketChannel server = listening();
                SocketChannel client = SocketChannel.open(server.getLocalAddress())) {
            SocketChannel peer = server.accept();
            Reception reception = new Reception(provider, networks, server, 1, () -> {}, Optional.empty());
            Arrival arrival = new Arrival(reception, peer, true);
            reception.thread().execute(() -> arrival.step(failure::fail));
            assertEquals(-1, client.read(java.nio.ByteBuffer.allocate(1)), "it is disconnected");
            assertSame(Optional.empty(), reception.poll());
            reception.close();
        }
        assertExchanges();
    }

    /** All threads of the set-up live. */
    private static void assertExchanges() throws IOException {
        VerbenaSelectorProvider provider = VerbenaSelectorProvider.of(options());
        try (ServerSocketChannel server = provider.openServerSocketChannel().bind(Stage.anyPort());
                SocketChannel client = provider.openSocketChannel()) {
            client.connect(server.getLocalAddress());
            try (SocketChannel peer = server.accept()) {
                Stage.writeAll(client, Stage.text("x"));
                assertEquals(List.of("x", SocketTransport.IWARP), List.of(Stage.read(peer, 1), Stage.transport(peer)));
            }
        }
    }
}
