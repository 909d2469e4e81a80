package io.verbena.storage.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A mapped device knows which of its blocks it must wait for. New blocks of a file are not in the page cache. */
class ResidentBlocksTest {
    private static final int BLOCK = 512;
    private static final long LENGTH = (16 << 20) + 3 * BLOCK;

    @TempDir
    private Path folder;

    @Test
    void blocksWithoutAnAccess_mayWait_andThoseThatWereWrittenDoNot() throws IOException {
        try (MappedDevice device = MappedDevice.open(folder.resolve("disk.img"), LENGTH, BLOCK)) {
            MemorySegment data = MemorySegment.ofArray(new byte[(int) LENGTH]);
            assertTrue(device.mayWait());
            // The system reads some MiB ahead of a page that is accessed.
            long cold = LENGTH / BLOCK * 3 / 4;
            assertTrue(device.mayWait(cold, 1));
            // A range with one cold page is cold.
            assertEquals(DeviceStatus.DONE, device.write(256, 128, data, 0, false));
            assertFalse(device.mayWait(256, 128));
            assertTrue(device.mayWait(256, (int) (cold - 256 + 1)));
            assertEquals(DeviceStatus.DONE, device.write(0, (int) device.blocks(), data, 0, false));
            assertFalse(device.mayWait(0, (int) device.blocks()));
            assertFalse(device.mayWait(device.blocks() - 1, 1));
        }
    }
}
