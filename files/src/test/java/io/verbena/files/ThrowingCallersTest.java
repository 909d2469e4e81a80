package io.verbena.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.files.store.ExportSpec;
import io.verbena.files.store.ExportTable;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Progress;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Code of the user that the threads of a file server or of a copy call, and that throws. */
class ThrowingCallersTest {
    private static final int LENGTH = 1 << 20;

    enum Fault {
        EXCEPTION,
        ERROR,
        OUT_OF_MEMORY,
        INTERRUPT;

        void happen() {
            switch (this) {
                case EXCEPTION -> throw new IllegalStateException("on purpose");
                case ERROR -> throw new AssertionError("on purpose");
                case OUT_OF_MEMORY -> throw new OutOfMemoryError("on purpose");
                case INTERRUPT -> Thread.currentThread().interrupt();
            }
        }
    }

    @TempDir
    private Path folder;

    /** A client that is no file client is reported to the listener by the thread that accepts. */
    private static void strange(SocketAddress server) {
        try (Rnic rnic = Rnic.open();
                ProtectionDomain domain = rnic.allocateProtectionDomain()) {
            var queuePair = domain.createQueuePair(QueuePairOptions.of(rnic.createCompletionQueue(4)));
            ConnectionOptions options = ConnectionOptions.defaults()
                    .withTimeout(FileSite.LONGEST)
                    .withPrivateData("something else".getBytes(StandardCharsets.US_ASCII));
            assertThrows(ConnectionException.class, () -> rnic.connect(queuePair, server, options));
            queuePair.close();
        }
    }

    /** A server whose listener does something at each line. */
    private static final class Serving implements AutoCloseable {
        final AtomicInteger lines = new AtomicInteger();
        final SocketAddress address;
        private final AtomicBoolean stop = new AtomicBoolean();
        private final CompletableFuture<Boolean> ended = new CompletableFuture<>();

        Serving(Fault fault, String export) throws Exception {
            CompletableFuture<SocketAddress> ready = new CompletableFuture<>();
            ExportTable table = new ExportTable(List.of(ExportSpec.parse(export, Long::parseLong)), true);
            ServeListener listener = line -> {
                lines.incrementAndGet();
                fault.happen();
            };
            Thread.ofPlatform().daemon().start(() -> {
                try (Rnic rnic = Rnic.open()) {
                    new FileServer(rnic, table, FileSite.settings(4), listener, stop::get)
                            .serve(FileSite.ANY, ready::complete);
                    ended.complete(true);
                } catch (IOException | RuntimeException | Error e) {
                    ended.completeExceptionally(e);
                }
            });
            address = ready.get(FileSite.LONGEST.toSeconds(), TimeUnit.SECONDS);
        }

        @Override
        public void close() throws Exception {
            stop.set(true);
            assertTrue(ended.get(FileSite.LONGEST.toSeconds(), TimeUnit.SECONDS));
        }
    }

    /** The thread is that of the caller, whose interrupts end the server. */
    @ParameterizedTest
    @EnumSource(value = Fault.class, names = "INTERRUPT", mode = EnumSource.Mode.EXCLUDE)
    void listener_thatThrowsInTheThreadThatAccepts_doesNotEndTheServer(Fault fault) throws Exception {
        Path source = FileSite.file(folder.resolve("a.bin"), LENGTH);
        try (Serving serving = new Serving(fault, source.toString())) {
            strange(serving.address);
            try (Copier copier = copier(serving.address, Rnic::open, false)) {
                copier.fetch("a.bin", folder.resolve("copy"));
            }
            assertEquals(-1, Files.mismatch(source, folder.resolve("copy")));
            assertEquals(1, serving.lines.get());
        }
    }

    @ParameterizedTest
    @EnumSource
    void listener_thatThrowsInTheThreadOfASession_doesNotEndTheSession(Fault fault) throws Exception {
        Path source = FileSite.file(folder.resolve("a.bin"), LENGTH);
        Path stored = folder.resolve("stored.bin");
        try (Serving serving = new Serving(fault, stored + ":rw:" + LENGTH)) {
            try (Copier copier = copier(serving.address, Rnic::open, false)) {
                copier.store(source, "stored.bin", false);
            }
            assertEquals(-1, Files.mismatch(source, stored));
            assertEquals(1, serving.lines.get());
        }
    }

    private static Copier copier(SocketAddress address, Supplier<Rnic> opener, boolean inline) {
        return new Copier(opener, inline, address, FileSite.PLAIN, new CopyListener() {}, () -> false);
    }

    /** The first connection is that of the caller, the others are those of threads of the copy. */
    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"EXCEPTION", "ERROR"})
    void openerOfACopy_thatThrows_endsTheCopyWithWhatItThrew(Fault fault) throws Exception {
        Path source = FileSite.file(folder.resolve("a.bin"), LENGTH);
        AtomicInteger opened = new AtomicInteger();
        Supplier<Rnic> opener = () -> {
            if (opened.incrementAndGet() > 1) {
                fault.happen();
            }
            return Rnic.open(RnicOptions.defaults().withProgress(Progress.INLINE));
        };
        try (FileSite site = new FileSite(source.toString());
                Copier copier = copier(site.address(), opener, true)) {
            Throwable thrown = assertThrows(Throwable.class, () -> copier.fetch("a.bin", folder.resolve("copy")));
            assertEquals("on purpose", thrown.getMessage());
        }
    }
}
