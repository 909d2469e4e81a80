package io.verbena.bench.waits;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Arrays;

/** The ping-pong of {@link WaitPair} over plain sockets with selectors: what a program without RDMA does. */
public final class NioPair {

    private static final int BYTES = 64;
    private static final int BATCHES = 9;
    private static final int WARM_UP = 3;
    private static final long BATCH_NS = 200_000_000;

    private NioPair() {}

    public static void main(String[] arguments) throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            Thread.ofPlatform().daemon().name("server").start(() -> serve(server));
            try (Side client = new Side(SocketChannel.open(server.getLocalAddress()))) {
                System.out.println(halfTripUs(client));
            }
        }
    }

    private static void serve(ServerSocketChannel server) {
        try (Side side = new Side(server.accept())) {
            while (true) {
                side.receive();
                side.send();
            }
        } catch (IOException e) {
            // the client has left
        }
    }

    private static double halfTripUs(Side client) throws IOException {
        double[] us = new double[BATCHES - WARM_UP];
        for (int batch = 0; batch < BATCHES; batch++) {
            long startNs = System.nanoTime();
            long nowNs = startNs;
            long trips = 0;
            for (; nowNs - startNs < BATCH_NS; nowNs = System.nanoTime()) {
                client.send();
                client.receive();
                trips++;
            }
            if (batch >= WARM_UP) {
                us[batch - WARM_UP] = (nowNs - startNs) / 2000.0 / trips;
            }
        }
        Arrays.sort(us);
        return us[us.length / 2];
    }

    /** One end, which waits in a selector. */
    private static final class Side implements AutoCloseable {
        private final SocketChannel channel;
        private final Selector selector = Selector.open();
        private final ByteBuffer buffer = ByteBuffer.allocateDirect(BYTES);

        Side(SocketChannel channel) throws IOException {
            this.channel = channel;
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ);
        }

        void send() throws IOException {
            buffer.clear();
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
        }

        void receive() throws IOException {
            buffer.clear();
            while (buffer.hasRemaining()) {
                selector.select(key -> {});
                if (channel.read(buffer) < 0) {
                    throw new EOFException();
                }
            }
        }

        @Override
        public void close() throws IOException {
            channel.close();
            selector.close();
        }
    }
}
