package io.verbena.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A ring between a writer and a reader, and hostile sides of it. */
class RingTest {

    private static final int RING = SharedLayout.LEAST_RING_BYTES;
    private static final int GUARD = 4096;

    private final ByteBuffer memory =
            ByteBuffer.allocateDirect(SharedLayout.bytes(RING)).order(ByteOrder.nativeOrder());
    private final RingWriter writer = new RingWriter(memory, true, RING);
    private final RingReader reader = new RingReader(memory, false, RING);
    private final ByteBuffer bytes = ByteBuffer.allocateDirect(64 * 1024);
    private final int ring = SharedLayout.ring(true, RING);

    private int write(int count) throws IOException {
        int done = writer.append(bytes, 0, count);
        writer.publish();
        return done;
    }

    @Test
    void empty_hasNoBytesAndSpace() throws IOException {
        assertFalse(reader.hasBytes());
        assertEquals(0, reader.read(bytes, 0, 100));
        assertTrue(writer.hasSpace());
    }

    @Test
    void appended_notPublished_isNotVisible() throws IOException {
        assertEquals(10, writer.append(bytes, 0, 10));
        assertFalse(reader.hasBytes());
        assertTrue(writer.publish());
        assertTrue(reader.hasBytes());
        assertFalse(writer.publish());
    }

    @Test
    void shortRecord_isOneLine() throws IOException {
        assertEquals(56, write(56));
        assertEquals(56, reader.read(bytes, 0, 1000));
        assertEquals(64, reader.consumed());
        assertEquals(57, write(57));
        assertEquals(57, reader.read(bytes, 0, 1000));
        assertEquals(192, reader.consumed());
    }

    @Test
    void full_acceptsNothingUntilRecordIsConsumed() throws IOException {
        int accepted = 0;
        for (int count = write(100); count > 0; count = write(100)) {
            accepted += count;
        }
        assertFalse(writer.hasSpace());
        assertEquals(0, write(1));
        int taken = 0;
        for (int count = reader.read(bytes, 0, 7); count > 0; count = reader.read(bytes, 0, 7)) {
            taken += count;
        }
        assertEquals(accepted, taken);
        assertTrue(writer.hasSpace());
        assertEquals(100, write(100));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void anySizes_arriveInOrder(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        ByteBuffer in = ByteBuffer.allocateDirect(8192);
        long written = 0;
        long read = 0;
        for (int step = 0; step < 10_000; step++) {
            if (random.nextBoolean()) {
                int want = 1 + random.nextInt(random.nextBoolean() ? 100 : 6000);
                for (int i = 0; i < want; i++) {
                    bytes.put(i, (byte) ((written + i) * 31 >>> 3));
                }
                written += writer.append(bytes, 0, want);
                if (random.nextInt(4) > 0) {
                    writer.publish();
                }
            } else {
                int count = reader.read(in, 0, 1 + random.nextInt(8000));
                for (int i = 0; i < count; i++) {
                    assertEquals((byte) ((read + i) * 31 >>> 3), in.get(i));
                }
                read += count;
            }
        }
        writer.publish();
        for (int count = 1; count > 0; read += count) {
            count = reader.read(in, 0, 8192);
        }
        assertEquals(written, read);
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "-1, 1", "4089, 1", "4081, 1", "2147483647, 1", "5, 0", "5, 2", "-2147483648, 1"})
    void impossibleHeader_failsAndReadsNothing(int length, int number) {
        memory.putLong(ring, (long) number << Integer.SIZE | length & 0xffff_ffffL);
        assertTrue(reader.hasBytes());
        assertThrows(IOException.class, () -> reader.read(bytes, 0, 100));
        assertThrows(IOException.class, () -> reader.read(bytes, 0, 100));
        assertEquals(0, reader.consumed());
    }

    @ParameterizedTest
    @ValueSource(longs = {64, 1, -64, 32, Long.MAX_VALUE, Long.MIN_VALUE})
    void impossiblePosition_failsWriter(long consumed) throws IOException {
        while (write(100) > 0) {}
        memory.putLong(SharedLayout.word(false, SharedLayout.CONSUMED), consumed == 64 ? RING * 2L : consumed);
        assertThrows(IOException.class, writer::hasSpace);
        assertThrows(IOException.class, () -> write(1));
    }

    @Test
    void positionGoingBackwards_failsWriter() throws IOException {
        while (write(100) > 0) {}
        reader.read(bytes, 0, 300);
        assertFalse(writer.hasSpace());
        memory.putLong(SharedLayout.word(false, SharedLayout.CONSUMED), 0);
        assertThrows(IOException.class, writer::hasSpace);
    }

    /** A hostile peer changes words of the whole memory at random: this side fails or goes on, and touches nothing else. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void anyWordsFromThePeer_touchNothingOutside(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 150; round++) {
            ByteBuffer whole = ByteBuffer.allocateDirect(SharedLayout.bytes(RING) + 2 * GUARD)
                    .order(ByteOrder.nativeOrder());
            ByteBuffer shared = whole.slice(GUARD, SharedLayout.bytes(RING)).order(ByteOrder.nativeOrder());
            ByteBuffer target = ByteBuffer.allocateDirect(3 * GUARD);
            RingReader victimReader = new RingReader(shared, true, RING);
            RingWriter victimWriter = new RingWriter(shared, true, RING);
            try {
                for (int step = 0; step < 200; step++) {
                    disturb(random, shared, victimReader);
                    int got = victimReader.read(target, GUARD, 1 + random.nextInt(GUARD));
                    assertTrue(got >= 0 && got <= GUARD);
                    int put = victimWriter.append(bytes, 0, random.nextInt(2000));
                    assertTrue(put >= 0 && put <= 2000);
                    victimWriter.publish();
                }
            } catch (IOException e) {
                assertTrue(e.toString().contains("The peer "), e.toString());
            }
            for (int i = 0; i < GUARD; i++) {
                assertEquals(0, whole.get(i));
                assertEquals(0, whole.get(GUARD + shared.capacity() + i));
                assertEquals(0, target.get(i));
                assertEquals(0, target.get(2 * GUARD + i));
            }
        }
    }

    private static void disturb(SplittableRandom random, ByteBuffer shared, RingReader victim) {
        int inbound = SharedLayout.ring(false, RING);
        switch (random.nextInt(4)) {
            case 0 -> shared.putLong(random.nextInt(shared.capacity() / 8) * 8, random.nextLong());
            case 1 -> // a plausible header, so that the reader goes on
                shared.putLong(
                        inbound + (int) (victim.consumed() & RING - 1),
                        SharedLayout.header(victim.consumed(), random.nextInt(4200)));
            case 2 -> shared.putLong(SharedLayout.word(false, SharedLayout.CONSUMED), random.nextInt(200) * 64L);
            default -> {}
        }
    }
}
