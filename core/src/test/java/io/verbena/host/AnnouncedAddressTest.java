package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AnnouncedAddress;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Progress;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.StreamConversion;
import io.verbena.verbs.TransportType;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An application accepts sockets by itself and takes over those that begin with an offer of shared memory. */
class AnnouncedAddressTest {

    private static final int OFFER_BYTES = 40;

    private static Rnic open() {
        return new AutomaticProvider().open(RnicOptions.defaults().withProgress(Progress.ENGINE_THREAD));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 8, 16, 39, 40})
    void announced_peerOffersMemory_takeOverUsesIt(int alreadyRead) throws IOException {
        try (Rnic clients = open();
                Rnic servers = open();
                ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(StreamProbe.loopback(0));
            assertFalse(clients.announced(server.getLocalAddress()));
            try (AnnouncedAddress _ = servers.announce(server.getLocalAddress())) {
                assertTrue(clients.announced(server.getLocalAddress()));
                assertTransport(clients, servers, server, alreadyRead, TransportType.SHARED_MEMORY);
            }
            assertFalse(clients.announced(server.getLocalAddress()));
            assertTransport(clients, servers, server, 16, TransportType.IWARP);
        }
    }

    /** The application has agreed with its peer, on a stream that it has connected, that memory is offered. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void connectedStream_offersMemory_ifTheConversionSaysSo(boolean offers) throws IOException {
        try (Rnic clients = open();
                Rnic servers = open();
                ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(StreamProbe.loopback(0));
            Site near = new Site(clients);
            Site far = new Site(servers);
            Connection client = clients.takeOver(
                    near.queuePair,
                    SocketChannel.open(server.getLocalAddress()),
                    StreamConversion.asInitiator().withMemoryOffer(offers));
            SocketChannel arrived = server.accept();
            ByteBuffer first = ByteBuffer.allocate(1);
            arrived.read(first);
            Connection accepted = servers.takeOver(
                    far.queuePair, arrived, StreamConversion.asResponder().withAlreadyRead(first.array()));
            accepted.awaitEstablished(Duration.ofSeconds(10));
            client.awaitEstablished(Duration.ofSeconds(10));
            TransportType expected = offers ? TransportType.SHARED_MEMORY : TransportType.IWARP;
            assertEquals(expected, accepted.transport());
            assertEquals(expected, client.transport());
        }
    }

    private static void assertTransport(
            Rnic clients, Rnic servers, ServerSocketChannel server, int alreadyRead, TransportType expected)
            throws IOException {
        Site near = new Site(clients);
        Site far = new Site(servers);
        Connection client = clients.startConnect(
                near.queuePair,
                server.getLocalAddress(),
                ConnectionOptions.defaults().withPrivateData(new byte[] {7}));
        SocketChannel arrived = server.accept();
        ByteBuffer first = ByteBuffer.allocate(alreadyRead);
        while (first.hasRemaining()) {
            arrived.read(first);
        }
        Connection accepted = servers.takeOver(
                far.queuePair, arrived, StreamConversion.asResponder().withAlreadyRead(first.array()));
        accepted.awaitEstablished(Duration.ofSeconds(10));
        client.awaitEstablished(Duration.ofSeconds(10));
        assertEquals(expected, accepted.transport());
        assertEquals(expected, client.transport());
        assertEquals(7, accepted.privateData()[0]);
        near.memory.segment().set(ValueLayout.JAVA_LONG, 0, 42);
        assertTrue(far.queuePair.postReceive(1, far.memory, 0, 8));
        assertTrue(near.queuePair.postSend(1, near.memory, 0, 8, WrFlags.SIGNALLED));
        assertTrue(far.cq.await(Site.PATIENCE));
        assertTrue(far.cursor.next() && far.cursor.ok(), far.cursor::reason);
        assertEquals(42, far.memory.segment().get(ValueLayout.JAVA_LONG, 0));
    }

    /** Bytes that begin like an offer and are none end the conversion with a failure, in time. */
    @Test
    void bytesLikeAnOffer_endTheConversion() throws IOException {
        try (Rnic servers = open();
                ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(StreamProbe.loopback(0));
            try (SocketChannel liar = SocketChannel.open(server.getLocalAddress())) {
                SocketChannel arrived = server.accept();
                byte[] first = "VRBNSHMO and then something else, at length".getBytes(StandardCharsets.US_ASCII);
                liar.write(ByteBuffer.wrap(first));
                Site far = new Site(servers);
                Connection accepted = servers.takeOver(
                        far.queuePair,
                        arrived,
                        StreamConversion.asResponder().withAlreadyRead(Arrays.copyOf(first, OFFER_BYTES)));
                assertTrue(accepted.awaitClosed(Duration.ofSeconds(10)), accepted.state()::toString);
            }
        }
    }
}
