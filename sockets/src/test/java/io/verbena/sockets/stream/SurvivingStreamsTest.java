package io.verbena.sockets.stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.CuttingForwarder;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sockets whose connections are reset while bytes are under way. */
@Timeout(120)
class SurvivingStreamsTest {

    private static final int BYTES = 6_000_000;
    private static final int BYTES_PER_CUT = 500_000;
    private static final RnicOptions RNIC = RnicOptions.defaults().withProvider("iwarp");

    private static byte[] random(int seed) {
        byte[] bytes = new byte[BYTES];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    @Test
    void cutInTheMiddle_bothDirectionsArriveWhole() throws Exception {
        byte[] up = random(1);
        byte[] down = random(2);
        StreamOptions options = StreamOptions.defaults();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                StreamNetwork servers = StreamNetwork.open(RNIC, options.surviving());
                StreamListener listener =
                        servers.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 16);
                CuttingForwarder one = forwarder("127.0.0.1", listener);
                CuttingForwarder two = forwarder("127.0.0.2", listener);
                StreamNetwork clients = StreamNetwork.open(RNIC, options.surviving(two.address()));
                StreamSocket client = clients.connect(one.address());
                StreamSocket server = listener.accept(Duration.ofSeconds(60)).orElseThrow()) {
            Future<byte[]> received = threads.submit(() -> StreamSocketTest.readToEnd(server));
            Future<byte[]> answered = threads.submit(() -> StreamSocketTest.readToEnd(client));
            Future<?> answer = threads.submit(() -> {
                StreamSocketTest.writeAll(server, ByteBuffer.wrap(down));
                server.shutdownOutput();
                return "";
            });
            for (int at = 0; at < BYTES; at += BYTES_PER_CUT) {
                StreamSocketTest.writeAll(client, ByteBuffer.wrap(up, at, BYTES_PER_CUT));
                one.cut();
                two.cut();
            }
            client.shutdownOutput();
            assertArrayEquals(up, received.get());
            assertArrayEquals(down, answered.get());
            answer.get();
            assertEquals(BYTES, server.figures().received().bytes());
            assertTrue(one.accepted() + two.accepted() > 1, "another transport was used");
        }
    }

    @Test
    void peerDoesNotAgree_socketEndsWithItsConnection() throws Exception {
        StreamOptions options = StreamOptions.defaults();
        try (StreamNetwork servers = StreamNetwork.open(RNIC, options.surviving());
                StreamListener listener =
                        servers.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 16);
                CuttingForwarder forwarder = forwarder("127.0.0.1", listener);
                StreamNetwork clients = StreamNetwork.open(RNIC, options);
                StreamSocket client = clients.connect(forwarder.address());
                StreamSocket server = listener.accept(Duration.ofSeconds(60)).orElseThrow()) {
            StreamSocketTest.writeAll(client, ByteBuffer.wrap(new byte[] {1}));
            StreamSocketTest.readSome(server, ByteBuffer.allocate(1));
            forwarder.cut();
            assertThrows(IOException.class, () -> StreamSocketTest.readToEnd(client));
        }
    }

    private static CuttingForwarder forwarder(String host, StreamListener listener) throws IOException {
        return new CuttingForwarder(host, (InetSocketAddress) listener.localAddress());
    }
}
