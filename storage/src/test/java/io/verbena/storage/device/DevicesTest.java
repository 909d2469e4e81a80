package io.verbena.storage.device;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.storage.device.DeviceFault.Kind;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Devices against an array of bytes. */
class DevicesTest {

    @TempDir
    Path folder = Path.of("unset");

    private static void matchesAnArray(BlockDevice device) {
        byte[] model = new byte[(int) (device.blocks() * device.blockBytes())];
        Random random = new Random(3);
        for (int step = 0; step < 400; step++) {
            int block = random.nextInt((int) device.blocks());
            int count = 1 + random.nextInt((int) device.blocks() - block);
            int at = block * device.blockBytes();
            int bytes = count * device.blockBytes();
            byte[] data = new byte[bytes];
            MemorySegment buffer = MemorySegment.ofArray(data);
            switch (random.nextInt(4)) {
                case 0 -> {
                    random.nextBytes(data);
                    System.arraycopy(data, 0, model, at, bytes);
                    assertEquals(DeviceStatus.DONE, device.write(block, count, buffer, 0, random.nextBoolean()));
                    assertEquals(DeviceStatus.DONE, device.compare(block, count, buffer, 0));
                    data[bytes - 1]++;
                    assertEquals(DeviceStatus.DIFFERENT, device.compare(block, count, buffer, 0));
                }
                case 1 -> {
                    System.arraycopy(data, 0, model, at, bytes);
                    assertEquals(DeviceStatus.DONE, device.writeZeroes(block, count, random.nextBoolean()));
                }
                case 2 -> assertEquals(DeviceStatus.DONE, device.flush());
                default -> {
                    assertEquals(DeviceStatus.DONE, device.read(block, count, buffer, 0));
                    assertArrayEquals(java.util.Arrays.copyOfRange(model, at, at + bytes), data);
                }
            }
        }
    }

    @Test
    void memory_writtenAndRead_matchesAnArray() {
        try (MemoryDevice device = new MemoryDevice(16384, 512)) {
            matchesAnArray(device);
        }
    }

    @Test
    void mappedFile_writtenAndRead_matchesAnArray() throws IOException {
        try (MappedDevice device = MappedDevice.open(folder.resolve("disk"), 65536, 4096)) {
            matchesAnArray(device);
        }
        assertEquals(65536, Files.size(folder.resolve("disk")));
    }

    @Test
    void file_thatIsServed_isRefusedToASecondWriter() throws IOException {
        Path file = folder.resolve("disk");
        MappedDevice first = MappedDevice.open(file, 8192, 512);
        FileSystemException refusal = assertThrows(FileSystemException.class, () -> MappedDevice.open(file, 8192, 512));
        assertTrue(refusal.getReason().contains("another server"), refusal::getReason);
        assertThrows(FileSystemException.class, () -> MappedDevice.openReadOnly(file, 512));
        first.close();
        MappedDevice.open(file, 8192, 512).close();
    }

    @Test
    void file_enlarged_isOneDiskInTwoDevices_andStaysLockedUntilBothAreClosed() throws IOException {
        Path file = folder.resolve("disk");
        MappedDevice small = MappedDevice.open(file, 8192, 512);
        MappedDevice large = small.enlarged(16384);
        assertEquals(32, large.blocks());
        byte[] ones = new byte[512];
        java.util.Arrays.fill(ones, (byte) 1);
        assertEquals(DeviceStatus.DONE, small.write(3, 1, MemorySegment.ofArray(ones), 0, false));
        assertEquals(DeviceStatus.DONE, large.compare(3, 1, MemorySegment.ofArray(ones), 0));
        small.close();
        assertThrows(FileSystemException.class, () -> MappedDevice.open(file, 8192, 512));
        assertEquals(DeviceStatus.DONE, large.write(31, 1, MemorySegment.ofArray(ones), 0, true));
        assertThrows(IllegalArgumentException.class, () -> large.enlarged(8192));
        large.close();
        try (MappedDevice again = MappedDevice.open(file, 0, 512)) {
            assertEquals(32, again.blocks());
        }
    }

    @Test
    void readOnlyFile_written_refuses() throws IOException {
        Path file = Files.write(folder.resolve("fixed"), new byte[8192]);
        try (MappedDevice device = MappedDevice.openReadOnly(file, 512)) {
            assertEquals(16, device.blocks());
            assertEquals(DeviceStatus.READ_ONLY, device.write(0, 1, Zeroes.BLOCK, 0, false));
            assertEquals(DeviceStatus.READ_ONLY, device.writeZeroes(0, 1, false));
        }
    }

    @Test
    void faults_occurAsOftenAsStated() {
        byte[] ones = new byte[512];
        java.util.Arrays.fill(ones, (byte) 1);
        try (FaultyDevice device = new FaultyDevice(new MemoryDevice(8192, 512))) {
            device.with(new DeviceFault(Kind.WRITE_ERROR, 4, 2, 2)).with(new DeviceFault(Kind.TORN_WRITE, 9, 1, 1));
            MemorySegment data = MemorySegment.ofArray(ones);
            assertEquals(DeviceStatus.DONE, device.write(3, 1, data, 0, false));
            assertEquals(DeviceStatus.WRITE_ERROR, device.write(5, 1, data, 0, false));
            assertEquals(DeviceStatus.WRITE_ERROR, device.write(4, 1, data, 0, false));
            assertEquals(DeviceStatus.DONE, device.write(4, 1, data, 0, false));
            assertEquals(DeviceStatus.WRITE_ERROR, device.write(9, 1, data, 0, false));
            byte[] torn = new byte[512];
            device.read(9, 1, MemorySegment.ofArray(torn), 0);
            assertEquals(1, torn[255]);
            assertEquals(0, torn[256]);
        }
    }

    @Test
    void geometry_outOfRange_isRefused() {
        assertThrows(IllegalArgumentException.class, () -> new MemoryDevice(8192, 100));
        assertThrows(IllegalArgumentException.class, () -> new MemoryDevice(100, 512));
    }
}
