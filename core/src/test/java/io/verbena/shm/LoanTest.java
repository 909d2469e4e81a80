package io.verbena.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.HeapBlocks;
import io.verbena.fixture.Seeds;
import io.verbena.memory.Backing;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Payload that the writer of a ring lends, so that the reader copies it from the region of the writer. */
class LoanTest {

    private static final int RING = 64 * 1024;
    private static final int LARGE = 40_000;
    private static final int RANDOM_STEPS = 400;

    private final ByteBuffer memory =
            ByteBuffer.allocateDirect(SharedLayout.bytes(RING)).order(ByteOrder.nativeOrder());
    private final HeapBlocks blocks = new HeapBlocks();
    private final RingWriter writer = new RingWriter(memory, true, RING);
    private final Lender lender = new Lender(blocks.table(), memory, true);
    private final Borrower borrower = new Borrower(blocks, memory, false);
    private final RingReader reader =
            new RingReader(memory, false, RING, borrower, new DirectAccess(SharedBlocks.NONE, memory, false, false));
    private final ByteBuffer target = ByteBuffer.allocateDirect(RING);
    private final LoanRecord record = new LoanRecord();

    private static MemorySegment filled(MemorySegment region, int seed) {
        for (long i = 0; i < region.byteSize(); i += Long.BYTES) {
            region.set(ValueLayout.JAVA_LONG, i, (i + seed) * 0x9e37_79b9_7f4a_7c15L);
        }
        return region;
    }

    /** Lends if it can; returns whether. */
    private boolean lend(long address, int count) throws IOException {
        int slot = lender.slotOf(address, count, writer);
        if (slot == Lender.NONE || !writer.lend(slot, lender.offset(slot, address), count)) {
            return false;
        }
        lender.lent(writer.position());
        return true;
    }

    private MemorySegment openRegion(int bytes) throws IOException {
        MemorySegment region = filled(blocks.allocate(bytes).segment(), 1);
        assertFalse(lend(region.address(), bytes));
        assertEquals(0, reader.read(target, 0, 10));
        return region;
    }

    private void assertTarget(MemorySegment region, long offset, int count) {
        assertEquals(
                -1, MemorySegment.ofBuffer(target.clear()).asSlice(0, count).mismatch(region.asSlice(offset, count)));
    }

    @Test
    void region_isAnnounced_thenLent() throws IOException {
        MemorySegment region = openRegion(LARGE);

        assertTrue(lend(region.address() + 100, LARGE - 100));

        assertTrue(reader.hasBytes());
        assertEquals(LARGE - 100, reader.read(target, 0, RING));
        assertTarget(region, 100, LARGE - 100);
    }

    @Test
    void announced_notAnsweredYet_isCopied() throws IOException {
        MemorySegment region = filled(blocks.allocate(LARGE).segment(), 1);
        assertFalse(lend(region.address(), LARGE));
        assertFalse(lend(region.address(), LARGE));
        assertEquals(0, reader.read(target, 0, 10));
        assertTrue(lend(region.address(), LARGE));
        assertEquals(1, blocks.open);
    }

    @Test
    void smallPayload_orMemoryOfNoRegion_isCopied() throws IOException {
        MemorySegment region = openRegion(LARGE);
        assertFalse(lend(region.address(), Lender.LEAST_BYTES - 1));
        assertTrue(lend(region.address(), Lender.LEAST_BYTES));
        assertFalse(lend(region.address() + LARGE, LARGE));
        assertFalse(lend(region.address() + 1, LARGE));
        assertFalse(lend(region.address() - 1, LARGE));
    }

    @Test
    void peerThatCannotOpen_isNotAskedAgain() throws IOException {
        blocks.refuses = true;
        MemorySegment region = openRegion(LARGE);
        long before = writer.position();
        assertFalse(lend(region.address(), LARGE));
        assertFalse(lend(region.address(), LARGE));
        assertEquals(before, writer.position());
    }

    @Test
    void loan_isReturned_whenAllOfItWasCopied() throws IOException {
        MemorySegment region = openRegion(LARGE);
        assertTrue(lend(region.address(), LARGE));
        lender.returned(writer.consumed());
        assertTrue(lender.out());

        assertEquals(LARGE - 1, reader.read(target, 0, LARGE - 1));
        lender.returned(writer.consumed());
        assertTrue(lender.out());

        assertEquals(1, reader.read(target, 0, 10));
        assertTrue(lender.returned(writer.consumed()));
        assertFalse(lender.out());
    }

    @Test
    void bytesBeforeLoan_areReadSeparately() throws IOException {
        MemorySegment region = openRegion(LARGE);
        writer.append(target, 0, 18);
        assertTrue(lend(region.address(), LARGE));

        assertEquals(18, reader.read(target, 0, RING));
        assertTrue(reader.stopped());
        assertEquals(LARGE, reader.read(target, 0, RING));
        assertFalse(reader.stopped());
    }

    @Test
    void withdrawn_whatIsCopied_isNotUsed() throws IOException {
        MemorySegment region = openRegion(LARGE);
        assertTrue(lend(region.address(), LARGE));
        assertEquals(1000, reader.read(target, 0, 1000));
        new SideWords(memory, true).end(SharedLayout.RESET);
        assertThrows(IOException.class, () -> reader.read(target, 0, 1000));
    }

    @Test
    void regionReleased_blockIsForgotten_andItsSlotIsFree() throws IOException {
        for (int i = 0; i < 3 * SharedLayout.SLOTS; i++) {
            Backing backing = blocks.allocate(LARGE);
            long address = backing.segment().address();
            assertFalse(lend(address, LARGE));
            assertEquals(0, reader.read(target, 0, 10));
            assertTrue(lend(address, LARGE), "region " + i);
            assertEquals(LARGE, reader.read(target, 0, RING));
            backing.giveBack().run();
            assertFalse(lend(address, LARGE));
        }
        assertEquals(0, reader.read(target, 0, 10));
        assertEquals(0, blocks.open);
    }

    @Test
    void regionReleased_loanBeforeIt_isStillCopied() throws IOException {
        Backing backing = blocks.allocate(LARGE);
        long address = filled(backing.segment(), 3).address();
        lend(address, LARGE);
        reader.read(target, 0, 10);
        assertTrue(lend(address, LARGE));
        backing.giveBack().run();
        assertFalse(lend(address, LARGE));
        assertEquals(LARGE, reader.read(target, 0, RING));
        assertTarget(backing.segment(), 0, LARGE);
    }

    @Test
    void moreRegionsThanSlots_theRestIsCopied() throws IOException {
        for (int i = 0; i <= SharedLayout.SLOTS; i++) {
            MemorySegment region = blocks.allocate(LARGE).segment();
            assertFalse(lend(region.address(), LARGE));
            assertEquals(0, reader.read(target, 0, 10));
            assertEquals(i < SharedLayout.SLOTS, lend(region.address(), LARGE));
            reader.read(target, 0, RING);
        }
        borrower.close();
        assertEquals(0, blocks.open);
    }

    @ParameterizedTest
    @CsvSource({
        "2,  0, 1,      40000",
        "2,  0, 40001,  0",
        "2,  0, -1,     0",
        "2,  0, 0,      0",
        "2,  0, 1,      -1",
        "2,  0, 1,      9223372036854775807",
        "2,  1, 1,      0",
        "2, -1, 1,      0",
        "2, 16, 1,      0",
        "1, 16, 40000,  1",
        "3, -7, 0,      0",
        "0,  0, 1,      0",
        "9,  0, 1,      0"
    })
    void hostileRecord_endsTheStream(int kind, int slot, int count, long offset) throws IOException {
        openRegion(LARGE);
        record.loan(slot, offset, count);
        int at = SharedLayout.ring(true, RING) + (int) reader.consumed();
        record.store(memory, at + SharedLayout.HEADER);
        memory.putInt(at + SharedLayout.HEADER, kind);
        long header = SharedLayout.header(reader.consumed(), LoanRecord.LENGTH | SharedLayout.LOAN);
        SharedLayout.store(memory, at, header);
        assertThrows(IOException.class, () -> reader.read(target, 0, RING));
    }

    @Test
    void hostileAnnouncements_withoutEnd_doNotHoldTheReaderUp() throws IOException {
        MemorySegment region = blocks.allocate(LARGE).segment();
        SharedBlock block = Objects.requireNonNull(blocks.table().at(region.address(), 1));
        for (int i = 0; i < 100; i++) {
            assertTrue(writer.announce(0, block));
        }
        assertEquals(0, reader.read(target, 0, 10));
        assertTrue(reader.stopped());
        assertTrue(reader.hasBytes());
        assertEquals(1, blocks.open);
    }

    /**
     * Pieces of every kind, some lent, in the order of a reference; memory is changed as soon as its loans are returned, and
     * regions come and go.
     */
    @Tag(Seeds.TAG)
    @Test
    void anyPieces_arriveAsTheyWereWhenWritten() {
        Seeds.each(4, seed -> new LoanTest().exchange(new SplittableRandom(seed)));
    }

    private void exchange(SplittableRandom random) throws IOException {
        ArrayDeque<byte[]> expected = new ArrayDeque<>();
        Backing[] regions = new Backing[3];
        int lent = 0;
        int checked = 0;
        for (int step = 0; step < RANDOM_STEPS; step++) {
            int which = random.nextInt(regions.length);
            lender.returned(writer.consumed());
            if (regions[which] == null || !lender.out() && random.nextInt(20) == 0) {
                if (regions[which] != null) {
                    regions[which].giveBack().run();
                }
                regions[which] = blocks.allocate(LARGE);
            }
            MemorySegment region = regions[which].segment();
            if (!lender.out()) {
                filled(region, random.nextInt());
            }
            int count = 1 + random.nextInt(random.nextBoolean() ? 200 : LARGE - 1);
            int from = random.nextInt(LARGE - count + 1);
            byte[] bytes = region.asSlice(from, count).toArray(ValueLayout.JAVA_BYTE);
            if (lend(region.address() + from, count)) {
                expected.add(bytes);
                lent++;
            } else {
                int done = writer.append(region.asByteBuffer(), from, count);
                writer.publish();
                writer.clearAhead();
                expected.add(Arrays.copyOf(bytes, done));
            }
            checked += take(random, expected);
        }
        assertTrue(lent > 0 && checked > 0);
    }

    /** Reads some bytes and compares them; returns how many. */
    private int take(SplittableRandom random, ArrayDeque<byte[]> expected) throws IOException {
        int count = reader.read(target, 0, 1 + random.nextInt(RING));
        int at = 0;
        while (at < count) {
            byte[] next = expected.removeFirst();
            int common = Math.min(next.length, count - at);
            for (int i = 0; i < common; i++) {
                assertEquals(next[i], target.get(at + i));
            }
            at += common;
            if (common < next.length) {
                expected.addFirst(Arrays.copyOfRange(next, common, next.length));
            }
        }
        return count;
    }
}
