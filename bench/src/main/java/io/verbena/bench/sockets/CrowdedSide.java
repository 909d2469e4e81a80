package io.verbena.bench.sockets;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.Channel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One JVM of {@link CrowdedFigures}: a server whose thread calls {@code selectNow} again and again, and clients in threads of their own that
 * send and wait for the echo. An empty line asks for the echoes of the next second, a line with a number for the time of this many connects at
 * once. It rests in between.
 */
final class CrowdedSide {

    private static final int MESSAGE_BYTES = 64;
    private static final int BACKLOG = 1024;

    /** Echoes of each client before a measurement. */
    private static final int FIRST = 10;

    private final Contestant contestant;
    private final Selector selector;
    private final ServerSocketChannel listener;
    private final int clients;

    private CrowdedSide(Contestant contestant, int clients) throws IOException {
        this.contestant = contestant;
        this.clients = clients;
        selector = contestant.provider().openSelector();
        listener = contestant.provider().openServerSocketChannel();
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG);
        listener.configureBlocking(false);
        listener.register(selector, SelectionKey.OP_ACCEPT);
    }

    /** Arguments: the contestant, the number of clients, and the milliseconds of a measurement. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        CrowdedSide side = new CrowdedSide(Contestant.valueOf(arguments[0]), Integer.parseInt(arguments[1]));
        long forNs = Long.parseLong(arguments[2]) * 1_000_000;
        System.out.println("ready");
        BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = questions.readLine(); line != null; line = questions.readLine()) {
            System.out.println(line.isEmpty() ? side.echoes(forNs) : side.connects(Integer.parseInt(line)));
        }
        System.exit(0);
    }

    private SocketChannel open() throws IOException {
        SocketChannel channel = contestant.provider().openSocketChannel();
        channel.connect(listener.getLocalAddress());
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        return channel;
    }

    /** Serves by polling while the work of other threads runs. */
    private void serve(AtomicBoolean over) {
        ByteBuffer bytes = ByteBuffer.allocateDirect(MESSAGE_BYTES);
        try {
            while (!over.get()) {
                selector.selectNow(key -> onReady(key, bytes));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void onReady(SelectionKey key, ByteBuffer bytes) {
        try {
            if (key.isAcceptable()) {
                SocketChannel peer = listener.accept();
                if (peer != null) {
                    peer.configureBlocking(false);
                    peer.register(selector, SelectionKey.OP_READ);
                }
                return;
            }
            SocketChannel peer = (SocketChannel) key.channel();
            if (peer.read(bytes.clear()) < 0) {
                peer.close();
            } else {
                peer.write(bytes.flip());
            }
        } catch (IOException e) {
            System.err.println("The server has lost a connection: " + e);
            close(key.channel());
        }
    }

    private static void close(Channel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private long echoes(long forNs) throws InterruptedException {
        AtomicBoolean over = new AtomicBoolean();
        AtomicBoolean counts = new AtomicBoolean();
        AtomicBoolean ended = new AtomicBoolean();
        AtomicLong rounds = new AtomicLong();
        CountDownLatch begun = new CountDownLatch(clients);
        Thread server = Thread.ofPlatform().start(() -> serve(over));
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            threads.add(Thread.ofPlatform().start(() -> echo(begun, counts, ended, rounds)));
        }
        begun.await();
        counts.set(true);
        Thread.sleep(forNs / 1_000_000, (int) (forNs % 1_000_000));
        long result = rounds.get();
        ended.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
        over.set(true);
        server.join();
        return result;
    }

    /** Echoes until the measurement is over. */
    private void echo(CountDownLatch begun, AtomicBoolean counts, AtomicBoolean ended, AtomicLong rounds) {
        ByteBuffer message = ByteBuffer.allocateDirect(MESSAGE_BYTES);
        try (SocketChannel channel = open();
                Selector none = channel.provider().openSelector()) {
            for (long i = 0; i < FIRST || !ended.get(); i++) {
                Way.BLOCK.writeAll(channel, none, message.clear());
                Way.BLOCK.readAll(channel, none, message.clear());
                if (i == FIRST - 1) {
                    begun.countDown();
                }
                if (counts.get()) {
                    rounds.incrementAndGet();
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Milliseconds for this many connects at once, each with one echo. */
    private long connects(int number) throws InterruptedException {
        AtomicBoolean over = new AtomicBoolean();
        Thread server = Thread.ofPlatform().start(() -> serve(over));
        CountDownLatch echoed = new CountDownLatch(number);
        CountDownLatch go = new CountDownLatch(1);
        for (int i = 0; i < number; i++) {
            Thread.ofPlatform().start(() -> connectOnce(go, echoed));
        }
        long startNs = System.nanoTime();
        go.countDown();
        echoed.await();
        long tookMs = (System.nanoTime() - startNs) / 1_000_000;
        over.set(true);
        server.join();
        return tookMs;
    }

    private void connectOnce(CountDownLatch go, CountDownLatch echoed) {
        ByteBuffer message = ByteBuffer.allocateDirect(MESSAGE_BYTES);
        try {
            go.await();
            try (SocketChannel channel = open();
                    Selector none = channel.provider().openSelector()) {
                Way.BLOCK.writeAll(channel, none, message.clear());
                Way.BLOCK.readAll(channel, none, message.clear());
                echoed.countDown();
                echoed.await();
            }
        } catch (IOException e) {
            System.err.println("A client has lost its connection: " + e);
            echoed.countDown();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
