package io.verbena.host;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Forwards the connections to one address to another, and cuts them: by resets, or by forwarding nothing more. */
final class CuttingForwarder implements Closeable {

    private record Pair(SocketChannel from, SocketChannel to) {}

    private final ServerSocketChannel server;
    private final InetSocketAddress target;
    private final List<Pair> pairs = new CopyOnWriteArrayList<>();
    private final AtomicInteger accepted = new AtomicInteger();

    /** Forwards from an address of its own, on this host address, to the target. */
    CuttingForwarder(String host, InetSocketAddress target) throws IOException {
        this.target = target;
        server = ServerSocketChannel.open().bind(new InetSocketAddress(host, 0));
        Thread.ofVirtual().start(this::accept);
    }

    InetSocketAddress address() throws IOException {
        return (InetSocketAddress) server.getLocalAddress();
    }

    /** Number of connections so far. */
    int accepted() {
        return accepted.get();
    }

    private void accept() {
        try {
            while (true) {
                SocketChannel from = server.accept();
                SocketChannel to = SocketChannel.open(target);
                from.setOption(StandardSocketOptions.TCP_NODELAY, true);
                to.setOption(StandardSocketOptions.TCP_NODELAY, true);
                Pair pair = new Pair(from, to);
                pairs.add(pair);
                Thread.ofVirtual().start(() -> forward(pair, from, to));
                Thread.ofVirtual().start(() -> forward(pair, to, from));
                accepted.incrementAndGet();
            }
        } catch (IOException e) {
            // The test has ended.
        }
    }

    private void forward(Pair pair, SocketChannel from, SocketChannel to) {
        ByteBuffer bytes = ByteBuffer.allocate(1 << 16);
        try {
            while (from.read(bytes.clear()) >= 0) {
                bytes.flip();
                while (bytes.hasRemaining()) {
                    to.write(bytes);
                }
            }
            to.shutdownOutput();
        } catch (IOException e) {
            reset(pair);
        }
    }

    /** Resets all connections. Returns whether there was one. */
    boolean cut() {
        boolean any = !pairs.isEmpty();
        pairs.forEach(this::reset);
        return any;
    }

    private void reset(Pair pair) {
        pairs.remove(pair);
        for (SocketChannel each : List.of(pair.from(), pair.to())) {
            try (each) {
                each.setOption(StandardSocketOptions.SO_LINGER, 0);
            } catch (IOException e) {
                // It is closed already.
            }
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        cut();
    }
}
