package io.verbena.bench.sockets;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;

/** One JVM of {@link FreshFigures}: a server that accepts one connection and answers, or its client. */
final class FreshSide {

    private FreshSide() {}

    /** Arguments: the contestant, and for the client the port of the server. */
    public static void main(String[] arguments) throws IOException {
        Contestant contestant = Contestant.valueOf(arguments[0]);
        if (arguments.length == 1) {
            serve(contestant.provider());
        } else {
            connect(contestant, Integer.parseInt(arguments[1]));
        }
        System.in.read(); // until the measurement ends this process
    }

    private static void serve(SelectorProvider provider) throws IOException {
        try (ServerSocketChannel listener = provider.openServerSocketChannel()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            System.out.println(listener.socket().getLocalPort());
            SocketChannel peer = listener.accept();
            ByteBuffer one = ByteBuffer.allocate(1);
            read(peer, one);
            peer.write(one.flip());
        }
    }

    private static void connect(Contestant contestant, int port) throws IOException {
        SocketChannel channel = contestant.provider().openSocketChannel();
        long startNs = System.nanoTime();
        channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        double tookMs = (System.nanoTime() - startNs) / 1e6;
        ByteBuffer one = ByteBuffer.allocate(1);
        channel.write(one);
        read(channel, one.clear());
        System.out.println(contestant.carries(channel) + " " + tookMs);
    }

    private static void read(SocketChannel channel, ByteBuffer one) throws IOException {
        if (channel.read(one) < 0) {
            throw new EOFException("the peer has ended");
        }
    }
}
