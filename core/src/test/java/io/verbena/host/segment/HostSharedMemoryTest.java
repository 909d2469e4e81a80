package io.verbena.host.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.host.system.BufferedRandom;
import io.verbena.host.system.Linux;
import io.verbena.shm.SharedMemory.Mapped;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Memory of the system that two processes share, and what a peer may try with it. */
@EnabledOnOs(OS.LINUX)
class HostSharedMemoryTest {

    private static final int BYTES = 64 * 1024;

    private final HostSharedMemory memory = new HostSharedMemory(new BufferedRandom());
    private final long self = ProcessHandle.current().pid();

    private Path link(int handle) {
        return Path.of("/proc/" + self + "/fd/" + handle);
    }

    private String refused(int handle, int bytes) {
        return assertThrows(IOException.class, () -> memory.open(self, handle, bytes))
                .toString();
    }

    @Test
    void created_opened_isTheSameMemory() throws IOException {
        try (Mapped local = memory.create(BYTES);
                Mapped remote = memory.open(local.process(), local.handle(), BYTES)) {
            local.bytes().putLong(BYTES - 8, 42);
            assertEquals(42, remote.bytes().getLong(BYTES - 8));
        }
    }

    @Test
    void created_peerChangesTheSize_isRefusedAndTheMemoryStays() throws IOException {
        try (Mapped local = memory.create(BYTES);
                FileChannel peer = FileChannel.open(link(local.handle()), StandardOpenOption.WRITE)) {
            local.bytes().putLong(BYTES - 8, 42);
            assertThrows(IOException.class, () -> peer.truncate(0));
            assertThrows(IOException.class, () -> peer.truncate(BYTES - 1));
            assertEquals(BYTES, peer.size());
            assertEquals(42, local.bytes().getLong(BYTES - 8));
        }
    }

    @Test
    void memoryThatCanBeTruncated_open_isRefused() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = Linux.newState(arena);
            int fd = Linux.memoryFile(state, arena.allocateFrom("verbena"));
            try {
                assertEquals(0, Linux.size(state, fd, BYTES));
                String sentence = refused(fd, BYTES);
                assertTrue(sentence.contains("its size is not sealed"), sentence);
            } finally {
                Linux.close(state, fd);
            }
        }
    }

    @Test
    void otherSize_open_isRefused() throws IOException {
        try (Mapped local = memory.create(BYTES)) {
            String sentence = refused(local.handle(), 2 * BYTES);
            assertTrue(sentence.contains("it has " + BYTES + " bytes"), sentence);
        }
    }

    @Test
    void fileOfAnotherKind_open_isRefusedAndUnchanged(@TempDir Path folder) throws IOException {
        Path file = Files.write(folder.resolve("file"), new byte[BYTES]);
        try (FileChannel open = FileChannel.open(file, StandardOpenOption.READ)) {
            for (int handle = 0; handle < 64; handle++) {
                Path link = link(handle);
                if (Files.isSymbolicLink(link) && Files.readSymbolicLink(link).equals(file.toRealPath())) {
                    String sentence = refused(handle, BYTES);
                    assertTrue(sentence.contains("it is not shared memory"), sentence);
                }
            }
            assertEquals(BYTES, open.size());
        }
    }

    @Test
    void noProcessOrHandle_open_fails() {
        assertThrows(IOException.class, () -> memory.open(-1, 3, BYTES));
        assertThrows(IOException.class, () -> memory.open(0, 3, BYTES));
        assertThrows(IOException.class, () -> memory.open(Long.MAX_VALUE, 3, BYTES));
        assertThrows(IOException.class, () -> memory.open(self, -1, BYTES));
        assertThrows(IOException.class, () -> memory.open(self, Integer.MAX_VALUE, BYTES));
    }

    @Test
    void sharedOrClosed_open_fails() throws IOException {
        Mapped local = memory.create(BYTES);
        try (local) {
            local.shared();
            assertThrows(IOException.class, () -> memory.open(self, local.handle(), BYTES));
        }
        assertThrows(IOException.class, () -> memory.open(self, local.handle(), BYTES));
    }

    /** What a process leaves that is killed between creating and removing its file. */
    @Test
    void fileOfAKilledProcess_sweep_removesItAndNoOther() throws Exception {
        Process killed = new ProcessBuilder("sleep", "60").start();
        Path left = Path.of("/dev/shm/verbena-" + killed.pid() + "-0123456789abcdef");
        Path used = Path.of("/dev/shm/verbena-" + self + "-0123456789abcdef");
        Files.createFile(left);
        Files.createFile(used);
        try {
            HostSharedMemory.sweep();
            assertTrue(Files.exists(left));
            killed.destroyForcibly();
            assertTrue(killed.waitFor(20, TimeUnit.SECONDS));
            HostSharedMemory.sweep();
            assertFalse(Files.exists(left));
            assertTrue(Files.exists(used));
        } finally {
            killed.destroyForcibly();
            Files.deleteIfExists(left);
            Files.deleteIfExists(used);
        }
    }
}
