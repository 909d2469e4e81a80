package io.verbena.bench.sockets;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** One JVM of {@link IdleFigures}: it accepts connections and echoes, or it connects. A line of the standard input asks for the next answer. */
final class IdleSide {

    private static final int FEW = 100;
    private static final int ECHOES = 4_000;
    private static final int BACKLOG = 512;

    private IdleSide() {}

    public static void main(String[] arguments) throws IOException {
        Contestant contestant = Contestant.valueOf(arguments[1]);
        if (arguments[0].equals("serve")) {
            serve(contestant);
        } else {
            connect(contestant, Integer.parseInt(arguments[2]), Integer.parseInt(arguments[3]));
        }
    }

    private static void serve(Contestant contestant) throws IOException {
        ServerSocketChannel listener = contestant.patient().openServerSocketChannel();
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG);
        Selector selector = contestant.patient().openSelector();
        listener.configureBlocking(false);
        listener.register(selector, SelectionKey.OP_ACCEPT);
        System.out.println(((InetSocketAddress) listener.getLocalAddress()).getPort());
        Thread.ofPlatform().daemon().start(IdleSide::report);
        ByteBuffer bytes = ByteBuffer.allocateDirect(64);
        while (true) {
            selector.select(key -> {
                try {
                    onReady(key, selector, bytes);
                } catch (IOException e) {
                    key.cancel(); // the client has ended
                }
            });
        }
    }

    private static void onReady(SelectionKey key, Selector selector, ByteBuffer bytes) throws IOException {
        if (key.isAcceptable()) {
            SocketChannel peer = ((ServerSocketChannel) key.channel()).accept();
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
    }

    private static void report() {
        try {
            while (System.in.read() >= 0) {
                System.out.println(memoryBytes());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void connect(Contestant contestant, int port, int connections) throws IOException {
        Selector selector = contestant.patient().openSelector();
        List<SocketChannel> open = new ArrayList<>();
        for (int i = 0; i < FEW; i++) {
            open.add(connect(contestant, port, selector));
        }
        echo(open.getFirst(), selector);
        double few = echo(open.getFirst(), selector);
        System.out.println(memoryBytes());
        await();
        long[] ns = new long[connections];
        for (int i = 0; i < connections; i++) {
            long startNs = System.nanoTime();
            open.add(connect(contestant, port, selector));
            ns[i] = System.nanoTime() - startNs;
        }
        SetUpTimes times = SetUpTimes.of(ns);
        // The last one answers, so all have been accepted.
        echo(open.getLast(), selector);
        System.out.println(memoryBytes() + " " + times);
        await();
        double many = echo(open.getFirst(), selector);
        System.out.println(few + " " + many);
        await();
    }

    private static void await() throws IOException {
        if (System.in.read() < 0) {
            System.exit(0);
        }
    }

    private static SocketChannel connect(Contestant contestant, int port, Selector selector) throws IOException {
        SocketChannel channel = contestant.patient().openSocketChannel();
        channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        channel.configureBlocking(false);
        channel.register(selector, SelectionKey.OP_READ);
        if (!contestant.carries(channel)) {
            throw new IOException("a connection is not carried by " + contestant + " but by TCP");
        }
        return channel;
    }

    /** Returns the median of a round trip in microseconds. */
    private static double echo(SocketChannel channel, Selector selector) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocateDirect(64);
        long[] ns = new long[ECHOES];
        for (int i = 0; i < ECHOES; i++) {
            long startNs = System.nanoTime();
            channel.write(bytes.clear());
            bytes.clear();
            while (bytes.hasRemaining()) {
                selector.select();
                selector.selectedKeys().clear();
                channel.read(bytes);
            }
            ns[i] = System.nanoTime() - startNs;
        }
        Arrays.sort(ns);
        return ns[ECHOES / 2] / 1e3;
    }

    /** The live heap, and everything outside of it; shared pages count for the processes that share them in parts. */
    private static long memoryBytes() throws IOException {
        System.gc();
        System.gc();
        long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        long resident = Files.readAllLines(Path.of("/proc/self/smaps_rollup")).stream()
                .filter(line -> line.startsWith("Pss:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D+", "")) << 10)
                .sum();
        return heap + resident;
    }
}
