package io.verbena.files;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.files.failure.FileServiceException;
import io.verbena.files.store.ExportSpec;
import io.verbena.files.store.ExportTable;
import io.verbena.files.store.PagedExports;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.VirtualMemoryOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/** A file server in this process, with what a test needs to copy from and to it. */
final class FileSite implements AutoCloseable {

    static final Duration LONGEST = Duration.ofSeconds(30);
    static final CopySettings PLAIN = new CopySettings(
            new CopySettings.Work(2, 64 << 10, 8),
            new CopySettings.Content(true, true, false),
            new CopySettings.Patience(LONGEST, LONGEST),
            ConnectionOptions.defaults().withTimeout(LONGEST));

    /** A free port. */
    static final SocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    final List<String> events = new CopyOnWriteArrayList<>();
    private final AtomicBoolean stop = new AtomicBoolean();
    private final Thread thread;
    private final SocketAddress address;
    private volatile IntSupplier connected = () -> 0;

    /** At a free port. */
    FileSite(String... exports) throws Exception {
        this(ANY, settings(16), true, exports);
    }

    FileSite(SocketAddress where, ServeSettings settings, boolean reserve, String... exports) throws Exception {
        this(Rnic::open, where, settings, reserve, 0, exports);
    }

    /** One that reads files through a pool of page frames. */
    static FileSite pageable(long frameBytes, String... exports) throws Exception {
        return new FileSite(Rnic::open, ANY, settings(16), true, frameBytes, exports);
    }

    /** One whose RNIC is opened like this. */
    static FileSite of(Supplier<Rnic> opener, String... exports) throws Exception {
        return new FileSite(opener, ANY, settings(16), true, 0, exports);
    }

    /** One whose RNIC is opened like this, with these settings. */
    FileSite(Supplier<Rnic> opener, SocketAddress where, ServeSettings settings, String... exports) throws Exception {
        this(opener, where, settings, true, 0, exports);
    }

    private FileSite(
            Supplier<Rnic> opener,
            SocketAddress where,
            ServeSettings settings,
            boolean reserve,
            long frameBytes,
            String... exports)
            throws Exception {
        List<ExportSpec> specs = new ArrayList<>();
        for (String export : exports) {
            specs.add(ExportSpec.parse(export, Long::parseLong));
        }
        ExportTable table = new ExportTable(specs, reserve);
        CompletableFuture<SocketAddress> ready = new CompletableFuture<>();
        thread = Thread.ofPlatform().daemon().name("file server").start(() -> {
            try (Rnic rnic = opener.get()) {
                if (frameBytes > 0) {
                    table.pageable(new PagedExports(rnic.openVirtualMemory(
                            VirtualMemoryOptions.defaults().withFrameBytes(frameBytes))));
                }
                FileServer server = new FileServer(rnic, table, settings, events::add, stop::get);
                connected = server::connected;
                server.serve(where, ready::complete);
            } catch (IOException | RuntimeException | Error e) {
                ready.completeExceptionally(e);
            }
        });
        address = ready.get(LONGEST.toSeconds(), TimeUnit.SECONDS);
    }

    static ServeSettings settings(int maxConnections) {
        return new ServeSettings(
                maxConnections, LONGEST, LONGEST, ConnectionOptions.defaults().withTimeout(LONGEST));
    }

    SocketAddress address() {
        return address;
    }

    CopyFigures fetch(String name, Path target) throws Exception {
        return fetch(name, target, PLAIN);
    }

    CopyFigures fetch(String name, Path target, CopySettings settings) throws Exception {
        try (Copier copier = copier(Rnic::open, settings, () -> {})) {
            return copier.fetch(name, target);
        }
    }

    CopyFigures store(Path source, String name) throws Exception {
        return store(source, name, PLAIN, false);
    }

    CopyFigures store(Path source, String name, CopySettings settings, boolean update) throws Exception {
        try (Copier copier = copier(Rnic::open, settings, () -> {})) {
            return copier.store(source, name, update);
        }
    }

    /**
     * A copier.
     *
     * @param atStart runs when the file is open and before anything moves
     */
    Copier copier(Supplier<Rnic> opener, CopySettings settings, Runnable atStart) {
        return new Copier(opener, false, address, settings, listener(atStart), () -> false);
    }

    CopyListener listener(Runnable atStart) {
        return new CopyListener() {
            @Override
            public void onBegin(Stage stage, long bytes) {
                atStart.run();
            }
        };
    }

    /** A connection that a test drives itself. */
    Link link(Rnic rnic) throws ConnectionException, FileServiceException {
        return new Link(rnic, address, PLAIN, () -> false);
    }

    /** Waits until the server, too, knows that its clients have left. */
    void awaitNobody() throws InterruptedException {
        long deadlineNs = System.nanoTime() + LONGEST.toNanos();
        while (connected.getAsInt() > 0) {
            assertTrue(System.nanoTime() - deadlineNs < 0, "clients stay connected: " + events);
            Thread.sleep(2);
        }
    }

    /** A file of random bytes. */
    static Path file(Path file, int length) throws IOException {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return Files.write(file, bytes);
    }

    @Override
    public void close() {
        stop.set(true);
        try {
            assertTrue(thread.join(LONGEST), "the server does not end");
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
