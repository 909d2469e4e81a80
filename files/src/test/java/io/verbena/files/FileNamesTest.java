package io.verbena.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.files.failure.FileServiceException;
import io.verbena.files.protocol.Chunks;
import io.verbena.files.protocol.FileAttributes;
import io.verbena.files.store.ExportSpec;
import io.verbena.files.store.PartState;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What people write on the command line, and what the state file holds. */
class FileNamesTest {

    @ParameterizedTest
    @CsvSource({
        "a.bin,               a.bin, a.bin,          false, -1",
        "/var/data/a.bin,     a.bin, /var/data/a.bin, false, -1",
        "a.bin:ro,            a.bin, a.bin,          false, -1",
        "a.bin:rw,            a.bin, a.bin,          true,  -1",
        "a.bin:rw:77,         a.bin, a.bin,          true,  77",
        "x=/var/a.bin:rw:77,  x,     /var/a.bin,     true,  77",
        "./x=a.bin,           x=a.bin, ./x=a.bin,    false, -1",
        "c:a.bin,             c:a.bin, c:a.bin,      false, -1",
        "rw,                  rw,    rw,             false, -1"
    })
    void export_ofEachForm_isUnderstood(String text, String name, Path file, boolean writable, long capacity)
            throws FileServiceException {
        OptionalLong expected = capacity < 0 ? OptionalLong.empty() : OptionalLong.of(capacity);
        assertEquals(new ExportSpec(name, file, writable, expected), ExportSpec.parse(text, Long::parseLong));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/", "..", "a/..", "a:ro:5", "=a.bin:ro:7", "x\ty=a", ".=a"})
    void export_thatCannotBe_isRefused(String text) {
        assertThrows(FileServiceException.class, () -> ExportSpec.parse(text, Long::parseLong));
    }

    @Test
    void exportName_tooLong_isRefused() {
        assertThrows(FileServiceException.class, () -> ExportSpec.parse("\u00fc".repeat(128) + "=a", Long::parseLong));
    }

    @ParameterizedTest
    @CsvSource({
        "host:7176/a.bin,         host, 7176, a.bin",
        "[2001:db8::1]:7/a/b,     2001:db8::1, 7, a/b",
        "192.0.2.7:0,             192.0.2.7, 0, ''",
        "host:1/,                 host, 1, ''"
    })
    void remoteName_isUnderstood(String text, String host, int port, String name) {
        assertEquals(Optional.of(new RemoteName(host, port, name)), RemoteName.parse(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a.bin", "./host:7176/a", "/x:1/a", "host/a:1", "host:65536/a", "host:x/a", ":7176/a", ""})
    void localName_isNoRemoteName(String text) {
        assertEquals(Optional.empty(), RemoteName.parse(text));
    }

    @Test
    void partState_savedAndLoaded_isTheSame(@TempDir Path folder) throws Exception {
        BitSet done = new BitSet();
        done.set(0, 10);
        done.set(12);
        done.set(95, 100);
        PartState state = new PartState(new FileAttributes(100 * 512, -3, 4, false), 512, done);
        state.save(folder.resolve("s"));
        assertEquals(Optional.of(state), PartState.load(folder.resolve("s")));
        assertTrue(state.of(new FileAttributes(100 * 512, -3, 4, true), 512));
        assertTrue(!state.of(new FileAttributes(100 * 512, -2, 4, true), 512));
        assertTrue(!state.of(new FileAttributes(100 * 512, -3, 4, true), 1024));
    }

    /** In a folder that others may write to, another user can put a link where the next file will be. */
    @Test
    void partState_linkUnderItsName_isNotFollowed(@TempDir Path folder) throws Exception {
        Path victim = java.nio.file.Files.writeString(folder.resolve("victim"), "precious");
        java.nio.file.Files.createSymbolicLink(folder.resolve("s.new"), victim);
        java.nio.file.Files.createSymbolicLink(folder.resolve("s"), victim);
        PartState state = new PartState(new FileAttributes(5, 1, 2, false), 512, new BitSet());
        state.save(folder.resolve("s"));
        assertEquals("precious", java.nio.file.Files.readString(victim));
        assertEquals(Optional.of(state), PartState.load(folder.resolve("s")));
    }

    @Test
    void partState_thatCannotBeSaved_leavesNothing(@TempDir Path folder) throws Exception {
        java.nio.file.Files.createDirectories(folder.resolve("s").resolve("full"));
        PartState state = new PartState(new FileAttributes(5, 1, 2, false), 512, new BitSet());
        assertThrows(java.io.IOException.class, () -> state.save(folder.resolve("s")));
        assertEquals(false, java.nio.file.Files.exists(folder.resolve("s.new")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "verbena part 2\nsize 9\nmodified 1\nidentity 2\nchunk 3\ndone ",
                "verbena part 1\nsize -9\nmodified 1\nidentity 2\nchunk 3\ndone ",
                "verbena part 1\nsize 9\nmodified 1\nidentity 2\nchunk 0\ndone ",
                "verbena part 1\nsize 9\nmodified 1\nidentity 2\nchunk 99999999999\ndone ",
                "verbena part 1\nsize 9\nmodified 1\nidentity 2\nchunk 3\ndone 3",
                "verbena part 1\nsize 9\nmodified 1\nidentity 2\nchunk 3\ndone 2-1",
                "verbena part 1\nsize 9\nmodified 1\nidentity 2\nchunk 3\ndone 0,,1",
                "verbena part 1\nsize 9\nmodified x\nidentity 2\nchunk 3\ndone 0",
                "verbena part 1\nsize 9\nmodified 1\nidentity 2\ndone 0"
            })
    void partState_thatIsNone_countsAsNone(String text, @TempDir Path folder) throws Exception {
        Path file = java.nio.file.Files.writeString(folder.resolve("s"), text);
        assertEquals(Optional.empty(), PartState.load(file));
    }

    @Test
    void chunks_claimedGivenBackAndFinished_areAllDoneOnce() {
        Chunks chunks = new Chunks(1001, 100);
        assertEquals(11, chunks.count());
        assertEquals(1, chunks.length(10));
        assertEquals(0, chunks.claim());
        assertEquals(1, chunks.claim());
        chunks.giveBack(0);
        assertEquals(0, chunks.claim());
        for (int i = 2; i < 11; i++) {
            assertEquals(i, chunks.claim());
        }
        assertEquals(-1, chunks.claim());
        for (int i = 0; i < 11; i++) {
            assertTrue(!chunks.isFinished());
            chunks.finish(i);
        }
        assertTrue(chunks.isFinished());
        assertEquals(1001, chunks.finishedBytes());
        assertTrue(new Chunks(0, 100).isFinished());
    }

    @Test
    void chunkSize_ofAHugeFile_grows() {
        assertEquals(4096, Chunks.fitting(1 << 30, 4096));
        assertEquals(64 << 20, Chunks.fitting(1L << 50, 4096));
    }
}
