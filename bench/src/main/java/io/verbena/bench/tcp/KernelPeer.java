package io.verbena.bench.tcp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** The other end of the measurements of TCP alone: a process with sockets of the system, one connection at a time. */
final class KernelPeer {

    static final String READY = "listening at ";
    private static final int YIELD_EVERY = 100;

    private final ByteBuffer chunk = ByteBuffer.allocateDirect(Role.CHUNK_BYTES);

    /** Arguments: address and port. Ends when its standard input ends, because then the bench has ended. */
    public static void main(String[] arguments) throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(arguments[0], Integer.parseInt(arguments[1])));
            System.out.println(READY + server.getLocalAddress());
            Thread.ofPlatform().daemon().start(() -> {
                KernelPeer peer = new KernelPeer();
                while (true) {
                    try (SocketChannel accepted = server.accept()) {
                        peer.serve(accepted);
                    } catch (IOException e) {
                        System.err.println("a connection failed: " + e);
                    }
                }
            });
            while (System.in.read() >= 0) {
                // until the bench ends
            }
        }
    }

    private void serve(SocketChannel channel) throws IOException {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        chunk.clear().limit(Role.REQUEST_BYTES);
        while (chunk.hasRemaining()) {
            if (channel.read(chunk) < 0) {
                return;
            }
        }
        Role role = Role.values()[(int) chunk.flip().getLong()];
        long milliseconds = chunk.getLong();
        switch (role) {
            case SINK -> sink(channel);
            case SOURCE -> source(channel, milliseconds);
            case ECHO -> echo(channel);
        }
    }

    private void sink(SocketChannel channel) throws IOException {
        long bytes = 0;
        int count;
        while ((count = channel.read(chunk.clear())) >= 0) {
            bytes += count;
        }
        channel.write(chunk.clear().putLong(bytes).flip());
    }

    private void source(SocketChannel channel, long milliseconds) throws IOException {
        long endNs = System.nanoTime() + milliseconds * 1_000_000;
        while (System.nanoTime() - endNs < 0) {
            channel.write(chunk.clear());
        }
    }

    /** Polls, as a program that wants the lowest latency does. */
    @SuppressWarnings("ThreadPriorityCheck") // the peer may share the processor
    private void echo(SocketChannel channel) throws IOException {
        channel.configureBlocking(false);
        chunk.clear().limit(Role.MESSAGE_BYTES);
        for (int idle = 0; ; idle++) {
            int count = channel.read(chunk);
            if (count < 0) {
                return;
            }
            if (!chunk.hasRemaining()) {
                channel.write(chunk.flip());
                chunk.clear().limit(Role.MESSAGE_BYTES);
                idle = 0;
            } else if (idle % YIELD_EVERY == YIELD_EVERY - 1) {
                Thread.yield();
            }
        }
    }
}
