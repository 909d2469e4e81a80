package io.verbena.memory;

import static io.verbena.verbs.AccessRight.LOCAL_WRITE;
import static io.verbena.verbs.AccessRight.REMOTE_ATOMIC;
import static io.verbena.verbs.AccessRight.REMOTE_READ;
import static io.verbena.verbs.AccessRight.REMOTE_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AccessRight;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AccessCheckTest {

    private static final int DOMAIN = 7;
    private static final int BYTES = 10_000;

    private final RegionTable table = new RegionTable(new SeededRandom(1));
    private final Region region =
            table.register(new OffHeapMemory().allocate(BYTES), DOMAIN, Set.of(LOCAL_WRITE, REMOTE_READ, REMOTE_WRITE));
    private final long base = region.baseAddress();
    private final AccessCheck check = new AccessCheck();

    private Verdict remote(long address, long length) {
        return check.check(table, region.rkey(), DOMAIN, address, length, REMOTE_WRITE);
    }

    @Test
    void check_wholeRegion_givesRegionAndOffset() {
        assertEquals(Verdict.OK, remote(base, BYTES));
        assertSame(region, check.region());
        assertEquals(0, check.offset());
        assertEquals(Verdict.OK, remote(base + 9_999, 1));
        assertEquals(9_999, check.offset());
    }

    @Test
    void check_everyEdge_isExact() {
        for (long start = -2; start <= 2; start++) {
            for (long end = BYTES - 2; end <= BYTES + 2; end++) {
                Verdict expected = start >= 0 && end <= BYTES ? Verdict.OK : Verdict.BOUNDS;
                assertEquals(expected, remote(base + start, end - start), start + " to " + end);
                assertEquals(
                        expected,
                        check.checkLocal(table, region.localKey(), DOMAIN, 7, start, end - start, true),
                        start + " to " + end);
            }
        }
    }

    @Test
    void check_zeroLength_passesUpToTheEndOfTheRegion() {
        assertEquals(Verdict.OK, remote(base, 0));
        assertEquals(Verdict.OK, remote(base + BYTES, 0));
        assertEquals(BYTES, check.offset());
        assertEquals(Verdict.BOUNDS, remote(base + BYTES + 1, 0));
        assertEquals(Verdict.BOUNDS, remote(base - 1, 0));
        assertEquals(Verdict.BOUNDS, remote(-1, 0));
    }

    /** Address plus length overflows: CVE-2016-8636 was such a check. */
    @Test
    void check_addressPlusLengthOverflows_isRefused() {
        assertEquals(Verdict.WRAPS, remote(-1, 2));
        assertEquals(Verdict.WRAPS, remote(-100, 200));
        assertEquals(Verdict.BOUNDS, remote(base, -1), "no length");
        assertEquals(Verdict.BOUNDS, remote(-1, 1), "ends at 2^64 exactly");
        assertEquals(Verdict.BOUNDS, remote(base, Long.MAX_VALUE));
        assertEquals(Verdict.BOUNDS, remote(base + Long.MAX_VALUE, 1));
        assertEquals(Verdict.BOUNDS, remote(base + 100 + Long.MIN_VALUE, 1));
        assertEquals(Verdict.BOUNDS, remote(base, Long.MIN_VALUE));
        assertEquals(Verdict.BOUNDS, remote(0, 1));
        assertEquals(Verdict.BOUNDS, remote(0xffff_ffffL & base, 1), "the low half of the right address");
        assertEquals(
                Verdict.BOUNDS,
                check.checkLocal(table, region.localKey(), DOMAIN, 7, Long.MAX_VALUE, Long.MAX_VALUE, false));
        assertEquals(
                Verdict.BOUNDS, check.checkLocal(table, region.localKey(), DOMAIN, 7, 100, Long.MAX_VALUE - 50, false));
        assertEquals(Verdict.BOUNDS, check.checkLocal(table, region.localKey(), DOMAIN, 7, 0, -1, false));
    }

    @Test
    void check_above2GiB_isExact(@TempDir Path folder) throws IOException {
        long bytes = 5L << 30;
        Backing sparse = MappedFiles.map(folder.resolve("sparse"), 0, bytes, true);
        Region large = table.register(sparse, DOMAIN, Set.of(REMOTE_READ));
        long address = large.baseAddress() + bytes - 1;
        assertEquals(Verdict.OK, check.check(table, large.rkey(), DOMAIN, address, 1, REMOTE_READ));
        assertEquals(bytes - 1, check.offset());
        assertEquals(Verdict.BOUNDS, check.check(table, large.rkey(), DOMAIN, address, 2, REMOTE_READ));
        assertEquals(Verdict.OK, check.check(table, large.rkey(), DOMAIN, large.baseAddress(), bytes, REMOTE_READ));
    }

    @Test
    void check_anotherDomain_isRefusedBeforeAnythingElse() {
        assertEquals(Verdict.WRONG_DOMAIN, check.check(table, region.rkey(), 8, base - 1, 1, REMOTE_ATOMIC));
        assertEquals(Verdict.WRONG_DOMAIN, check.checkLocal(table, region.localKey(), 8, 7, -1, 1, false));
    }

    @Test
    void check_missingRight_isRefused() {
        assertEquals(Verdict.OK, check.check(table, region.rkey(), DOMAIN, base, 8, REMOTE_READ));
        assertEquals(Verdict.NO_RIGHT, check.check(table, region.rkey(), DOMAIN, base, 8, REMOTE_ATOMIC));
        Region readable = table.register(new OffHeapMemory().allocate(64), DOMAIN, Set.of());
        for (AccessRight right : AccessRight.values()) {
            assertEquals(
                    Verdict.NO_RIGHT,
                    check.check(table, readable.rkey(), DOMAIN, readable.baseAddress(), 1, right),
                    right.name());
        }
        assertEquals(Verdict.NO_RIGHT, check.checkLocal(table, readable.localKey(), DOMAIN, 7, 0, 1, true));
        assertEquals(Verdict.OK, check.checkLocal(table, readable.localKey(), DOMAIN, 7, 0, 1, false));
    }

    /** STag 0 is never valid, and neither are the keys next to a valid one. */
    @Test
    void check_keyZeroOrGuessed_isRefused() {
        assertEquals(Verdict.INVALID_KEY, check.check(table, 0, DOMAIN, base, 1, REMOTE_READ));
        assertEquals(Verdict.INVALID_KEY, check.checkLocal(table, 0, DOMAIN, 7, 0, 1, false));
        for (int bit = 0; bit < 32; bit++) {
            int key = region.rkey() ^ 1 << bit;
            assertEquals(Verdict.INVALID_KEY, check.check(table, key, DOMAIN, base, 1, REMOTE_READ));
            int local = region.localKey() ^ 1 << bit;
            assertEquals(Verdict.INVALID_KEY, check.checkLocal(table, local, DOMAIN, 7, 0, 1, false));
        }
    }

    @Test
    void check_lostRegion_saysLostToPeersAndLocalWork() {
        region.markLost("the disk was pulled out");
        assertEquals(Verdict.LOST, remote(base, 1));
        assertEquals(Verdict.LOST, check.checkLocal(table, region.localKey(), DOMAIN, 7, 0, 1, false));
    }

    @Test
    void region_beforeAnyCheck_isMisuse() {
        assertThrows(IllegalStateException.class, new AccessCheck()::region);
    }

    @Test
    void check_hot_allocatesNothing() {
        int key = region.rkey();
        int localKey = region.localKey();
        long bytes = Allocation.bytesOf(50_000, () -> {
            check.check(table, key, DOMAIN, base + 5, 100, REMOTE_READ);
            check.checkLocal(table, localKey, DOMAIN, 7, 5, 100, true);
            check.check(table, key + 1, DOMAIN, base, 100, REMOTE_READ);
        });
        assertTrue(bytes < 50_000, () -> bytes + " bytes in 50,000 rounds");
    }
}
