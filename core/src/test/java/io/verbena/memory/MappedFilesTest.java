package io.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AccessRight;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MappedFilesTest {

    @TempDir
    Path folder;

    @Test
    void map_writableAndShort_growsTheFile() throws IOException {
        Path file = folder.resolve("new");
        Backing backing = MappedFiles.map(file, 5_000, 10_000, true);
        assertEquals(15_000, Files.size(file));
        backing.segment().set(ValueLayout.JAVA_BYTE, 9_999, (byte) 7);
        backing.giveBack().run();
        assertEquals(7, Files.readAllBytes(file)[14_999]);
    }

    @Test
    void map_readOnly_seesTheFileAndAcceptsNoWriteRights() throws IOException {
        Path file = Files.writeString(folder.resolve("text"), "hello, world");
        Backing backing = MappedFiles.map(file, 7, 5, false);
        assertEquals('w', backing.segment().get(ValueLayout.JAVA_BYTE, 0));
        RegionTable table = new RegionTable(new SeededRandom(1));
        assertThrows(IllegalArgumentException.class, () -> table.register(backing, 1, Set.of(AccessRight.LOCAL_WRITE)));
        table.register(backing, 1, Set.of(AccessRight.REMOTE_READ));
    }

    @Test
    void map_readOnlyAndShort_saysHowLongItIs() throws IOException {
        Path file = Files.writeString(folder.resolve("text"), "hello, world");
        IOException e = assertThrows(IOException.class, () -> MappedFiles.map(file, 7, 6, false));
        assertTrue(String.valueOf(e.getMessage()).contains("has 12 bytes; 13 are needed"), e.getMessage());
    }

    @Test
    void map_noSuchFileOrFolder_saysSo() {
        IOException e = assertThrows(IOException.class, () -> MappedFiles.map(folder.resolve("absent"), 0, 1, false));
        assertTrue(String.valueOf(e.getMessage()).startsWith("the file does not exist"), e.getMessage());
        assertThrows(IOException.class, () -> MappedFiles.map(folder.resolve("no/where"), 0, 1, true));
        assertThrows(IOException.class, () -> MappedFiles.map(folder, 0, 1, true));
        assertThrows(IOException.class, () -> MappedFiles.map(folder, 0, 1, false));
    }

    @Test
    void map_wrongRange_isMisuse() {
        Path file = folder.resolve("any");
        assertThrows(IllegalArgumentException.class, () -> MappedFiles.map(file, -1, 1, true));
        assertThrows(IllegalArgumentException.class, () -> MappedFiles.map(file, 0, 0, true));
        assertThrows(IllegalArgumentException.class, () -> MappedFiles.map(file, Long.MAX_VALUE, 2, true));
        assertEquals(false, Files.exists(file));
    }

    @Test
    void map_moreThanAFileCanHave_saysWhatAndWhy() {
        Path file = folder.resolve("huge");
        IOException e = assertThrows(IOException.class, () -> MappedFiles.map(file, 0, Long.MAX_VALUE - 4096, true));
        assertTrue(String.valueOf(e.getMessage()).contains("cannot map " + (Long.MAX_VALUE - 4096)), e.getMessage());
    }

    @Test
    void map_exactlyTheFile_isAccepted() throws IOException {
        Path file = Files.writeString(folder.resolve("text"), "hello, world");
        Backing backing = MappedFiles.map(file, 7, 5, false);
        assertTrue(backing.mayFault());
        assertTrue(backing.steady());
        backing.giveBack().run();
        assertEquals(false, backing.segment().scope().isAlive());
    }

    @Test
    void allocate_anySize_isZeroedAndPageAligned() {
        for (long bytes : new long[] {1, 4096, 100_000, OffHeapMemory.FREED_AT_ONCE_BYTES, 3_000_000}) {
            Backing backing = new OffHeapMemory().allocate(bytes);
            assertEquals(bytes, backing.segment().byteSize());
            assertEquals(0, backing.segment().address() % OffHeapMemory.PAGE_BYTES);
            assertEquals(0, backing.segment().get(ValueLayout.JAVA_BYTE, bytes - 1));
            backing.giveBack().run();
        }
        assertThrows(IllegalArgumentException.class, () -> new OffHeapMemory().allocate(0));
    }
}
