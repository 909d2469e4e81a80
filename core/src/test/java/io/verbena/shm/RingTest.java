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
    private final RingReader reader = new RingReader(
            memory,
            false,
            RING,
            new Borrower(SharedBlocks.NONE, memory, false),
            new DirectAccess(SharedBlocks.NONE, memory, false, false));
    private final ByteBuffer bytes = ByteBuffer.allocateDirect(64 * 1024);
    private final int ring = SharedLayout.ring(true, RING);

    private int write(int count) throws IOException {
        int done = writer.append(bytes, 0, count);
        writer.publish();
        writer.clearAhead();
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
    @CsvSource({"1, 4096", "2, 4096", "3, 131072", "4, 32768"})
    void anySizes_arriveInOrder(long seed, int ringBytes) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        ByteBuffer wide =
                ByteBuffer.allocateDirect(SharedLayout.bytes(ringBytes)).order(ByteOrder.nativeOrder());
        RingWriter writer = new RingWriter(wide, true, ringBytes);
        RingReader reader = new RingReader(
                wide,
                false,
                ringBytes,
                new Borrower(SharedBlocks.NONE, wide, false),
                new DirectAccess(SharedBlocks.NONE, wide, false, false));
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
                    if (random.nextInt(4) > 0) {
                        writer.clearAhead();
                    }
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

    // The window.

    private static final int WIDE = 8 * SharedLayout.FIRST_WINDOW_BYTES;

    private final ByteBuffer wide =
            ByteBuffer.allocateDirect(SharedLayout.bytes(WIDE)).order(ByteOrder.nativeOrder());
    private final RingWriter wideWriter = new RingWriter(wide, true, WIDE);
    private final RingReader wideReader = new RingReader(
            wide,
            false,
            WIDE,
            new Borrower(SharedBlocks.NONE, wide, false),
            new DirectAccess(SharedBlocks.NONE, wide, false, false));

    /** Last used byte of the ring that the initiator writes. */
    private int highest() {
        int at = SharedLayout.ring(true, WIDE) + WIDE - 1;
        while (at > SharedLayout.RINGS && wide.get(at) == 0) {
            at--;
        }
        return at - SharedLayout.RINGS;
    }

    @Test
    void readerKeepsUp_windowStays() throws IOException {
        for (int i = 0; i < 3000; i++) {
            assertEquals(56, wideWriter.append(bytes, 0, 56));
            wideWriter.publish();
            wideWriter.clearAhead();
            assertEquals(56, wideReader.read(bytes, 0, 100));
        }
        assertEquals(SharedLayout.FIRST_WINDOW_BYTES, wideReader.window());
        assertTrue(highest() < SharedLayout.FIRST_WINDOW_BYTES);
    }

    @Test
    void readerIsBehind_windowDoublesUpToTheRing() throws IOException {
        bytes.put(0, new byte[64 * 1024]);
        int written = 0;
        for (int count = wideWriter.append(bytes, 0, 5000); count > 0; count = wideWriter.append(bytes, 0, 5000)) {
            written += count;
            wideWriter.publish();
            wideWriter.clearAhead();
        }
        assertTrue(written > WIDE * 9 / 10, "accepted " + written);
        int read = 0;
        for (int count = wideReader.read(bytes, 0, 7000); count > 0; count = wideReader.read(bytes, 0, 7000)) {
            read += count;
        }
        assertEquals(written, read);
        assertEquals(WIDE, wideReader.window());
        assertTrue(wideWriter.hasSpace());
    }

    @Test
    void readerIsBehindAcrossTheEnd_windowDoublesWhenItHasPassedIt() throws IOException {
        int first = SharedLayout.FIRST_WINDOW_BYTES;
        assertEquals(first / 2, wideWriter.append(bytes, 0, first / 2));
        wideWriter.publish();
        assertEquals(first / 2, wideReader.read(bytes, 0, first / 2));
        int accepted = 0; // fills the second half, and the first one up to the reader
        for (int count = wideWriter.append(bytes, 0, 1000); count > 0; count = wideWriter.append(bytes, 0, 1000)) {
            accepted += count;
            wideWriter.publish();
            wideWriter.clearAhead();
        }
        assertTrue(accepted < first, "accepted " + accepted);
        assertEquals(accepted, wideReader.read(bytes, 0, 64 * 1024));
        assertEquals(first, wideReader.window());
        for (int count = 1; count > 0; ) {
            count = wideWriter.append(bytes, 0, 1000);
            wideWriter.publish();
            wideWriter.clearAhead();
        }
        wideReader.read(bytes, 0, 64 * 1024);
        assertTrue(wideReader.window() > first);
    }

    @ParameterizedTest
    @CsvSource({"0, 56", "0, 16320", "16320, 120", "16256, 56"})
    void impossibleGrowth_fails(int before, int length) throws IOException {
        if (before > 0) {
            wideWriter.append(bytes, 0, before - SharedLayout.HEADER);
            wideWriter.publish();
            wideWriter.clearAhead();
            wideReader.read(bytes, 0, before);
        }
        wide.putLong(SharedLayout.ring(true, WIDE) + before, SharedLayout.header(before, length | SharedLayout.GROWS));
        assertThrows(IOException.class, () -> wideReader.read(bytes, 0, 100));
        assertEquals(SharedLayout.FIRST_WINDOW_BYTES, wideReader.window());
    }

    @Test
    void growthOfAWholeRing_fails() throws IOException {
        assertEquals(4032 - 8, writer.append(bytes, 0, 4032 - 8));
        writer.publish();
        reader.read(bytes, 0, 5000);
        memory.putLong(ring + 4032, SharedLayout.header(4032, 56 | SharedLayout.GROWS));
        assertThrows(IOException.class, () -> reader.read(bytes, 0, 100));
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
    @CsvSource({"1, 4096", "2, 4096", "3, 65536"})
    void anyWordsFromThePeer_touchNothingOutside(long seed, int size) {
        for (int round = 0; round < 150 * Integer.getInteger("verbena.seeds", 1); round++) {
            SplittableRandom random = new SplittableRandom(seed * 1_000_003 + round);
            ByteBuffer whole = ByteBuffer.allocateDirect(SharedLayout.bytes(size) + 2 * GUARD)
                    .order(ByteOrder.nativeOrder());
            ByteBuffer shared = whole.slice(GUARD, SharedLayout.bytes(size)).order(ByteOrder.nativeOrder());
            ByteBuffer target = ByteBuffer.allocateDirect(3 * GUARD);
            RingReader victimReader = new RingReader(
                    shared,
                    true,
                    size,
                    new Borrower(SharedBlocks.NONE, shared, true),
                    new DirectAccess(SharedBlocks.NONE, shared, true, false));
            RingWriter victimWriter = new RingWriter(shared, true, size);
            HostilePeer peer = new HostilePeer(random, shared, size);
            try {
                for (int step = 0; step < 200; step++) {
                    peer.disturb();
                    int got = victimReader.read(target, GUARD, 1 + random.nextInt(GUARD));
                    assertTrue(got >= 0 && got <= GUARD);
                    int put = victimWriter.append(bytes, 0, random.nextInt(2000));
                    assertTrue(put >= 0 && put <= 2000);
                    victimWriter.publish();
                    victimWriter.clearAhead();
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
}
