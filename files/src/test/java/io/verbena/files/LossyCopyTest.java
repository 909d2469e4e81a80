package io.verbena.files;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.host.RoceProvider;
import io.verbena.port.faults.PacketFaults;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Copies over RoCE on real sockets, whose packets are lost, repeated and reordered in both directions. */
class LossyCopyTest {

    private static final int BYTES = 2 << 20;
    private static final PacketFaults FAULTS =
            PacketFaults.none().withLoss(50).withDuplicates(20).withHolds(20, 2_000_000);

    @TempDir
    private Path folder = Path.of(".");

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void copy_overANetworkThatLosesRepeatsAndReorders_isVerified(boolean selectiveRepeat) throws Exception {
        RnicOptions options = RnicOptions.defaults()
                .withProvider("roce")
                .withInfiniband(it -> it.withSelectiveRepeat(selectiveRepeat));
        Supplier<Rnic> opener = () -> new RoceProvider().open(options, FAULTS);
        Path source = FileSite.file(folder.resolve("source"), BYTES);
        Path other = FileSite.file(folder.resolve("other"), BYTES - 1_000);
        Path stored = folder.resolve("stored");
        Files.createFile(stored);
        try (FileSite site = FileSite.of(opener, "source=" + source, "stored=" + stored + ":rw:" + BYTES)) {
            try (Copier copier = site.copier(opener, FileSite.PLAIN, () -> {})) {
                CopyFigures figures = copier.fetch("source", folder.resolve("target"));
                assertEquals(0, figures.reconnects(), "no connection is lost");
            }
            assertEquals(-1, Files.mismatch(source, folder.resolve("target")));
            try (Copier copier = site.copier(opener, FileSite.PLAIN, () -> {})) {
                assertEquals(0, copier.store(other, "stored", false).reconnects(), "no connection is lost");
            }
            assertEquals(-1, Files.mismatch(other, stored));
        }
    }
}
