package io.verbena.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.io.TempDir;

/** The folder of a test with the source and the target of copies. */
abstract class CopyFolder {

    static final int KIB = 1 << 10;
    static final int MIB = 1 << 20;

    @TempDir
    Path folder = Path.of(".");

    Path file(String name, int length) throws IOException {
        return FileSite.file(folder.resolve(name), length);
    }

    Path target() {
        return folder.resolve("target");
    }

    void assertFetched(Path source) throws IOException {
        assertEquals(-1, Files.mismatch(source, target()));
        assertNothingLeft();
    }

    void assertNothingLeft() {
        assertFalse(Files.exists(folder.resolve("target.part")));
        assertFalse(Files.exists(folder.resolve("target.part.state")));
    }

    static CopySettings retryFor(Duration time) {
        CopySettings plain = FileSite.PLAIN;
        return new CopySettings(
                new CopySettings.Work(
                        plain.work().connections(),
                        plain.work().chunkBytes(),
                        plain.work().depth()),
                new CopySettings.Content(
                        plain.content().verify(),
                        plain.content().sparse(),
                        plain.content().toDisk()),
                new CopySettings.Patience(time, plain.patience().timeout()),
                plain.connection());
    }

    static CopySettings with(int connections, int chunkBytes, boolean verify, boolean sparse) {
        CopySettings plain = FileSite.PLAIN;
        return new CopySettings(
                new CopySettings.Work(connections, chunkBytes, plain.work().depth()),
                new CopySettings.Content(verify, sparse, true),
                new CopySettings.Patience(
                        plain.patience().retryFor(), plain.patience().timeout()),
                plain.connection());
    }
}
