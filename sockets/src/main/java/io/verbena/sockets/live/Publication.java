package io.verbena.sockets.live;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** The figures of this process, for others: a text that is made for each process that asks. */
public final class Publication implements AutoCloseable {

    private static final int MOST_READERS = 16;
    private static final long PAUSE_NS = 100_000_000;

    private final Path file;
    private final ServerSocketChannel socket;
    private final Supplier<String> text;
    private final Semaphore readers = new Semaphore(MOST_READERS);

    private Publication(Path file, ServerSocketChannel socket, Supplier<String> text) {
        this.file = file;
        this.socket = socket;
        this.text = text;
    }

    /**
     * Publishes a text until the process ends.
     *
     * @throws IOException if there is no folder or no socket for it
     */
    public static Publication open(Supplier<String> text) throws IOException {
        Path file = RunFolder.make()
                .resolve(LiveProcesses.name(ProcessHandle.current().pid()));
        Files.deleteIfExists(file); // that of a process that had this number before
        ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            socket.bind(UnixDomainSocketAddress.of(file));
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
        Publication publication = new Publication(file, socket, text);
        Runtime.getRuntime()
                .addShutdownHook(
                        Thread.ofPlatform().name("verbena-sockets-figures-end").unstarted(publication::close));
        Thread.ofVirtual().name("verbena-sockets-figures").start(publication::serve);
        return publication;
    }

    private void serve() {
        while (socket.isOpen()) {
            try {
                SocketChannel reader = socket.accept();
                Thread.ofVirtual().name("verbena-sockets-figures-reader").start(() -> answer(reader));
            } catch (IOException e) {
                LockSupport.parkNanos(PAUSE_NS); // no descriptor is left, or the socket was closed, which ends the loop
            }
        }
    }

    private void answer(SocketChannel reader) {
        boolean place = readers.tryAcquire();
        try (reader) {
            ByteBuffer bytes = StandardCharsets.UTF_8.encode(place ? text.get() : "");
            while (bytes.hasRemaining()) {
                reader.write(bytes);
            }
        } catch (IOException e) {
            return; // the reader has left
        } finally {
            if (place) {
                readers.release();
            }
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
            Files.deleteIfExists(file);
        } catch (IOException e) {
            return; // the reader of a file without a socket removes it
        }
    }
}
