package io.verbena.bench.sockets;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * One JVM of {@link ManySelectorsFigures}: a server with a thread and a selector for each connection, which echoes, or
 * its client, whose one thread blocks and goes round. An empty line asks both for the next answer: the server for the
 * voluntary switches of all its threads until now, the client for the time of its echoes.
 */
final class ManySelectorsSide {

    private static final int BYTES = 64;
    private static final double NS_PER_US = 1e3;
    private static final String SWITCHES = "voluntary_ctxt_switches:";

    private ManySelectorsSide() {}

    /**
     * Arguments: the contestant and the number of connections; for the client also the port and the echoes of an
     * answer.
     */
    public static void main(String[] arguments) throws IOException {
        Contestant contestant = Contestant.valueOf(arguments[0]);
        int connections = Integer.parseInt(arguments[1]);
        if (arguments.length == 2) {
            serve(contestant, connections);
        } else {
            connect(contestant, connections, Integer.parseInt(arguments[2]), Integer.parseInt(arguments[3]));
        }
    }

    private static void serve(Contestant contestant, int connections) throws IOException {
        try (ServerSocketChannel listener = contestant.patient().openServerSocketChannel()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            System.out.println(listener.socket().getLocalPort());
            for (int i = 0; i < connections; i++) {
                SocketChannel peer = listener.accept();
                Thread.ofPlatform().daemon().start(() -> echo(contestant, peer));
            }
        }
        while (System.in.read() >= 0) {
            System.out.println(switches());
        }
    }

    private static void echo(Contestant contestant, SocketChannel peer) {
        try (peer;
                Selector selector = contestant.patient().openSelector()) {
            peer.configureBlocking(false);
            peer.setOption(StandardSocketOptions.TCP_NODELAY, true);
            peer.register(selector, SelectionKey.OP_READ);
            ByteBuffer bytes = ByteBuffer.allocateDirect(BYTES);
            while (true) {
                selector.select();
                selector.selectedKeys().clear();
                if (peer.read(bytes.clear()) < 0) {
                    return;
                }
                peer.write(bytes.flip());
            }
        } catch (IOException _) {
            return; // the measurement has ended the client
        }
    }

    private static void connect(Contestant contestant, int connections, int port, int echoes) throws IOException {
        SocketChannel[] channels = new SocketChannel[connections];
        for (int i = 0; i < connections; i++) {
            channels[i] = contestant.patient().openSocketChannel();
            channels[i].connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            channels[i].setOption(StandardSocketOptions.TCP_NODELAY, true);
        }
        System.out.println(contestant.carries(channels[0]));
        ByteBuffer bytes = ByteBuffer.allocateDirect(BYTES);
        while (System.in.read() >= 0) {
            long beganNs = System.nanoTime();
            for (int i = 0; i < echoes; i++) {
                SocketChannel channel = channels[i % connections];
                channel.write(bytes.clear());
                bytes.clear();
                while (bytes.hasRemaining() && channel.read(bytes) >= 0) {
                    // the rest
                }
            }
            System.out.println((System.nanoTime() - beganNs) / NS_PER_US / echoes);
        }
    }

    private static long switches() throws IOException {
        long all = 0;
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            for (Path thread : threads) {
                all += Files.readAllLines(thread.resolve("status")).stream()
                        .filter(line -> line.startsWith(SWITCHES))
                        .mapToLong(line ->
                                Long.parseLong(line.substring(SWITCHES.length()).strip()))
                        .sum();
            }
        } catch (NoSuchFileException e) {
            return switches(); // a thread has ended meanwhile
        }
        return all;
    }
}
