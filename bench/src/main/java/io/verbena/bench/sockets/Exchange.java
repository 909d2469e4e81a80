package io.verbena.bench.sockets;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * Both sides of one measurement on one connection. The client begins with a header: the way, the size and number of messages, and
 * whether each is answered; a stream is answered at its end.
 */
final class Exchange {

    private static final int HEADER_BYTES = 12;

    private Exchange() {}

    /** One measurement. */
    record Plan(Way way, int messageBytes, int messages, boolean echoes) {}

    /** Returns the nanoseconds of a message. */
    static double run(Contestant contestant, int port, Plan plan) throws IOException {
        try (SocketChannel channel = contestant.provider().openSocketChannel()) {
            return run(channel, port, plan);
        }
    }

    static double run(SocketChannel channel, int port, Plan plan) throws IOException {
        channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        channel.setOption(java.net.StandardSocketOptions.TCP_NODELAY, true);
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES)
                .put((byte) plan.way.ordinal())
                .put((byte) (plan.echoes ? 1 : 0))
                .putShort((short) 0)
                .putInt(plan.messageBytes)
                .putInt(plan.messages)
                .flip();
        try (Selector selector = plan.way.prepare(channel)) {
            plan.way.writeAll(channel, selector, header);
            ByteBuffer message = ByteBuffer.allocateDirect(plan.messageBytes);
            for (int i = 0; i < plan.messages / 5; i++) {
                exchange(channel, selector, plan, message);
            }
            long startNs = System.nanoTime();
            for (int i = plan.messages / 5; i < plan.messages; i++) {
                exchange(channel, selector, plan, message);
            }
            if (!plan.echoes) {
                plan.way.readAll(channel, selector, message.clear().limit(1));
            }
            return (System.nanoTime() - startNs) / (double) (plan.messages - plan.messages / 5);
        }
    }

    private static void exchange(SocketChannel channel, Selector selector, Plan plan, ByteBuffer message)
            throws IOException {
        plan.way.writeAll(channel, selector, message.clear());
        if (plan.echoes) {
            plan.way.readAll(channel, selector, message.clear());
        }
    }

    /** Serves one connection after the other until the process is stopped. */
    public static void main(String[] arguments) throws IOException {
        try (ServerSocketChannel listener =
                Contestant.valueOf(arguments[0]).provider().openServerSocketChannel()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            System.out.println(((InetSocketAddress) listener.getLocalAddress()).getPort());
            while (true) {
                try (SocketChannel channel = listener.accept()) {
                    channel.setOption(java.net.StandardSocketOptions.TCP_NODELAY, true);
                    serve(channel);
                }
            }
        }
    }

    private static void serve(SocketChannel channel) throws IOException {
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
        try (Selector none = channel.provider().openSelector()) {
            Way.BLOCK.readAll(channel, none, header);
        }
        Way way = Way.values()[header.get(0)];
        boolean echoes = header.get(1) == 1;
        ByteBuffer message = ByteBuffer.allocateDirect(header.getInt(4));
        try (Selector selector = way.prepare(channel)) {
            for (int i = header.getInt(8); i > 0; i--) {
                way.readAll(channel, selector, message.clear());
                if (echoes) {
                    way.writeAll(channel, selector, message.flip());
                }
            }
            if (!echoes) {
                way.writeAll(channel, selector, message.clear().limit(1));
            }
        }
    }
}
