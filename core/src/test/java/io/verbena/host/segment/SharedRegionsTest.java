package io.verbena.host.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.host.Until;
import io.verbena.host.system.Linux;
import io.verbena.host.system.Machine;
import io.verbena.host.system.Unmapping;
import io.verbena.memory.Backing;
import io.verbena.memory.OffHeapMemory;
import io.verbena.shm.SharedBlock;
import io.verbena.shm.SharedBlocks;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Regions in files without a name, which another process of the same user maps for reading. */
class SharedRegionsTest {

    private static final int BYTES = 100_000;
    private static final long PROCESS = ProcessHandle.current().pid();

    /** The nonce of every region. */
    private static final long NONCE = 42;

    private final SharedRegions regions = new SharedRegions(() -> NONCE, true);

    @BeforeEach
    void needsLinux() {
        assumeTrue(Machine.obstacleToLinux().isEmpty());
    }

    /** Descriptors of this process that are regions. */
    private static int[] descriptors() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.filter(SharedRegionsTest::isRegion)
                    .mapToInt(path -> Integer.parseInt(path.getFileName().toString()))
                    .toArray();
        }
    }

    private static boolean isRegion(Path path) {
        try {
            return Files.readSymbolicLink(path).toString().startsWith("/memfd:verbena-region");
        } catch (IOException e) {
            return false;
        }
    }

    private SharedBlocks.Opened open(int handle, int length, long nonce) throws IOException {
        return regions.open(PROCESS, handle, length, nonce, nonce);
    }

    @Test
    void largeRegion_isZero_andPeersSeeWhatItContains() throws IOException {
        int before = descriptors().length;
        Backing backing = regions.allocate(BYTES);
        assertEquals(1, regions.table().size());
        assertEquals(BYTES, backing.segment().byteSize());
        assertEquals(0, backing.segment().address() & SharedBlock.PAGE_BYTES - 1);
        assertEquals(-1, backing.segment().mismatch(Arena.ofAuto().allocate(BYTES)));
        int[] open = descriptors();
        assertEquals(before + 1, open.length);

        try (SharedBlocks.Opened peers = open(open[open.length - 1], BYTES, NONCE)) {
            backing.segment().fill((byte) 7);
            assertEquals(-1, backing.segment().mismatch(MemorySegment.ofBuffer(peers.bytes())));
            assertTrue(peers.bytes().isReadOnly());
            backing.giveBack().run();
            assertEquals(7, peers.bytes().get(BYTES - 1));
        }
        assertEquals(0, regions.table().size());
        assertEquals(before, descriptors().length);
        // The mapping of a small region remains until the garbage collector finds it.
        assertEquals(7, backing.segment().get(ValueLayout.JAVA_BYTE, 0));
    }

    @Test
    void collectedRegion_whateverItsLength_isUsedAfterItWasClosed_andIsNotShared() throws IOException {
        int before = descriptors().length;
        for (int bytes : new int[] {BYTES, 4 << 20}) {
            Backing backing = regions.allocateCollected(bytes);
            assertEquals(1, regions.table().size());
            assertTrue(backing.grants().isPresent());
            backing.giveBack().run();
            assertEquals(0, regions.table().size());
            assertEquals(before, descriptors().length);
            backing.segment().set(ValueLayout.JAVA_BYTE, bytes - 1, (byte) 7);
            assertEquals(7, backing.segment().get(ValueLayout.JAVA_BYTE, bytes - 1));
        }
        assertEquals(
                8,
                new SharedRegions(() -> NONCE, false)
                        .allocateCollected(8)
                        .segment()
                        .byteSize());
    }

    @Test
    void regionOfAPeer_isMappedWithoutItsPages() throws IOException {
        int bytes = 4 << 20;
        regions.allocate(bytes);
        int[] open = descriptors();
        SharedBlocks.Shared peers = regions.openShared(PROCESS, open[open.length - 1], bytes, NONCE, NONCE);
        // The page with the nonce was read, and Linux maps up to 64 KiB around it (fault_around_bytes). The others take
        // the engine of this side milliseconds per MiB.
        assertTrue(residentBytes(peers.region().address()) <= bytes / 2);
        peers.region().fill((byte) 1);
        assertTrue(residentBytes(peers.region().address()) >= bytes);
        peers.close();
    }

    @Test
    void largeRegionOfAPeer_closed_isUnmappedSoon() throws IOException {
        int bytes = Unmapping.LATER_BYTES;
        regions.allocate(bytes);
        int[] open = descriptors();
        SharedBlocks.Shared peers = regions.openShared(PROCESS, open[open.length - 1], bytes, NONCE, NONCE);
        MemorySegment region = peers.region();
        peers.close();
        Until.holds("it is unmapped", () -> !region.scope().isAlive());
        assertThrows(IllegalStateException.class, () -> region.get(ValueLayout.JAVA_BYTE, 0));
    }

    /** Resident bytes of the mapping that begins at an address. */
    private static long residentBytes(long address) throws IOException {
        boolean ours = false;
        for (String line : Files.readAllLines(Path.of("/proc/self/smaps"))) {
            if (line.matches("[0-9a-f]+-[0-9a-f]+ .*")) {
                ours = Long.parseUnsignedLong(line.substring(0, line.indexOf('-')), 16) == address;
            } else if (ours && line.startsWith("Rss:")) {
                return Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024;
            }
        }
        throw new AssertionError("no mapping begins there");
    }

    @Test
    void regionOfAMegabyte_givenBack_isUnmappedAtOnce() {
        Backing backing = regions.allocate(OffHeapMemory.FREED_AT_ONCE_BYTES);
        assertEquals(1, regions.table().size());
        backing.giveBack().run();
        assertThrows(IllegalStateException.class, () -> backing.segment().get(ValueLayout.JAVA_BYTE, 0));
    }

    @Test
    void manyRegions_beyondTheBound_areOrdinaryMemory() throws IOException {
        int before = descriptors().length;
        List<Backing> all = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            all.add(regions.allocate(SharedRegions.LEAST_BYTES));
        }
        assertEquals(256, regions.table().size());
        all.forEach(backing -> backing.giveBack().run());
        assertEquals(before, descriptors().length);
        assertEquals(0, regions.table().size());
    }

    @Test
    void smallRegion_andHugeOne_areNotShared() {
        regions.allocate(SharedRegions.LEAST_BYTES - 1).giveBack().run();
        assertThrows(OutOfMemoryError.class, () -> regions.allocate(1L << 50));
        assertEquals(0, regions.table().size());
    }

    @Test
    void privateRegions_areNotShared() {
        SharedRegions none = new SharedRegions(() -> NONCE, false);
        Backing backing = none.allocate(BYTES);
        assertEquals(0, none.table().size());
        backing.giveBack().run();
    }

    @Test
    void wrongNonceLengthOrFile_isRefused() throws IOException {
        Backing backing = regions.allocate(BYTES);
        int[] open = descriptors();
        int fd = open[open.length - 1];
        assertThrows(IOException.class, () -> open(fd, BYTES, NONCE + 1).close());
        assertThrows(
                IOException.class,
                () -> open(fd, BYTES + SharedBlock.PAGE_BYTES, NONCE).close());
        assertThrows(IOException.class, () -> open(1_000_000, BYTES, NONCE).close());
        assertThrows(IOException.class, () -> open(0, BYTES, NONCE).close());
        assertThrows(IOException.class, () -> open(-1, BYTES, NONCE).close());
        assertThrows(
                IOException.class,
                () -> regions.open(1 << 30, fd, BYTES, NONCE, NONCE).close());
        backing.giveBack().run();
        assertEquals(open.length - 1, descriptors().length);
    }

    @Test
    void fileThatCanBeShortened_isRefused() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = Linux.newState(arena);
            int fd = Linux.memoryFile(state, arena.allocateFrom("verbena-region"));
            try {
                IOException e =
                        assertThrows(IOException.class, () -> open(fd, BYTES, 0).close());
                assertEquals("its size is not sealed", e.getMessage());
            } finally {
                Linux.close(state, fd);
            }
        }
    }
}
