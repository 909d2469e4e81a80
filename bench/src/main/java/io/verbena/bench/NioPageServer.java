package io.verbena.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Pages of a file over a socket with plain NIO: a request is 8 bytes of offset, the answer is the page. One thread serves, with as
 * many requests in flight as the client sends.
 */
final class NioPageServer implements AutoCloseable {
    private final FileChannel file;
    private final int pageBytes;
    private final int depth;
    private final boolean direct;
    private final SocketChannel client;
    private final Thread thread;

    NioPageServer(Path path, int pageBytes, int depth) throws IOException {
        this.pageBytes = pageBytes;
        this.depth = depth;
        FileChannel opened;
        boolean past = true;
        try {
            opened = FileChannel.open(path, Set.of(StandardOpenOption.READ, directOption()));
        } catch (IOException | RuntimeException e) {
            opened = FileChannel.open(path, StandardOpenOption.READ);
            past = false;
        }
        file = opened;
        direct = past;
        SocketChannel server;
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            client = SocketChannel.open(listener.getLocalAddress());
            server = listener.accept();
        }
        client.setOption(StandardSocketOptions.TCP_NODELAY, true);
        server.setOption(StandardSocketOptions.TCP_NODELAY, true);
        thread = Thread.ofPlatform().daemon().start(() -> serve(server));
    }

    /** Whether reads bypass the page cache. */
    boolean direct() {
        return direct;
    }

    private static OpenOption directOption() {
        try {
            for (Object option :
                    Class.forName("com.sun.nio.file.ExtendedOpenOption").getEnumConstants()) {
                if (option.toString().equals("DIRECT")) {
                    return (OpenOption) option;
                }
            }
        } catch (ClassNotFoundException e) {
            throw new UnsupportedOperationException(e);
        }
        throw new UnsupportedOperationException("no direct I/O");
    }

    private void serve(SocketChannel server) {
        ByteBuffer requests = ByteBuffer.allocateDirect(8 * depth);
        ByteBuffer page = ByteBuffer.allocateDirect(2 * pageBytes).alignedSlice(pageBytes);
        try (server) {
            while (server.read(requests) >= 0) {
                requests.flip();
                while (requests.remaining() >= 8) {
                    long at = requests.getLong();
                    page.clear().limit(pageBytes);
                    file.read(page, at);
                    page.flip();
                    while (page.hasRemaining()) {
                        server.write(page);
                    }
                }
                requests.compact();
            }
        } catch (ClosedChannelException e) {
            return; // the end
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Random reads of pages of a file of this length per second, with a full depth of requests in flight. */
    double rate(long bytes, int reads) throws IOException {
        SplittableRandom random = new SplittableRandom(1);
        ByteBuffer requests = ByteBuffer.allocateDirect(8 * depth);
        ByteBuffer answers = ByteBuffer.allocateDirect(pageBytes * depth);
        long pages = bytes / pageBytes;
        int posted = 0;
        long received = 0;
        long begin = System.nanoTime();
        while (received < (long) reads * pageBytes) {
            requests.clear();
            while (posted < reads && posted - received / pageBytes < depth) {
                requests.putLong(random.nextLong(pages) * pageBytes);
                posted++;
            }
            requests.flip();
            while (requests.hasRemaining()) {
                client.write(requests);
            }
            received += client.read(answers.clear());
        }
        return reads * 1e9 / (System.nanoTime() - begin);
    }

    @Override
    public void close() throws IOException {
        client.close();
        file.close();
        thread.interrupt();
    }
}
