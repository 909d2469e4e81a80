package io.verbena.bench.sockets;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** One JVM of {@link ColdFigures}: a server that echoes on one connection, or its client. Both print the processor time of their compilers at the end. */
final class ColdSide {

    private static final int BYTES = 64;
    private static final double NS_PER_US = 1e3;
    private static final long NS_PER_S = 1_000_000_000;

    /** The user time and the system time of a thread in its stat, after the name; in ticks of 10 ms. */
    private static final int USER_AT = 11;

    private static final int SYSTEM_AT = 12;
    private static final double TICK_MS = 10;

    private ColdSide() {}

    /** Arguments: the contestant, and for the client the port and the seconds. */
    public static void main(String[] arguments) throws IOException {
        Contestant contestant = Contestant.valueOf(arguments[0]);
        if (arguments.length == 1) {
            serve(contestant);
        } else {
            connect(contestant, Integer.parseInt(arguments[1]), Long.parseLong(arguments[2]) * NS_PER_S);
        }
        System.in.read(); // until the measurement ends this process
    }

    private static void serve(Contestant contestant) throws IOException {
        try (ServerSocketChannel listener = contestant.patient().openServerSocketChannel()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            System.out.println(listener.socket().getLocalPort());
            try (SocketChannel peer = listener.accept()) {
                peer.setOption(StandardSocketOptions.TCP_NODELAY, true);
                ByteBuffer bytes = ByteBuffer.allocateDirect(BYTES);
                while (peer.read(bytes.clear()) >= 0) {
                    peer.write(bytes.flip());
                }
            }
        }
        System.out.println(compilersMs());
    }

    private static void connect(Contestant contestant, int port, long forNs) throws IOException {
        long echoes = 0;
        long tookNs = 0;
        try (SocketChannel channel = contestant.patient().openSocketChannel()) {
            channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            if (!contestant.carries(channel)) {
                throw new IOException("a connection is not carried by " + contestant + " but by TCP");
            }
            ByteBuffer bytes = ByteBuffer.allocateDirect(BYTES);
            long startNs = System.nanoTime();
            while (tookNs < forNs) {
                channel.write(bytes.clear());
                bytes.clear();
                while (bytes.hasRemaining() && channel.read(bytes) >= 0) {
                    // the rest
                }
                echoes++;
                tookNs = System.nanoTime() - startNs;
            }
        }
        System.out.println(tookNs / NS_PER_US / echoes + " " + compilersMs());
    }

    /** The processor time of the threads of both compilers. */
    private static double compilersMs() throws IOException {
        double ms = 0;
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            for (Path thread : threads) {
                ms += compilerMs(thread);
            }
        }
        return ms;
    }

    private static double compilerMs(Path thread) throws IOException {
        String stat;
        try {
            stat = Files.readString(thread.resolve("stat"));
        } catch (NoSuchFileException e) {
            return 0; // it has ended
        }
        int end = stat.lastIndexOf(')');
        String name = stat.substring(stat.indexOf('(') + 1, end);
        String[] fields = stat.substring(end + 2).split(" ");
        return name.startsWith("C1 Comp") || name.startsWith("C2 Comp")
                ? TICK_MS * (Long.parseLong(fields[USER_AT]) + Long.parseLong(fields[SYSTEM_AT]))
                : 0;
    }
}
