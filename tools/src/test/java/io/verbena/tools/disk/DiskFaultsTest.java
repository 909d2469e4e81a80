package io.verbena.tools.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.storage.device.BlockDevice;
import io.verbena.storage.device.DeviceFault;
import io.verbena.storage.device.DeviceFault.Kind;
import io.verbena.storage.device.DeviceStatus;
import io.verbena.storage.device.MemoryDevice;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DiskFaultsTest {
    private static final MemorySegment BLOCK = MemorySegment.ofArray(new byte[512]);

    @ParameterizedTest
    @CsvSource({
        "read-error, READ_ERROR, 0, 9223372036854775807, 2147483647",
        "write-error@5, WRITE_ERROR, 5, 1, 2147483647",
        "torn-write@5+3, TORN_WRITE, 5, 3, 2147483647",
        "NO-SPACE@5+3*2, NO_SPACE, 5, 3, 2",
        "lost-flush*1, LOST_FLUSH, 0, 9223372036854775807, 1",
        "flush-error, FLUSH_ERROR, 0, 9223372036854775807, 2147483647",
    })
    void text_isAFault(String text, Kind kind, long first, long blocks, int times) {
        DiskFaults faults = DiskFaults.parse(List.of(text));
        assertEquals(List.of(new DeviceFault(kind, first, blocks, times)), faults.faults());
        assertEquals(Duration.ZERO, faults.delay());
    }

    @Test
    void delays_areAddedUp_andWait() {
        DiskFaults faults = DiskFaults.parse(List.of("delay=1.5", "delay=1"));
        assertEquals(Duration.ofNanos(2_500_000), faults.delay());
        try (BlockDevice device = faults.into(new MemoryDevice(4096, 512))) {
            assertTrue(device.mayWait());
        }
    }

    @Test
    void faults_occurOnTheirBlocksOnly() {
        try (BlockDevice device =
                DiskFaults.parse(List.of("read-error@1+2*2", "write-error@3")).into(new MemoryDevice(4096, 512))) {
            assertEquals(DeviceStatus.DONE, device.read(0, 1, BLOCK, 0));
            assertEquals(DeviceStatus.READ_ERROR, device.read(1, 1, BLOCK, 0));
            assertEquals(DeviceStatus.READ_ERROR, device.read(2, 1, BLOCK, 0));
            assertEquals(DeviceStatus.DONE, device.read(2, 1, BLOCK, 0));
            assertEquals(DeviceStatus.WRITE_ERROR, device.write(3, 1, BLOCK, 0, false));
            assertEquals(DeviceStatus.WRITE_ERROR, device.write(3, 1, BLOCK, 0, false));
            assertEquals(DeviceStatus.DONE, device.write(4, 1, BLOCK, 0, false));
        }
    }

    @Test
    void noFaults_leaveTheDeviceAsItIs() {
        try (MemoryDevice device = new MemoryDevice(4096, 512)) {
            assertSame(device, DiskFaults.parse(List.of()).into(device));
        }
    }
}
