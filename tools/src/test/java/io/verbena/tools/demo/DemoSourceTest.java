package io.verbena.tools.demo;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.text.ProgressBar;
import io.verbena.verbs.Rnic;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoSourceTest {

    private final StopSignal stop = new StopSignal();

    @TempDir
    private Path folder = Path.of(".");

    @Test
    void generate_sameSeed_sameBytes() throws Exception {
        byte[] first = generated(3_000_001, 5);
        assertEquals(3_000_001, first.length);
        assertArrayEquals(first, generated(3_000_001, 5));
        assertFalse(Arrays.equals(first, generated(3_000_001, 6)));
        assertEquals(List.of(), files());
    }

    @Test
    void generate_stopped_leavesNothing() throws IOException {
        stop.raise();
        assertThrows(StopSignal.Stopped.class, () -> generated(1_000_000, 1));
        assertEquals(List.of(), files());
    }

    @Test
    void of_usersFile_isNotDeleted() throws Exception {
        Path file = Files.writeString(folder.resolve("mine"), "abc");
        try (DemoSource source = DemoSource.of(file)) {
            assertEquals(3, source.length());
            assertFalse(source.generated());
        }
        assertTrue(Files.exists(file));
    }

    @Test
    void of_missingFile_fails() {
        assertThrows(Failure.class, () -> DemoSource.of(folder.resolve("none")));
    }

    @Test
    void sha256_anyLength_isTheUsualOne() throws IOException {
        assertEquals(
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
                sha256("abc".getBytes(StandardCharsets.US_ASCII)));
        byte[] millionTimesA = new byte[1_000_000];
        Arrays.fill(millionTimesA, (byte) 'a');
        assertEquals("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0", sha256(millionTimesA));
    }

    private String sha256(byte[] bytes) throws IOException {
        return Digests.sha256(MemorySegment.ofArray(bytes), ProgressBar.hidden(), stop);
    }

    private byte[] generated(long length, long seed) throws Failure, IOException {
        try (DemoSource source = DemoSource.generated(length, folder)) {
            source.fill(seed, (label, total) -> ProgressBar.hidden(), stop);
            assertTrue(source.generated());
            assertEquals(List.of(), files());
            try (Rnic rnic = Rnic.open();
                    DemoMemory memory = source.register(rnic.allocateProtectionDomain())) {
                return memory.segment().toArray(ValueLayout.JAVA_BYTE);
            }
        }
    }

    private List<Path> files() throws IOException {
        try (var files = Files.list(folder)) {
            return files.toList();
        }
    }
}
