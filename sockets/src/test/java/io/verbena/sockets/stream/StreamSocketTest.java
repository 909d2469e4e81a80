package io.verbena.sockets.stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.host.Until;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Sockets of two networks of one process, over each provider. */
@Timeout(60)
class StreamSocketTest {

    private static final long PATIENCE_NS = 20_000_000_000L;

    /** Two networks, a listener, and a connection. */
    private static final class Setting implements AutoCloseable {
        final StreamNetwork clients;
        final StreamNetwork servers;
        final StreamListener listener;

        Setting(String provider) throws IOException {
            clients = StreamNetwork.open(RnicOptions.defaults().withProvider(provider), StreamOptions.defaults());
            servers = StreamNetwork.open(RnicOptions.defaults().withProvider(provider), StreamOptions.defaults());
            listener = servers.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 16);
        }

        StreamSocket connect() throws IOException {
            return clients.connect(listener.localAddress());
        }

        StreamSocket accept() throws Exception {
            return listener.accept(Duration.ofSeconds(20)).orElseThrow();
        }

        @Override
        public void close() {
            listener.close();
            clients.close();
            servers.close();
        }
    }

    static void writeAll(StreamSocket socket, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            if (socket.write(bytes) == 0) {
                assertTrue(socket.awaitReady(StreamSocket.WRITABLE, PATIENCE_NS), socket::toString);
            }
        }
    }

    static byte[] readToEnd(StreamSocket socket) throws IOException {
        ByteBuffer into = ByteBuffer.allocate(1 << 23);
        while (true) {
            int bytes = socket.read(into);
            if (bytes < 0) {
                byte[] all = new byte[into.position()];
                into.get(0, all);
                return all;
            }
            if (bytes == 0) {
                assertTrue(socket.awaitReady(StreamSocket.READABLE, PATIENCE_NS), socket::toString);
            }
        }
    }

    static int readSome(StreamSocket socket, ByteBuffer into) throws IOException {
        assertTrue(socket.awaitReady(StreamSocket.READABLE, PATIENCE_NS));
        return socket.read(into);
    }

    @ParameterizedTest
    @ValueSource(strings = {"iwarp", "shm", "auto", "roce"})
    void megabytesBothWays_arriveWhole_andBuffersGrow(String provider) throws Exception {
        byte[] up = new byte[5_000_000];
        byte[] down = new byte[3_000_000];
        new Random(1).nextBytes(up);
        new Random(2).nextBytes(down);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                Setting setting = new Setting(provider);
                StreamSocket client = setting.connect();
                StreamSocket server = setting.accept()) {
            Future<byte[]> received = threads.submit(() -> readToEnd(server));
            Future<byte[]> answered = threads.submit(() -> readToEnd(client));
            Future<?> answer = threads.submit(() -> {
                writeAll(server, ByteBuffer.wrap(down));
                server.shutdownOutput();
                return "";
            });
            writeAll(client, ByteBuffer.wrap(up));
            client.shutdownOutput();
            assertArrayEquals(up, received.get());
            assertArrayEquals(down, answered.get());
            answer.get();
            assertEquals(up.length, client.figures().sent().bytes());
            assertEquals(up.length, server.figures().received().bytes());
            assertTrue(client.figures().buffers().sendBytes() > 4096, "the buffer has grown");
        }
    }

    /** The connection and its first bytes are notified by two threads, perhaps at the same time. */
    @ParameterizedTest
    @ValueSource(strings = {"iwarp", "shm", "roce"})
    void connectionThatIsNotifiedTwice_isAcceptedOnce(String provider) throws Exception {
        try (Setting setting = new Setting(provider);
                StreamSocket client = setting.connect()) {
            writeAll(client, ByteBuffer.allocate(1));
            try (StreamSocket server = setting.accept()) {
                setting.listener.onReady(server);
                assertTrue(setting.listener.accept().isEmpty());
                assertEquals(1, readSome(server, ByteBuffer.allocate(1)));
            }
        }
    }

    /** Each connection has its first bytes on the way when it is established. */
    @ParameterizedTest
    @ValueSource(strings = {"iwarp", "shm", "roce"})
    void connectionsWithBytesOnTheWay_areAcceptedOnceEach(String provider) throws Exception {
        int connections = 200;
        Set<StreamSocket> accepted = new HashSet<>();
        try (Setting setting = new Setting(provider)) {
            for (int i = 0; i < connections; i++) {
                StreamSocket client = setting.connect();
                writeAll(client, ByteBuffer.allocate(1));
                StreamSocket server = setting.accept();
                assertEquals(1, readSome(server, ByteBuffer.allocate(1)));
                assertTrue(accepted.add(server), "accepted twice");
                assertTrue(setting.listener.accept().isEmpty());
                client.close();
                server.close();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"iwarp", "shm", "roce"})
    void listenerWithConnectionThatWaits_notifiesNewAction(String provider) throws Exception {
        try (Setting setting = new Setting(provider);
                StreamSocket client = setting.connect()) {
            writeAll(client, ByteBuffer.allocate(1));
            Until.holds("a connection waits", setting.listener::ready);
            AtomicInteger notified = new AtomicInteger();
            setting.listener.onReady(notified::incrementAndGet);
            assertEquals(1, notified.get());
        }
    }

    /** Short messages are Sends over iWARP and its shared memory, which the receiving side copies once more. */
    @ParameterizedTest
    @CsvSource({"iwarp, true", "shm, true", "roce, false"})
    void requestsOfAllSizes_areAnsweredWhole(String provider, boolean sends) throws Exception {
        Random random = new Random(7);
        try (Setting setting = new Setting(provider);
                StreamSocket client = setting.connect();
                StreamSocket server = setting.accept()) {
            for (int i = 0; i < 300; i++) {
                byte[] request = new byte[1 + random.nextInt(i % 3 == 0 ? 3000 : 200)];
                random.nextBytes(request);
                writeAll(client, ByteBuffer.wrap(request));
                ByteBuffer arrived = ByteBuffer.allocate(request.length);
                readAll(server, arrived);
                writeAll(server, arrived.flip());
                ByteBuffer answer = ByteBuffer.allocate(request.length);
                readAll(client, answer);
                assertArrayEquals(request, answer.array());
            }
            StreamFigures.Direction received = server.figures().received();
            assertEquals(sends, received.copiedBytes() > received.bytes(), received::toString);
        }
    }

    private static void readAll(StreamSocket socket, ByteBuffer into) throws IOException {
        while (into.hasRemaining()) {
            assertTrue(readSome(socket, into) >= 0, socket::toString);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"iwarp", "shm", "roce"})
    void closeWithUnsentData_peerReadsAllOfIt_thenTheEnd(String provider) throws Exception {
        byte[] bytes = new byte[200_000];
        new Random(3).nextBytes(bytes);
        try (Setting setting = new Setting(provider);
                StreamSocket server = connectAndClose(setting, bytes)) {
            assertArrayEquals(bytes, readToEnd(server));
            assertEquals(1, server.write(ByteBuffer.allocate(1)), "the first write, as with TCP");
            IOException broken = assertThrows(IOException.class, () -> server.write(ByteBuffer.allocate(1)));
            assertEquals("Broken pipe", broken.getMessage());
        }
    }

    private static StreamSocket connectAndClose(Setting setting, byte[] bytes) throws Exception {
        try (StreamSocket client = setting.connect()) {
            StreamSocket server = setting.accept();
            writeAll(client, ByteBuffer.wrap(bytes));
            return server;
        }
    }

    /** As over loopback TCP, which has delivered the bytes when the write returns. */
    @ParameterizedTest
    @ValueSource(strings = {"iwarp", "shm", "roce"})
    void abortAfterAWrite_peerReadsTheBytes_thenConnectionReset(String provider) throws Exception {
        try (Setting setting = new Setting(provider)) {
            for (int i = 0; i < 30; i++) {
                ByteBuffer bytes = ByteBuffer.allocate(400);
                try (StreamSocket client = setting.connect();
                        StreamSocket server = setting.accept()) {
                    assertEquals(400, client.write(bytes.duplicate()));
                    client.abort();
                    ByteBuffer read = ByteBuffer.allocate(2000);
                    assertThrows(SocketException.class, () -> {
                        while (readSome(server, read) > 0) {}
                    });
                    assertEquals(400, read.position());
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"iwarp", "shm", "roce"})
    void abort_peerReadsConnectionReset(String provider) throws Exception {
        try (Setting setting = new Setting(provider);
                StreamSocket client = setting.connect();
                StreamSocket server = setting.accept()) {
            client.abort();
            SocketException reset =
                    assertThrows(SocketException.class, () -> readSome(server, ByteBuffer.allocate(10)));
            assertEquals("Connection reset", reset.getMessage());
            IOException written = assertThrows(IOException.class, () -> server.write(ByteBuffer.allocate(1)));
            assertEquals("Connection reset by peer", written.getMessage());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"iwarp", "shm", "roce"})
    void nothingListens_connectIsRefused(String provider) throws Exception {
        try (Setting setting = new Setting(provider)) {
            var address = setting.listener.localAddress();
            setting.listener.close();
            assertThrows(ConnectException.class, () -> setting.clients.connect(address));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"iwarp", "shm", "roce"})
    void manyConnections_openedAndClosed_leaveNothing(String provider) throws Exception {
        try (Setting setting = new Setting(provider)) {
            for (int i = 0; i < 100; i++) {
                try (StreamSocket client = setting.connect();
                        StreamSocket server = setting.accept()) {
                    writeAll(client, ByteBuffer.wrap(new byte[] {(byte) i}));
                    ByteBuffer into = ByteBuffer.allocate(2);
                    assertEquals(1, readSome(server, into));
                    assertEquals((byte) i, into.get(0));
                }
            }
            long endNs = System.nanoTime() + PATIENCE_NS;
            while (!setting.clients.sockets().isEmpty()
                    || !setting.servers.sockets().isEmpty()) {
                assertTrue(System.nanoTime() < endNs, "all sockets are gone");
                Thread.onSpinWait();
            }
        }
    }

    /** An RNIC whose resources are used up for a moment. */
    @ParameterizedTest
    @ValueSource(strings = {"iwarp", "shm", "roce"})
    void noSocketCanBeCreated_requestIsRejected_andTheNextIsAccepted(String provider) throws Exception {
        AtomicBoolean exhausted = new AtomicBoolean(true);
        RnicOptions options = RnicOptions.defaults().withProvider(provider);
        Rnic rnic = Rnic.open(options);
        InvocationHandler scarce = (_, method, arguments) -> {
            if (method.getName().equals("allocateProtectionDomain") && exhausted.getAndSet(false)) {
                throw new VerbsException("no protection domain is left");
            }
            return method.invoke(rnic, arguments);
        };
        Rnic front = (Rnic) Proxy.newProxyInstance(Rnic.class.getClassLoader(), new Class<?>[] {Rnic.class}, scarce);
        try (StreamNetwork servers = new StreamNetwork(front, StreamOptions.defaults(), Thread::startVirtualThread);
                StreamNetwork clients = StreamNetwork.open(options, StreamOptions.defaults());
                StreamListener listener =
                        servers.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1)) {
            assertThrows(ConnectException.class, () -> clients.connect(listener.localAddress()));
            try (StreamSocket client = clients.connect(listener.localAddress());
                    StreamSocket server =
                            listener.accept(Duration.ofSeconds(20)).orElseThrow()) {
                assertTrue(client.connected() && server.connected());
            }
        }
    }
}
