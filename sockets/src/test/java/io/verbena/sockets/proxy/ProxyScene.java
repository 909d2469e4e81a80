package io.verbena.sockets.proxy;

import io.verbena.sockets.nio.SocketsOptions;
import io.verbena.sockets.nio.VerbenaSelectorProvider;
import io.verbena.sockets.stream.StreamOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** A proxy with a server as its target, and clients. The peers use blocking channels. */
final class ProxyScene implements AutoCloseable {

    /** The peer whose end is over RDMA, and what carries it. */
    record Way(boolean clientByRdma, String provider) {

        static List<Way> all() {
            return List.of(
                    new Way(false, "shm"), new Way(false, "iwarp"), new Way(true, "shm"), new Way(true, "iwarp"));
        }
    }

    static final Duration SETUP = Duration.ofSeconds(30);

    final Proxy proxy;
    final Queue<String> problems = new ConcurrentLinkedQueue<>();
    private final SelectorProvider ofClients;
    private final SelectorProvider ofServer;
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private ServerSocketChannel server;

    private ProxyScene(Way way, ProxyLimits limits, TargetAddresses.LookUp names) throws IOException {
        SocketsOptions options = options(way);
        VerbenaSelectorProvider peers = VerbenaSelectorProvider.of(options.withRdma("127.0.0.1"));
        ofClients = way.clientByRdma ? peers : peers.get();
        ofServer = way.clientByRdma ? peers.get() : peers;
        server = listening(anyPort(), 1024);
        ProxyOptions of = ProxyOptions.of(
                        new ProxyAddress(way.clientByRdma, anyPort()), new ProxyAddress(!way.clientByRdma, target()))
                .withSockets(options)
                .withLimits(limits);
        proxy = Proxy.open(of, problems::add, names);
    }

    static ProxyScene of(Way way) throws IOException {
        return of(way, ProxyLimits.defaults().withConnect(SETUP));
    }

    static ProxyScene of(Way way, ProxyLimits limits) throws IOException {
        return of(way, limits, InetAddress::getAllByName);
    }

    /** With the addresses that the name of the target has. */
    static ProxyScene of(Way way, ProxyLimits limits, TargetAddresses.LookUp names) throws IOException {
        return new ProxyScene(way, limits, names);
    }

    private static SocketsOptions options(Way way) {
        return SocketsOptions.defaults()
                .withProvider(way.provider)
                .withPatience(SETUP)
                .withStreams(StreamOptions.defaults().withConnectTimeout(SETUP));
    }

    static InetSocketAddress anyPort() {
        return new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0);
    }

    private ServerSocketChannel listening(InetSocketAddress where, int backlog) throws IOException {
        ServerSocketChannel listener = keep(ofServer.openServerSocketChannel());
        listener.setOption(StandardSocketOptions.SO_REUSEADDR, true);
        return listener.bind(where, backlog);
    }

    InetSocketAddress target() throws IOException {
        return (InetSocketAddress) server.getLocalAddress();
    }

    /** The target goes away. Returns the address that it had. */
    InetSocketAddress stopServer() throws IOException {
        InetSocketAddress had = target();
        server.close();
        return had;
    }

    void startServer(InetSocketAddress where) throws IOException {
        server = listening(where, 1024);
    }

    synchronized <T extends AutoCloseable> T keep(T resource) {
        opened.push(resource);
        return resource;
    }

    <T> Future<T> submit(Callable<T> work) {
        return threads.submit(work);
    }

    SocketChannel client() throws IOException {
        SocketChannel client = keep(ofClients.openSocketChannel());
        client.connect(proxy.localAddress());
        return client;
    }

    SocketChannel accept() throws IOException {
        return keep(server.accept());
    }

    /** A client and what the target has accepted for it. */
    record Pair(SocketChannel client, SocketChannel target) {

        SocketChannel end(boolean ofClient) {
            return ofClient ? client : target;
        }
    }

    /** The client speaks first, which decides what carries it; the target reads its first byte. */
    Pair pair() throws Exception {
        SocketChannel client = client();
        client.write(ByteBuffer.wrap(new byte[1]));
        SocketChannel target = accept();
        target.read(ByteBuffer.allocate(1));
        return new Pair(client, target);
    }

    /** What each byte of a stream is. */
    static byte at(int stream, long position) {
        return (byte) (position * 31 + (position >> 8) * 7 + stream);
    }

    /** Writes the bytes of a stream from one position to another. */
    static void write(SocketChannel to, int stream, long from, long end) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(end - from, 64 << 10));
        for (long position = from; position < end; ) {
            buffer.clear().limit((int) Math.min(buffer.capacity(), end - position));
            for (int i = 0; i < buffer.limit(); i++) {
                buffer.put(i, at(stream, position + i));
            }
            while (buffer.hasRemaining()) {
                position += to.write(buffer);
            }
        }
    }

    /** What was read: the number of bytes, all as sent, and how it ended: {@code end} or {@code reset}. */
    record Received(long bytes, String ending) {}

    static Received readAll(SocketChannel from, int stream) {
        return readAll(from, stream, 64 << 10);
    }

    static Received readAll(SocketChannel from, int stream, int mostBytes) {
        ByteBuffer buffer = ByteBuffer.allocate(mostBytes);
        long position = 0;
        while (true) {
            try {
                int count = from.read(buffer.clear());
                if (count < 0) {
                    return new Received(position, "end");
                }
            } catch (IOException _) {
                return new Received(position, "reset");
            }
            for (int i = 0; i < buffer.position(); i++) {
                if (buffer.get(i) != at(stream, position + i)) {
                    return new Received(position + i, "another byte than was sent");
                }
            }
            position += buffer.position();
        }
    }

    static void reset(SocketChannel channel) throws IOException {
        channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        channel.close();
    }

    /** The figures as soon as they are as expected, or those of the end of the time. */
    ProxyFigures.Connections await(Predicate<ProxyFigures.Connections> expected) {
        long startNs = System.nanoTime();
        ProxyFigures.Connections now = proxy.figures().connections();
        while (!expected.test(now) && System.nanoTime() - startNs < TimeUnit.SECONDS.toNanos(30)) {
            Thread.yield();
            now = proxy.figures().connections();
        }
        return now;
    }

    @Override
    public void close() throws Exception {
        proxy.close();
        for (AutoCloseable each : opened) {
            each.close();
        }
        threads.shutdownNow();
    }
}
