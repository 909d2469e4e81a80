package io.verbena.bench.tcp;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Arrays;

/** The TCP of the system on this side. */
record KernelLink(InetSocketAddress peer) implements TcpLink {

    private static final int YIELD_EVERY = 100;

    private SocketChannel open(Role role, long milliseconds) throws IOException {
        SocketChannel channel = SocketChannel.open(peer);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.write(role.request(milliseconds));
        return channel;
    }

    @Override
    public double out(long milliseconds) throws IOException {
        ByteBuffer chunk = ByteBuffer.allocateDirect(Role.CHUNK_BYTES);
        try (SocketChannel channel = open(Role.SINK, milliseconds)) {
            long startNs = System.nanoTime();
            while (System.nanoTime() - startNs < milliseconds * 1_000_000) {
                channel.write(chunk.clear());
            }
            channel.shutdownOutput();
            chunk.clear().limit(Long.BYTES);
            while (chunk.hasRemaining()) {
                if (channel.read(chunk) < 0) {
                    throw new EOFException("the peer has closed the connection without a count");
                }
            }
            return chunk.flip().getLong() * 1e9 / (System.nanoTime() - startNs);
        }
    }

    @Override
    public double in(long milliseconds) throws IOException {
        ByteBuffer chunk = ByteBuffer.allocateDirect(Role.CHUNK_BYTES);
        try (SocketChannel channel = open(Role.SOURCE, milliseconds)) {
            long startNs = System.nanoTime();
            long bytes = 0;
            int count;
            while ((count = channel.read(chunk.clear())) >= 0) {
                bytes += count;
            }
            return bytes * 1e9 / (System.nanoTime() - startNs);
        }
    }

    @Override
    @SuppressWarnings("ThreadPriorityCheck") // the peer may share the processor
    public double halfRoundTripUs(int rounds) throws IOException {
        ByteBuffer message = ByteBuffer.allocateDirect(Role.MESSAGE_BYTES);
        long[] roundNs = new long[rounds];
        try (SocketChannel channel = open(Role.ECHO, 0)) {
            channel.configureBlocking(false);
            for (int i = 0; i < rounds; i++) {
                long startNs = System.nanoTime();
                channel.write(message.clear());
                message.clear();
                for (int idle = 0; message.hasRemaining(); idle++) {
                    if (channel.read(message) < 0) {
                        throw new EOFException("the echo has ended");
                    }
                    if (idle % YIELD_EVERY == YIELD_EVERY - 1) {
                        Thread.yield();
                    }
                }
                roundNs[i] = System.nanoTime() - startNs;
            }
        }
        Arrays.sort(roundNs);
        return roundNs[rounds / 2] / 2e3;
    }
}
