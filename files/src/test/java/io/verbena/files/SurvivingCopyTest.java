package io.verbena.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.CuttingForwarder;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Copies whose connections lose their transport in the middle: none is established anew, every chunk is verified. */
class SurvivingCopyTest {

    private static final int BYTES = 12 << 20;
    private static final long BYTES_PER_CUT = 2 << 20;

    @TempDir
    private Path folder = Path.of(".");

    @Test
    void fetchAndStore_cutInTheMiddle_reconnectNothing() throws Exception {
        Supplier<Rnic> opener = () -> Rnic.open(RnicOptions.defaults().withProvider("iwarp"));
        ConnectionOptions connection =
                ConnectionOptions.defaults().withTimeout(FileSite.LONGEST).surviving();
        Path source = FileSite.file(folder.resolve("source"), BYTES);
        Path other = FileSite.file(folder.resolve("other"), BYTES - 1_000);
        Path stored = Files.createFile(folder.resolve("stored"));
        ServeSettings serve = new ServeSettings(16, FileSite.LONGEST, FileSite.LONGEST, connection);
        try (FileSite site = new FileSite(
                        opener, FileSite.ANY, serve, "source=" + source, "stored=" + stored + ":rw:" + BYTES);
                CuttingForwarder forwarder = new CuttingForwarder("127.0.0.1", (InetSocketAddress) site.address())) {
            CopySettings settings = FileSite.PLAIN.withConnection(connection);
            try (Copier copier = copier(opener, forwarder, settings)) {
                CopyFigures figures = copier.fetch("source", folder.resolve("target"));
                assertEquals(0, figures.reconnects());
                assertEquals(0, figures.chunksAgain());
            }
            assertEquals(-1, Files.mismatch(source, folder.resolve("target")));
            int used = forwarder.accepted();
            assertTrue(used > settings.work().connections() + 1, "another transport was used");
            try (Copier copier = copier(opener, forwarder, settings)) {
                assertEquals(0, copier.store(other, "stored", false).reconnects());
            }
            assertEquals(-1, Files.mismatch(other, stored));
            assertTrue(forwarder.accepted() > used + settings.work().connections() + 1, "another transport was used");
            site.awaitNobody();
            assertEquals(List.of("'stored' was stored: " + (BYTES - 1_000) + " bytes."), site.events);
        }
    }

    /** A copier whose connections are cut when the file is open, and again after some bytes. */
    private static Copier copier(Supplier<Rnic> opener, CuttingForwarder forwarder, CopySettings settings)
            throws Exception {
        AtomicLong nextCut = new AtomicLong(BYTES_PER_CUT);
        CopyListener listener = new CopyListener() {
            @Override
            public void onBegin(Stage stage, long bytes) {
                forwarder.cut();
            }

            @Override
            public void onProgress(long bytes) {
                if (bytes >= nextCut.get()) {
                    nextCut.addAndGet(BYTES_PER_CUT);
                    forwarder.cut();
                }
            }
        };
        return new Copier(opener, false, forwarder.address(), settings, listener, () -> false);
    }
}
