package io.verbena.sockets.nio;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.CuttingForwarder;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Channels of programs whose TCP connections are cut: the option {@code survive}. */
class SurvivingChannelsTest {

    private static final int BYTES = 3 << 20;
    private static final int BYTES_PER_CUT = BYTES / 12;

    private static final VerbenaSelectorProvider PROVIDER = VerbenaSelectorProvider.of(SocketsOptions.of(Map.of(
                    SocketsOptions.RDMA,
                    "127.0.0.1|127.0.0.2",
                    SocketsOptions.PROVIDER,
                    "iwarp",
                    SocketsOptions.SURVIVE,
                    "true"))
            .withSilence(Duration.ofSeconds(2))
            .withPatience(Duration.ofSeconds(20)));

    private static byte[] random(int seed) {
        byte[] bytes = new byte[BYTES];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    @Test
    void cutInTheMiddle_bothDirectionsArriveWhole_andTheServerSeesOneConnection() throws Exception {
        byte[] up = random(1);
        byte[] down = random(2);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                ServerSocketChannel listener = PROVIDER.openServerSocketChannel()
                        .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                CuttingForwarder forwarder =
                        new CuttingForwarder("127.0.0.1", (InetSocketAddress) listener.getLocalAddress());
                SocketChannel client = PROVIDER.openSocketChannel()) {
            client.connect(forwarder.address());
            try (SocketChannel server = listener.accept()) {
                assertEquals(SocketTransport.IWARP, VerbenaSelectorProvider.transport(server));
                Future<byte[]> received =
                        threads.submit(() -> Channels.newInputStream(server).readAllBytes());
                Future<byte[]> answered =
                        threads.submit(() -> Channels.newInputStream(client).readAllBytes());
                Future<?> answer = threads.submit(() -> {
                    write(server, ByteBuffer.wrap(down));
                    return server.shutdownOutput();
                });
                for (int at = 0; at < BYTES; at += BYTES_PER_CUT) {
                    write(client, ByteBuffer.wrap(up, at, BYTES_PER_CUT));
                    forwarder.cut();
                }
                client.shutdownOutput();
                assertArrayEquals(up, received.get());
                assertArrayEquals(down, answered.get());
                answer.get();
                assertTrue(forwarder.accepted() > 1, "another TCP connection was used");
            }
        }
    }

    private static void write(SocketChannel channel, ByteBuffer bytes) throws java.io.IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    @Test
    void severalAddressesOfAPeer_areFurtherAddresses() throws Exception {
        SocketsOptions options = SocketsOptions.defaults().withRdma("10.0.0.2|10.0.1.2:9092", "10.0.0.3|host:9092");
        SocketAddress other = new InetSocketAddress("10.0.1.2", 9092);
        assertEquals(List.of(other), options.others(new InetSocketAddress("10.0.0.2", 9092)));
        assertEquals(List.of(), options.others(new InetSocketAddress("10.0.0.2", 9093)));
        assertEquals(List.of(), options.others(new InetSocketAddress("10.0.0.3", 9092)), "a name is no address");
    }
}
