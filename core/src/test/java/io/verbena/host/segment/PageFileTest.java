package io.verbena.host.segment;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pages in a file, of which the last one is not whole, and a file that another process shortens. */
class PageFileTest {

    private static final int PAGE = 512;

    /** Where the segment begins in the file. */
    private static final int ORIGIN = 1024;

    private static final int LENGTH = 2 * PAGE + 100;

    @TempDir
    Path folder;

    private Path path = Path.of("");
    private FileChannel pages;
    private FileChannel ordinary;
    private PageFile file;

    @BeforeEach
    void open() throws IOException {
        path = folder.resolve("file");
        byte[] content = new byte[ORIGIN + LENGTH + 50];
        for (int i = 0; i < content.length; i++) {
            content[i] = (byte) (i / PAGE + 1);
        }
        Files.write(path, content);
        pages = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
        ordinary = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
        file = new PageFile(path, pages, ordinary, new PageFile.Extent(ORIGIN, LENGTH, true), false);
    }

    @AfterEach
    void close() throws IOException {
        file.close();
        assertFalse(pages.isOpen());
        assertFalse(ordinary.isOpen());
    }

    private byte[] read(long offset) throws IOException {
        ByteBuffer page = ByteBuffer.allocateDirect(PAGE);
        for (int i = 0; i < PAGE; i++) {
            page.put(i, (byte) 0x77);
        }
        file.read(offset, page);
        byte[] bytes = new byte[PAGE];
        page.get(0, bytes);
        return bytes;
    }

    private void write(long offset, int value) throws IOException {
        byte[] bytes = new byte[PAGE];
        Arrays.fill(bytes, (byte) value);
        ByteBuffer page = ByteBuffer.allocateDirect(PAGE);
        page.put(0, bytes);
        file.write(offset, page);
    }

    private static byte[] filled(int value, int count) {
        byte[] bytes = new byte[PAGE];
        Arrays.fill(bytes, 0, count, (byte) value);
        return bytes;
    }

    private void truncate(long bytes) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
            channel.truncate(bytes);
        }
    }

    @Test
    void read_wholePage_andThePartOfTheLast_withZerosBeyondTheSegment() throws IOException {
        assertArrayEquals(filled(3, PAGE), read(0));
        assertArrayEquals(filled(4, PAGE), read(PAGE));
        assertArrayEquals(filled(5, 100), read(2 * PAGE), "not the bytes of the file after the segment");
        assertArrayEquals(new byte[PAGE], read(3 * PAGE));
        assertTrue(file.writable());
        assertFalse(file.direct());
        assertEquals(path.toString(), file.name());
    }

    @Test
    void write_wholePage_andThePartOfTheLast_nothingBeyondTheSegment() throws IOException {
        write(0, 90);
        write(2 * PAGE, 91);
        write(3 * PAGE, 92);
        byte[] all = Files.readAllBytes(path);
        assertEquals(ORIGIN + LENGTH + 50, all.length);
        assertEquals(2, all[ORIGIN - 1]);
        assertEquals(90, all[ORIGIN]);
        assertEquals(90, all[ORIGIN + PAGE - 1]);
        assertEquals(4, all[ORIGIN + PAGE]);
        assertEquals(91, all[ORIGIN + LENGTH - 1]);
        assertEquals(5, all[ORIGIN + LENGTH]);
        assertArrayEquals(filled(91, 100), read(2 * PAGE));
    }

    @Test
    void fileTruncated_readsAndWritesOfWhatIsGone_fail_andDoNotMakeItLonger() throws IOException {
        truncate(ORIGIN + PAGE + 10);
        assertArrayEquals(filled(3, PAGE), read(0));
        IOException e = assertThrows(IOException.class, () -> read(PAGE));
        assertEquals(
                "the file was truncated while it was mapped: it has " + (ORIGIN + PAGE + 10) + " bytes, "
                        + (ORIGIN + 2 * PAGE) + " are needed",
                e.getMessage());
        assertThrows(IOException.class, () -> write(PAGE, 90));
        assertThrows(IOException.class, () -> write(2 * PAGE, 90));
        write(0, 90);
        assertEquals(ORIGIN + PAGE + 10, Files.size(path));
    }

    @Test
    void write_fileEndsExactlyAfterThePage_isAccepted() throws IOException {
        truncate(ORIGIN + LENGTH);
        write(2 * PAGE, 95);
        assertEquals(95, Files.readAllBytes(path)[ORIGIN + LENGTH - 1]);
        truncate(ORIGIN + LENGTH - 1);
        assertThrows(IOException.class, () -> write(2 * PAGE, 95));
    }

    @Test
    void resize_shorter_cutsTheFile_andPagesAfterTheEndAreZeros() throws IOException {
        file.resize(PAGE + 1);
        assertEquals(ORIGIN + PAGE + 1, Files.size(path));
        assertArrayEquals(filled(4, 1), read(PAGE));
        assertArrayEquals(new byte[PAGE], read(2 * PAGE));
        write(2 * PAGE, 90);
        assertEquals(ORIGIN + PAGE + 1, Files.size(path));
    }

    @Test
    void resize_longer_extendsTheFileIfItIsTooShort() throws IOException {
        file.resize(LENGTH + 50);
        assertEquals(ORIGIN + LENGTH + 50, Files.size(path), "it is long enough");
        assertArrayEquals(filled(5, 150), read(2 * PAGE));
        file.resize(LENGTH + 51);
        assertEquals(ORIGIN + LENGTH + 51, Files.size(path));
        file.resize(10 * PAGE);
        assertEquals(ORIGIN + 10 * PAGE, Files.size(path));
        assertArrayEquals(new byte[PAGE], read(9 * PAGE));
        write(9 * PAGE, 96);
        assertArrayEquals(filled(96, PAGE), read(9 * PAGE));
    }

    @Test
    void oneChannel_isClosedOnce() throws IOException {
        FileChannel only = FileChannel.open(path, StandardOpenOption.READ);
        PageFile shared = new PageFile(path, only, only, new PageFile.Extent(0, PAGE, false), false);
        assertFalse(shared.writable());
        shared.close();
        assertFalse(only.isOpen());
    }
}
