package io.verbena.port.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Records are whole and in order, and missing ones are counted at their position. */
class CaptureRingTest {

    private static final int CAPACITY = 1 << 18;

    private final CaptureRing.Direction there = new CaptureRing.Direction(1, (byte) 0);
    private final CaptureRing.Direction back = new CaptureRing.Direction(2, (byte) 1);

    private static boolean offer(CaptureRing ring, CaptureRing.Direction from, byte[] bytes, long timeNs) {
        synchronized (ring) {
            if (!ring.begin(from, CaptureRing.DATA, bytes.length, timeNs)) {
                return false;
            }
            ring.put(ByteBuffer.wrap(bytes), 0, bytes.length);
            ring.end();
            return true;
        }
    }

    private static byte[] bytes(int length, int seed) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i * 7 + seed);
        }
        return bytes;
    }

    @Test
    void randomRecords_comeOutAsTheyWentIn() {
        CaptureRing ring = new CaptureRing(CAPACITY, 1 << 16);
        SplittableRandom random = new SplittableRandom(7);
        Deque<byte[]> expected = new ArrayDeque<>();
        long[] missing = new long[2];
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = bytes(random.nextInt(random.nextInt(8) == 0 ? 60_000 : 200), i);
            if (offer(ring, there, bytes, i)) {
                expected.add(bytes);
            } else {
                missing[0] += bytes.length;
            }
            if (random.nextInt(10) == 0) {
                ring.drain((head, memory, offset) -> {
                    byte[] want = expected.remove();
                    missing[1] += head.missingBytes;
                    assertEquals(1, head.connection);
                    assertEquals(want.length, head.length);
                    assertEquals(
                            ByteBuffer.wrap(want),
                            ByteBuffer.wrap(
                                    memory.asSlice(offset, head.captured).toArray(ValueLayout.JAVA_BYTE)));
                });
                assertTrue(expected.isEmpty());
            }
        }
        assertTrue(ring.droppedBytes() > 0, "some did not fit");
        assertEquals(missing[0], ring.droppedBytes());
        assertTrue(missing[1] <= missing[0]);
    }

    @Test
    void noRoom_isCountedWithTheNextRecordOfItsDirection() {
        CaptureRing ring = new CaptureRing(CAPACITY, 1 << 16);
        while (offer(ring, there, bytes(50_000, 1), 1)) {
            assertEquals(0, ring.droppedRecords());
        }
        assertFalse(offer(ring, back, bytes(60_000, 1), 1));
        assertEquals(2, ring.droppedRecords());
        assertEquals(110_000, ring.droppedBytes());
        synchronized (ring) {
            assertTrue(ring.begin(there, CaptureRing.FIN, 0, 2), "there is room for the end of a connection");
            ring.end();
        }
        List<String> missing = new ArrayList<>();
        CaptureRing.Sink note = (head, memory, offset) -> {
            if (head.missingBytes + head.missingRecords > 0) {
                missing.add(head.connection + " " + head.kind + " " + head.missingBytes + " " + head.missingRecords);
            }
        };
        ring.drain(note);
        assertTrue(offer(ring, back, bytes(10, 1), 3));
        ring.drain(note);
        assertEquals(List.of("1 3 50000 2", "2 2 60000 0"), missing);
    }

    @Test
    void snap_keepsTheFirstBytes() {
        CaptureRing ring = new CaptureRing(CAPACITY, 100);
        byte[] bytes = bytes(5_000, 3);
        for (int i = 0; i < 10_000; i++) {
            assertTrue(offer(ring, there, bytes, i));
            ring.drain((head, memory, offset) -> {
                assertEquals(5_000, head.length);
                assertEquals(100, head.captured);
                assertEquals(MemorySegment.ofArray(bytes).mismatch(memory.asSlice(offset, 100)), 100);
            });
        }
    }
}
