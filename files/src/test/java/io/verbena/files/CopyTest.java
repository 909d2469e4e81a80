package io.verbena.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.files.failure.FileServiceException;
import io.verbena.files.store.Zeros;
import io.verbena.verbs.Rnic;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Copies between two RNICs of this process, over the loopback interface. */
class CopyTest extends CopyFolder {

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 64 * KIB - 1, 64 * KIB, 3 * MIB + 77})
    void fetch_fileOfAnyLength_isTheSame(int length) throws Exception {
        Path source = file("a.bin", length);
        try (FileSite site = new FileSite(source.toString())) {
            CopyFigures figures = site.fetch("a.bin", target());
            assertEquals(length, figures.bytes());
            assertEquals(length, figures.parts().movedBytes());
            assertTrue(figures.verified());
            assertFetched(source);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 64 * KIB - 1, 64 * KIB, 3 * MIB + 77})
    void store_fileOfAnyLength_isTheSame(int length) throws Exception {
        Path source = file("a.bin", length);
        Path inbox = folder.resolve("inbox");
        try (FileSite site = new FileSite(inbox + ":rw:" + 4 * MIB)) {
            assertEquals(4 * MIB, Files.size(inbox));
            CopyFigures figures = site.store(source, "inbox");
            assertEquals(length, figures.parts().movedBytes());
            assertEquals(-1, Files.mismatch(source, inbox));
            site.fetch("inbox", target());
            assertFetched(source);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7})
    void copy_severalConnectionsWithoutVerifying_isTheSame(int connections) throws Exception {
        Path source = file("a.bin", 3 * MIB + 77);
        Path inbox = folder.resolve("inbox");
        CopySettings settings = with(connections, 16 * KIB, false, false);
        try (FileSite site = new FileSite(source.toString(), inbox + ":rw:" + 4 * MIB)) {
            assertFalse(site.fetch("a.bin", target(), settings).verified());
            assertFetched(source);
            site.store(source, "inbox", settings, false);
            assertEquals(-1, Files.mismatch(source, inbox));
        }
    }

    @Test
    void store_shorterThenLonger_hasEachLength() throws Exception {
        Path inbox = folder.resolve("inbox");
        try (FileSite site = new FileSite(inbox + ":rw:" + MIB)) {
            for (int length : new int[] {MIB, 10, 500_000}) {
                Path source = file("a.bin", length);
                site.store(source, "inbox");
                assertEquals(-1, Files.mismatch(source, inbox));
            }
        }
    }

    @Test
    void store_update_movesOnlyWhatDiffers() throws Exception {
        Path inbox = file("inbox", MIB);
        Path source = Files.copy(inbox, folder.resolve("a.bin"));
        try (FileChannel channel = FileChannel.open(source, StandardOpenOption.WRITE)) {
            channel.write(java.nio.ByteBuffer.wrap(new byte[] {1, 2, 3, 4}), 300_000);
        }
        try (FileSite site = new FileSite(inbox + ":rw")) {
            CopyFigures figures = site.store(source, "inbox", FileSite.PLAIN, true);
            assertEquals(64 * KIB, figures.parts().movedBytes());
            assertEquals(MIB - 64 * KIB, figures.parts().keptBytes());
            assertEquals(-1, Files.mismatch(source, inbox));
        }
    }

    @Test
    void fetch_sparseFileOf5GiB_skipsTheHoles() throws Exception {
        Path source = folder.resolve("sparse");
        long length = 5L << 30;
        try (RandomAccessFile file = new RandomAccessFile(source.toFile(), "rw")) {
            file.setLength(length);
            file.seek(3L << 30);
            file.write(new byte[] {1, 2, 3});
        }
        CopySettings settings = with(2, MIB, true, true);
        try (FileSite site = new FileSite(source.toString())) {
            CopyFigures figures = site.fetch("sparse", target(), settings);
            assertEquals(length, figures.bytes());
            assertEquals(MIB, figures.parts().movedBytes());
            assertEquals(length - MIB, figures.parts().zeroBytes());
        }
        assertEquals(length, Files.size(target()));
        try (RandomAccessFile file = new RandomAccessFile(target().toFile(), "r")) {
            file.seek(3L << 30);
            assertEquals(0x01_0203_00, file.readInt());
        }
        assertTrue(blocks(target()) < 1000, "the target is not sparse: " + blocks(target()) + " blocks");
        assertNothingLeft();
    }

    /** Blocks of 512 bytes on the disk. */
    private static long blocks(Path file) throws IOException {
        Object found = Files.getAttribute(file, "unix:size");
        assertTrue(found instanceof Long);
        Process stat = new ProcessBuilder("stat", "-c", "%b", file.toString()).start();
        return Long.parseLong(
                new String(stat.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.US_ASCII).strip());
    }

    @Test
    void fetch_zerosWithinAChunk_leftOutOrWritten() throws Exception {
        Path source = file("a.bin", 600 * KIB);
        try (FileChannel channel = FileChannel.open(source, StandardOpenOption.WRITE)) {
            Zeros.append(channel, 128 * KIB, 512 * KIB, MIB);
        }
        try (FileSite site = new FileSite(source.toString())) {
            site.fetch("a.bin", target(), with(1, MIB, true, true));
            assertFetched(source);
            assertTrue(blocks(target()) < 2 * 300, blocks(target()) + " blocks");
            Files.delete(target());
            site.fetch("a.bin", target(), with(1, MIB, true, false));
            assertFetched(source);
            assertTrue(blocks(target()) >= 2 * 600, blocks(target()) + " blocks");
        }
    }

    @Test
    void fetch_truncatedWhileServed_saysSoAndOthersGoOn() throws Exception {
        Path source = file("a.bin", MIB);
        Path other = file("b.bin", MIB);
        try (FileSite site = new FileSite(source.toString(), other.toString());
                Copier copier = site.copier(Rnic::open, FileSite.PLAIN, () -> truncate(source, 100))) {
            FileServiceException failure =
                    assertThrows(FileServiceException.class, () -> copier.fetch("a.bin", target()));
            assertTrue(failure.toString().contains("became shorter at the server"), failure.toString());
            assertFalse(Files.exists(target()));
            site.fetch("b.bin", target());
            assertEquals(-1, Files.mismatch(other, target()));
        }
    }

    @Test
    void fetch_truncatedWhileServedPageByPage_saysSoAndOthersGoOn() throws Exception {
        Path source = file("a.bin", 4 * MIB);
        Path other = file("b.bin", MIB);
        try (FileSite site = FileSite.pageable(MIB, source.toString(), other.toString());
                Copier copier = site.copier(Rnic::open, FileSite.PLAIN, () -> truncate(source, 100))) {
            FileServiceException failure =
                    assertThrows(FileServiceException.class, () -> copier.fetch("a.bin", target()));
            assertTrue(failure.toString().contains("became shorter at the server"), failure.toString());
            assertFalse(Files.exists(target()));
            site.fetch("b.bin", target());
            assertEquals(-1, Files.mismatch(other, target()));
        }
    }

    private static void truncate(Path file, long length) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void fetch_deletedWhileServed_saysSo() throws Exception {
        Path source = file("a.bin", MIB);
        try (FileSite site = new FileSite(source.toString());
                Copier copier = site.copier(
                        Rnic::open, FileSite.PLAIN, () -> source.toFile().delete())) {
            FileServiceException failure =
                    assertThrows(FileServiceException.class, () -> copier.fetch("a.bin", target()));
            assertTrue(failure.toString().contains("'a.bin'"), failure.toString());
            assertTrue(failure.toString().contains("it does not exist"), failure.toString());
        }
    }

    @Test
    void fetch_changedWhileServed_saysSo() throws Exception {
        Path source = file("a.bin", MIB);
        Runnable change = () -> {
            try {
                Files.setLastModifiedTime(source, FileTime.fromMillis(5));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
        try (FileSite site = new FileSite(source.toString());
                Copier copier = site.copier(Rnic::open, FileSite.PLAIN, change)) {
            FileServiceException failure =
                    assertThrows(FileServiceException.class, () -> copier.fetch("a.bin", target()));
            assertTrue(failure.toString().contains("changed at the server"), failure.toString());
        }
    }

    @Test
    void store_localFileShrinks_saysSo() throws Exception {
        Path source = file("a.bin", MIB);
        try (FileSite site = new FileSite(folder.resolve("inbox") + ":rw:" + MIB);
                Copier copier = site.copier(Rnic::open, FileSite.PLAIN, () -> truncate(source, 100))) {
            FileServiceException failure =
                    assertThrows(FileServiceException.class, () -> copier.store(source, "inbox", false));
            assertTrue(failure.toString().contains("The local file became shorter"), failure.toString());
        }
    }

    @Test
    void copy_whatTheServerDoesNotAllow_refusedWithASentence() throws Exception {
        Path source = file("a.bin", MIB);
        Path inbox = file("inbox", 1000);
        try (FileSite site = new FileSite(source.toString(), inbox + ":rw")) {
            assertRefused(
                    "There is no file 'none' on offer; offered: 'a.bin', 'inbox'", () -> site.fetch("none", target()));
            assertRefused("There is no file '../a.bin' on offer", () -> site.fetch("../a.bin", target()));
            assertRefused("There is no file '" + source + "' on offer", () -> site.fetch(source.toString(), target()));
            assertRefused("is offered read-only", () -> site.store(source, "a.bin"));
            assertRefused(
                    "takes at most 1000 bytes, and the store has 1048576 bytes", () -> site.store(source, "inbox"));
            assertNothingLeft();
            assertEquals(1000, Files.size(inbox));
        }
    }

    private static void assertRefused(String sentence, org.junit.jupiter.api.function.Executable copy) {
        FileServiceException failure = assertThrows(FileServiceException.class, copy);
        assertTrue(String.valueOf(failure.getMessage()).contains(sentence), failure.getMessage());
    }

    @Test
    void copy_whileAnotherClientWrites_refused() throws Exception {
        Path source = file("a.bin", MIB);
        try (FileSite site = new FileSite(folder.resolve("inbox") + ":rw:" + MIB)) {
            Runnable meanwhile = () -> {
                assertRefused("is being written by another client", () -> site.fetch("inbox", target()));
                assertRefused("is being written by another client", () -> site.store(source, "inbox"));
            };
            try (Copier copier = site.copier(Rnic::open, FileSite.PLAIN, meanwhile)) {
                copier.store(source, "inbox", false);
            }
            site.fetch("inbox", target());
            assertFetched(source);
        }
    }

    @Test
    void fetch_twiceToTheSameTargetAtOnce_secondRefused() throws Exception {
        Path source = file("a.bin", MIB);
        try (FileSite site = new FileSite(source.toString())) {
            Runnable meanwhile =
                    () -> assertRefused("Another 'verbena cp' is writing", () -> site.fetch("a.bin", target()));
            try (Copier copier = site.copier(Rnic::open, FileSite.PLAIN, meanwhile)) {
                copier.fetch("a.bin", target());
            }
            assertFetched(source);
        }
    }

    @Test
    void list_manyFiles_namesThemAllInOrder() throws Exception {
        Path source = file("a.bin", 77);
        String[] exports = new String[200];
        for (int i = 0; i < exports.length; i++) {
            exports[i] = "name-" + i + "=" + source;
        }
        exports[7] = "writable=" + folder.resolve("w") + ":rw:5";
        try (FileSite site = new FileSite(exports);
                Copier copier = site.copier(Rnic::open, FileSite.PLAIN, () -> {})) {
            List<Copier.Offer> offers = copier.list();
            assertEquals(200, offers.size());
            assertEquals(new Copier.Offer("name-199", 77, false), offers.getLast());
            assertEquals(new Copier.Offer("writable", 5, true), offers.get(7));
        }
    }

    @Test
    void exports_ofTheSameName_refused() throws Exception {
        Path source = file("a.bin", 77);
        FileServiceException failure =
                assertThrows(FileServiceException.class, () -> new FileSite(source.toString(), source + ":rw"));
        assertTrue(failure.toString().contains("Two files on offer have the name 'a.bin'"), failure.toString());
    }
}
