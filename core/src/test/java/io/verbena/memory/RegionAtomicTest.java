package io.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.verbs.AccessRight;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;

class RegionAtomicTest {

    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    private final RegionTable table = new RegionTable(new SeededRandom(3));
    private final MemorySegment memory = Arena.ofAuto().allocate(64, 64);
    private final Region region = table.register(memory, 1, EnumSet.allOf(AccessRight.class));
    private final AtomicResult result = new AtomicResult();

    private void put(long value) {
        memory.set(ValueLayout.JAVA_LONG, 8, value);
    }

    private long word() {
        return memory.get(ValueLayout.JAVA_LONG, 8);
    }

    @Test
    void fetchAndAdd_withoutMask_addsAndGivesTheOriginal() {
        put(40);
        assertEquals(AtomicOutcome.DONE, region.fetchAndAdd(8, 2, 0, result));
        assertEquals(40, result.original());
        assertEquals(42, word());
        region.fetchAndAdd(8, -43, 0, result);
        assertEquals(-1, word());
    }

    @Test
    void fetchAndAdd_withMask_carriesOutOfNoField() {
        put(0x7fff_ffff_ffff_ffffL);
        region.fetchAndAdd(8, 0x0000_0001_0000_0001L, 0x8000_0000_8000_0000L, result);
        assertEquals(0x8000_0000_0000_0000L, word());
    }

    /** Against the pseudocode of RFC 7306 section 5.1.1 [note]. */
    @Test
    void addFields_randomWords_agreesWithTheBitwiseDefinition() {
        SeededRandom random = new SeededRandom(4);
        for (int i = 0; i < 20_000; i++) {
            long a = random.nextLong();
            long b = random.nextLong();
            long mask = i % 3 == 0 ? 1L << random.nextInt(64) : i % 3 == 1 ? 0 : random.nextLong();
            assertEquals(bitwise(a, b, mask), Region.addFields(a, b, mask));
        }
    }

    private static long bitwise(long original, long addend, long mask) {
        long sum = 0;
        long carry = 0;
        for (int bit = 0; bit < 64; bit++) {
            long digit = carry + (original >>> bit & 1) + (addend >>> bit & 1);
            sum |= (digit & 1) << bit;
            carry = (mask >>> bit & 1) == 0 ? digit >> 1 : 0;
        }
        return sum;
    }

    @Test
    void compareAndSwap_maskedBitsAgree_replacesOnlySwapMask() {
        put(0x1122_3344_5566_7788L);
        assertEquals(
                AtomicOutcome.DONE,
                region.compareAndSwap(8, 0x0000_0000_0000_0088L, 0xff, 0x0a0b_0000_0000_0000L, 0xff00L << 48, result));
        assertEquals(0x1122_3344_5566_7788L, result.original());
        assertEquals(0x0a22_3344_5566_7788L, word());
    }

    @Test
    void compareAndSwap_maskedBitsDiffer_changesNothing() {
        put(0x1122_3344_5566_7788L);
        assertEquals(AtomicOutcome.DONE, region.compareAndSwap(8, 0x87, 0xff, 0, -1, result));
        assertEquals(0x1122_3344_5566_7788L, result.original());
        assertEquals(0x1122_3344_5566_7788L, word());
    }

    /** RFC 7306 sections 5.1.1 [2, 3] and 5.1.2 [3, 4]: an unaligned address is an error, memory stays. */
    @Test
    void atomic_unalignedAddress_isRefused() {
        put(5);
        for (int offset = 1; offset < 8; offset++) {
            assertEquals(AtomicOutcome.UNALIGNED, region.fetchAndAdd(8 + offset, 1, 0, result));
            assertEquals(AtomicOutcome.UNALIGNED, region.compareAndSwap(8 + offset, 0, 0, 1, -1, result));
        }
        assertEquals(5, word());
    }

    @Test
    void atomic_regionThatStartsUnaligned_goesByTheAddressThatPeersName() {
        Region odd = table.register(memory.asSlice(3, 40), 1, EnumSet.allOf(AccessRight.class));
        assertEquals(3, odd.baseAddress() & 7);
        put(5);
        assertEquals(AtomicOutcome.UNALIGNED, odd.fetchAndAdd(0, 1, 0, result));
        assertEquals(AtomicOutcome.UNALIGNED, odd.fetchAndAdd(8, 1, 0, result));
        assertEquals(AtomicOutcome.DONE, odd.fetchAndAdd(5, 1, 0, result));
        assertEquals(6, word());
    }

    @Test
    void atomics_besideTheLocalProgram_loseNoUpdate() throws InterruptedException {
        put(0);
        int rounds = 200_000;
        Thread program = Thread.ofPlatform().start(() -> {
            for (int i = 0; i < rounds; i++) {
                long _ = (long) LONG.getAndAdd(memory, 8L, 1L);
            }
        });
        AtomicResult own = new AtomicResult();
        for (int i = 0; i < rounds; i++) {
            region.fetchAndAdd(8, 1L << 32, i % 2 == 0 ? 0 : 1L << 63, own);
        }
        program.join();
        assertEquals((long) rounds << 32 | rounds, word());
    }

    @Test
    void fetchAndAdd_arenaClosed_losesTheRegion() {
        for (long mask : new long[] {0, 1L << 63}) {
            Region gone = closedRegion();
            assertEquals(AtomicOutcome.LOST, gone.fetchAndAdd(0, 1, mask, result));
            assertEquals(RegionState.LOST, gone.state());
        }
    }

    @Test
    void compareAndSwap_arenaClosed_losesTheRegion() {
        Region gone = closedRegion();
        assertEquals(AtomicOutcome.LOST, gone.compareAndSwap(0, 0, 0, 1, -1, result));
        assertEquals(RegionState.LOST, gone.state());
    }

    private Region closedRegion() {
        Arena arena = Arena.ofShared();
        Region created = table.register(arena.allocate(64, 64), 1, EnumSet.allOf(AccessRight.class));
        arena.close();
        return created;
    }
}
