package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Seeds;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.ListenOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Raw sockets against a listener: floods from one address, resets at every byte, any bytes; an honest peer connects all
 * the same.
 */
class StrangersTest {

    private static final String FLOOD = "127.0.0.2";
    private static final String HONEST = "127.0.0.3";

    private final Rnic server = new IwarpProvider().open(RnicOptions.defaults());
    private final Rnic client = new IwarpProvider().open(RnicOptions.defaults());
    private final List<SocketChannel> sockets = new ArrayList<>();

    @AfterEach
    void close() throws IOException {
        for (SocketChannel socket : sockets) {
            socket.close();
        }
        client.close();
        server.close();
    }

    private static byte[] request(int privateDataBytes) {
        byte[] frame = new byte[24 + privateDataBytes];
        byte[] key = "MPA ID Req Frame".getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(key, 0, frame, 0, key.length);
        frame[16] = 0x10;
        frame[17] = 2;
        frame[18] = (byte) (4 + privateDataBytes >> 8);
        frame[19] = (byte) (4 + privateDataBytes);
        frame[21] = 1;
        frame[23] = 1;
        return frame;
    }

    private SocketChannel dial(String from, SocketAddress listener) throws IOException {
        SocketChannel socket = SocketChannel.open();
        sockets.add(socket);
        socket.bind(new InetSocketAddress(InetAddress.ofLiteral(from), 0));
        socket.connect(listener);
        return socket;
    }

    private static void send(SocketChannel socket, byte[] bytes, int count) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(bytes, 0, count);
        while (buffer.hasRemaining()) {
            socket.write(buffer);
        }
    }

    private void reset(SocketChannel socket) throws IOException {
        socket.setOption(StandardSocketOptions.SO_LINGER, 0);
        socket.close();
        sockets.remove(socket);
    }

    private void connectHonestly(Listener listener) throws IOException {
        Site near = new Site(client);
        Site far = new Site(server);
        ConnectionOptions from = ConnectionOptions.defaults()
                .withTimeout(Site.PATIENCE)
                .withLocalAddress(new InetSocketAddress(InetAddress.ofLiteral(HONEST), 0));
        Connection opening = client.startConnect(near.queuePair, listener.localAddress(), from);
        while (true) {
            ConnectionRequest request = listener.nextRequest(Site.PATIENCE).orElseThrow();
            if (request.remoteAddress() instanceof InetSocketAddress address
                    && address.getHostString().equals(HONEST)) {
                request.startAccept(far.queuePair, ConnectionOptions.defaults()).awaitEstablished(Site.PATIENCE);
                break;
            }
            request.reject(new byte[0]);
        }
        opening.awaitEstablished(Site.PATIENCE);
        Site.exchange(near, far, 100, 1);
        opening.close();
        near.queuePair.close();
        far.queuePair.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void floodFromOneAddress_anotherIsServed(boolean asking) throws IOException {
        ListenOptions patient = ListenOptions.defaults().withStartUpTimeout(Duration.ofMinutes(2));
        byte[] request = request(0);
        try (Listener listener = server.listen(new InetSocketAddress("127.0.0.1", 0), patient)) {
            for (int i = 1; i <= 1200; i++) {
                SocketChannel socket = dial(FLOOD, listener.localAddress());
                if (asking) {
                    send(socket, request, request.length);
                }
                if (i % 150 == 0) {
                    connectHonestly(listener);
                }
            }
        }
        boolean reported = server.pollAsyncEvents(Duration.ZERO).stream()
                .anyMatch(event -> event.type() == AsyncEventType.SET_UP_DROPPED);
        assertTrue(reported || asking);
    }

    @Test
    void resetAtEveryByteOfARequest_leavesNothing() throws IOException {
        byte[] request = request(8);
        try (Listener listener = server.listen(new InetSocketAddress("127.0.0.1", 0))) {
            for (int count = 0; count <= request.length; count++) {
                SocketChannel socket = dial(FLOOD, listener.localAddress());
                send(socket, request, count);
                reset(socket);
            }
            connectHonestly(listener);
        }
    }

    @Test
    void acceptedPeerResets_receiveIsFlushedAtOnce() throws IOException {
        byte[] request = request(0);
        try (Listener listener = server.listen(new InetSocketAddress("127.0.0.1", 0))) {
            for (int i = 0; i < 40; i++) {
                Site far = new Site(server);
                far.queuePair.postReceive(7, far.memory, 0, 8);
                SocketChannel socket = dial(FLOOD, listener.localAddress());
                send(socket, request, request.length);
                ConnectionRequest asked = listener.nextRequest(Site.PATIENCE).orElseThrow();
                // By turns before and after the Reply.
                if (i % 2 == 0) {
                    reset(socket);
                }
                Connection connection = asked.startAccept(far.queuePair, ConnectionOptions.defaults());
                if (i % 2 == 1) {
                    if (i % 4 == 1) {
                        assertTrue(socket.read(ByteBuffer.allocate(64)) > 0, "the Reply");
                    }
                    reset(socket);
                }
                assertTrue(far.cursor.next() || far.cq.await(Duration.ofSeconds(5)) && far.cursor.next());
                assertEquals(CompletionStatus.FLUSHED, far.cursor.status());
                assertTrue(connection.awaitClosed(Site.PATIENCE));
                assertFalse(connection.reason().isEmpty());
                far.queuePair.close();
            }
            connectHonestly(listener);
        }
    }

    @Tag(Seeds.TAG)
    @Test
    void anyBytes_leaveNothing() throws IOException {
        SplittableRandom random = new SplittableRandom(Seeds.one(1));
        byte[] request = request(20);
        try (Listener listener = server.listen(new InetSocketAddress("127.0.0.1", 0))) {
            for (int i = 0; i < 300; i++) {
                byte[] bytes = request.clone();
                for (int changes = random.nextInt(4); changes >= 0; changes--) {
                    bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
                }
                SocketChannel socket = dial(FLOOD, listener.localAddress());
                send(socket, bytes, random.nextInt(bytes.length + 1));
                switch (random.nextInt(3)) {
                    case 0 -> reset(socket);
                    case 1 -> socket.shutdownOutput();
                    default -> {}
                }
            }
            connectHonestly(listener);
        }
    }
}
