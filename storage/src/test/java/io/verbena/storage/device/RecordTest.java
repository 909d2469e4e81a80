package io.verbena.storage.device;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.channels.Channels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Records of devices, and their replay. */
class RecordTest {
    private static final int BLOCKS = 16;
    private static final int BYTES = BLOCKS * 512;

    private static byte[] contents(BlockDevice device) {
        byte[] bytes = new byte[BYTES];
        assertEquals(DeviceStatus.DONE, device.read(0, BLOCKS, MemorySegment.ofArray(bytes), 0));
        return bytes;
    }

    private static RecordReplay replay(byte[] record, BlockDevice device) {
        return new RecordReplay(Channels.newChannel(new ByteArrayInputStream(record)), device);
    }

    private static int all(RecordReplay replay) throws IOException {
        int commands = 0;
        while (replay.next()) {
            commands++;
        }
        return commands;
    }

    private static void change(BlockDevice device, Random random) {
        int block = random.nextInt(BLOCKS);
        int count = 1 + random.nextInt(BLOCKS - block);
        byte[] data = new byte[count * 512 + 7];
        random.nextBytes(data);
        DeviceStatus status = switch (random.nextInt(4)) {
            case 0 -> device.writeZeroes(block, count, random.nextBoolean());
            case 1 -> device.flush();
            default -> device.write(block, count, MemorySegment.ofArray(data), 7, random.nextBoolean());
        };
        assertEquals(DeviceStatus.DONE, status);
    }

    /** The record of random commands, and the state of the device after each of them. */
    private static byte[] record(List<byte[]> states) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Random random = new Random(4);
        try (RecordingDevice device = new RecordingDevice(new MemoryDevice(BYTES, 512), Channels.newChannel(out))) {
            for (int i = 0; i < 200; i++) {
                change(device, random);
                states.add(contents(device));
            }
        }
        return out.toByteArray();
    }

    @Test
    void record_replayedStepByStep_givesEveryState() throws IOException {
        List<byte[]> states = new ArrayList<>();
        byte[] record = record(states);
        int flushes = 0;
        try (MemoryDevice copy = new MemoryDevice(BYTES, 512)) {
            RecordReplay replay = replay(record, copy);
            for (byte[] state : states) {
                assertTrue(replay.next());
                flushes += replay.atFlush() ? 1 : 0;
                assertArrayEquals(state, contents(copy));
            }
            assertFalse(replay.next());
        }
        assertTrue(flushes > 20);
    }

    @Test
    void record_cutAnywhere_endsAtAWholeCommand() throws IOException {
        byte[] record = record(new ArrayList<>());
        for (int length = 0; length < 3000; length += 13) {
            try (MemoryDevice copy = new MemoryDevice(BYTES, 512)) {
                assertTrue(all(replay(Arrays.copyOf(record, length), copy)) <= length / RecordEntry.LENGTH);
            }
        }
    }

    @Test
    void record_ofALargerDevice_isRefused() {
        byte[] record = record(new ArrayList<>());
        try (MemoryDevice small = new MemoryDevice(512, 512)) {
            RecordReplay replay = replay(record, small);
            assertThrows(BadRecordException.class, () -> all(replay));
        }
    }

    @Test
    void damagedHeaders_areRefusedOrReplayed_andNeverThrowAnythingElse() throws IOException {
        Random random = new Random(6);
        byte[] record = Arrays.copyOf(record(new ArrayList<>()), 4096);
        try (MemoryDevice copy = new MemoryDevice(BYTES, 512)) {
            for (int i = 0; i < 20_000; i++) {
                byte[] damaged = record.clone();
                damaged[random.nextInt(i % 2 == 0 ? RecordEntry.LENGTH : damaged.length)] = (byte) random.nextInt();
                RecordReplay replay = replay(damaged, copy);
                try {
                    assertTrue(all(replay) <= damaged.length / RecordEntry.LENGTH);
                } catch (BadRecordException e) {
                    assertFalse(e.toString().isEmpty());
                }
            }
        }
    }

    @Test
    void record_thatCannotBeWritten_failsThisAndAllLaterCommands() {
        OutputStream full = new OutputStream() {
            @Override
            public void write(int value) throws IOException {
                throw new IOException("full");
            }
        };
        try (RecordingDevice device = new RecordingDevice(new MemoryDevice(BYTES, 512), Channels.newChannel(full))) {
            assertEquals(DeviceStatus.WRITE_ERROR, device.writeZeroes(0, 1, false));
            assertEquals(DeviceStatus.WRITE_ERROR, device.flush());
            contents(device);
        }
    }

    @Test
    void refusedCommands_areNotRecorded() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        FaultyDevice faulty = new FaultyDevice(new MemoryDevice(BYTES, 512));
        faulty.with(new DeviceFault(DeviceFault.Kind.WRITE_ERROR, 0, BLOCKS, 1));
        try (RecordingDevice device = new RecordingDevice(faulty, Channels.newChannel(out))) {
            assertEquals(DeviceStatus.WRITE_ERROR, device.write(0, 1, MemorySegment.ofArray(new byte[512]), 0, false));
        }
        assertEquals(0, out.size());
    }
}
