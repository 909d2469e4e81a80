package io.verbena.storage.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Deallocated and zeroed blocks take no space in the file, and read as zeros. */
class HolesTest {
    private static final int BLOCK = 512;
    private static final long LENGTH = 8 << 20;

    @TempDir
    private Path folder;

    /** The space that a file takes. */
    private static long allocatedBytes(Path file) throws IOException {
        Process stat = new ProcessBuilder("stat", "-c", "%b", file.toString()).start();
        return 512 * Long.parseLong(new String(stat.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip());
    }

    private static void fill(BlockDevice device) {
        byte[] data = new byte[(int) LENGTH];
        new Random(1).nextBytes(data);
        assertEquals(DeviceStatus.DONE, device.write(0, (int) device.blocks(), MemorySegment.ofArray(data), 0, false));
        device.flush();
    }

    private static void assertZeroes(BlockDevice device, long first, long count) {
        MemorySegment read = MemorySegment.ofArray(new byte[(int) device.blocks() * BLOCK]);
        device.read(0, (int) device.blocks(), read, 0);
        for (long block = 0; block < device.blocks(); block++) {
            boolean zero = true;
            for (int i = 0; i < BLOCK; i++) {
                zero &= read.get(ValueLayout.JAVA_BYTE, block * BLOCK + i) == 0;
            }
            assertEquals(block >= first && block < first + count, zero, "block " + block);
        }
    }

    /** Where the file system has no holes, hosts are not offered the command, which the test then asserts. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void discardedBlocks_takeNoSpace(boolean byZeroes) throws IOException {
        Path file = folder.resolve("disk.img");
        try (MappedDevice device = MappedDevice.open(file, LENGTH, BLOCK)) {
            fill(device);
            long full = allocatedBytes(file);
            assertTrue(full >= LENGTH, "bytes " + full);
            int first = 3;
            int count = (int) device.blocks() - 10;
            DeviceStatus status = byZeroes ? device.writeZeroes(first, count, true) : device.deallocate(first, count);
            if (device.deallocates()) {
                assertEquals(DeviceStatus.DONE, status);
                assertZeroes(device, first, count);
                long left = allocatedBytes(file);
                assertTrue(left < LENGTH / 8, "bytes " + left);
            } else {
                assertEquals(byZeroes ? DeviceStatus.DONE : DeviceStatus.WRITE_ERROR, status);
            }
        }
    }

    /** A host discards what it has never written, in ranges that begin and end inside pages. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void rangesThatAreHoles_stayHoles(boolean byZeroes) throws IOException {
        Path file = folder.resolve("fresh.img");
        try (MappedDevice device = MappedDevice.open(file, LENGTH, BLOCK)) {
            long fresh = allocatedBytes(file);
            for (int first = 1; device.deallocates() && first < device.blocks() - 100; first += 101) {
                DeviceStatus status = byZeroes ? device.writeZeroes(first, 90, false) : device.deallocate(first, 90);
                assertEquals(DeviceStatus.DONE, status);
            }
            device.flush();
            assertEquals(fresh, allocatedBytes(file));
            assertZeroes(device, 0, device.blocks());
        }
    }

    @Test
    void fileWithoutAPageOfZeroes_hasTheSameAnswer_andKeepsItsContents() throws IOException {
        Path file = folder.resolve("full.img");
        boolean sparse;
        try (MappedDevice device = MappedDevice.open(file, LENGTH, BLOCK)) {
            sparse = device.deallocates();
            fill(device);
        }
        try (MappedDevice device = MappedDevice.open(file, LENGTH, BLOCK)) {
            assertEquals(sparse, device.deallocates());
            assertZeroes(device, 0, 0);
        }
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(1, files.count());
        }
    }

    @Test
    void discardedMemory_readsAsZeroes() {
        try (MemoryDevice device = new MemoryDevice(LENGTH, BLOCK)) {
            fill(device);
            assertEquals(DeviceStatus.DONE, device.deallocate(5, 4000));
            assertZeroes(device, 5, 4000);
        }
    }

    @Test
    void readOnlyFile_isNotDiscarded() throws IOException {
        Path file = folder.resolve("disk.img");
        try (MappedDevice device = MappedDevice.open(file, LENGTH, BLOCK)) {
            fill(device);
        }
        try (MappedDevice device = MappedDevice.openReadOnly(file, BLOCK)) {
            assertEquals(DeviceStatus.READ_ONLY, device.deallocate(0, 8));
            assertZeroes(device, 0, 0);
        }
    }
}
