package io.verbena.live;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** What this process tells others of its user: an answer to each request. */
public final class Publication implements AutoCloseable {

    private static final int MOST_READERS = 16;
    private static final int MOST_REQUEST_BYTES = 1 << 16;
    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final long PAUSE_NS = 100_000_000;
    private static final AtomicLong HIDDEN = new AtomicLong();

    private final Path file;

    /** Identifies the file while the socket is open. Another publication of this process may replace it. */
    private final Object fileKey;

    private final ServerSocketChannel socket;
    private final UnaryOperator<String> answers;
    private final Thread atEnd = Thread.ofPlatform().name("verbena-live-end").unstarted(this::close);
    private final AtomicBoolean closed = new AtomicBoolean();
    private final Semaphore readers = new Semaphore(MOST_READERS);

    private Publication(Path file, Object fileKey, ServerSocketChannel socket, UnaryOperator<String> answers) {
        this.file = file;
        this.fileKey = fileKey;
        this.socket = socket;
        this.answers = answers;
    }

    /**
     * Answers until the process ends. An empty answer means that there is none now.
     *
     * @param kind what is published, under which {@link LiveProcesses} finds it
     * @param note receives what the user may want to know about the folder
     * @throws IOException if there is no folder or no socket for it
     */
    public static Publication open(String kind, UnaryOperator<String> answers, Consumer<String> note)
            throws IOException {
        Path file = RunFolder.make(note)
                .resolve(LiveProcesses.name(kind, ProcessHandle.current().pid()));
        ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        Publication publication;
        try {
            publication = new Publication(file, listen(socket, file), socket, answers);
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
        try {
            Runtime.getRuntime().addShutdownHook(publication.atEnd);
        } catch (IllegalStateException e) {
            publication.close();
            throw new IOException("the process is ending", e);
        }
        // A virtual thread would start the scheduler and the poller of the JDK in each program, also where no process
        // ever asks.
        Thread.ofPlatform()
                .daemon()
                .inheritInheritableThreadLocals(false)
                .name("verbena-live-" + kind)
                .start(publication::serve);
        return publication;
    }

    /** The same if it is possible. Else a sentence says that others do not find this process, which works without. */
    public static Optional<Publication> offer(String kind, UnaryOperator<String> answers, Consumer<String> note) {
        try {
            return Optional.of(open(kind, answers, note));
        } catch (IOException e) {
            note.accept("Other commands do not find this process, because it can make no socket for them: "
                    + e.getMessage());
            return Optional.empty();
        }
    }

    /**
     * Listens at a file, which replaces that of a process that had this number before. No other process finds it before the socket listens.
     * Returns what identifies it.
     */
    private static Object listen(ServerSocketChannel socket, Path file) throws IOException {
        Path hidden = file.resolveSibling("." + file.getFileName() + '-' + HIDDEN.incrementAndGet());
        Files.deleteIfExists(hidden);
        socket.bind(UnixDomainSocketAddress.of(hidden));
        Object key = key(hidden);
        Files.move(hidden, file, StandardCopyOption.ATOMIC_MOVE);
        return key;
    }

    private static Object key(Path file) throws IOException {
        Object key = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
        return key == null ? file : key;
    }

    private void serve() {
        while (socket.isOpen()) {
            try {
                start(socket.accept());
            } catch (IOException | RuntimeException | Error e) {
                // No descriptor or no memory is left, or the socket was closed, which ends the loop.
                LockSupport.parkNanos(PAUSE_NS);
            }
        }
    }

    private void start(SocketChannel reader) throws IOException {
        try {
            Thread.ofVirtual().name("verbena-live-answer").start(() -> answer(reader));
        } catch (RuntimeException | Error e) {
            reader.close();
            throw e;
        }
    }

    private void answer(SocketChannel reader) {
        boolean place = readers.tryAcquire();
        try (reader) {
            Optional<String> request = place ? Exchange.read(reader, PATIENCE, MOST_REQUEST_BYTES) : Optional.empty();
            Exchange.write(reader, request.map(this::answer).orElse(""));
        } catch (IOException e) {
            return; // the reader has left
        } finally {
            if (place) {
                readers.release();
            }
        }
    }

    /** What is shown may be closing in this moment: then there is no answer. */
    private String answer(String request) {
        try {
            return answers.apply(request);
        } catch (RuntimeException e) {
            System.getLogger(Publication.class.getName()).log(System.Logger.Level.DEBUG, "No answer: {0}", e);
            return "";
        }
    }

    @Override
    public void close() {
        if (closed.getAndSet(true)) {
            return; // the number of its file may be that of another one by now
        }
        try {
            if (Files.exists(file) && key(file).equals(fileKey)) {
                Files.deleteIfExists(file);
            }
            socket.close();
        } catch (IOException e) {
            return; // the reader of a file without a socket removes it
        } finally {
            forget();
        }
    }

    /** The hook would keep this object, and the classes of an application that a server has removed. */
    private void forget() {
        try {
            Runtime.getRuntime().removeShutdownHook(atEnd);
        } catch (IllegalStateException e) {
            return; // the process is ending, and this may be the hook
        }
    }
}
