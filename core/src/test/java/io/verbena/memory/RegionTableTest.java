package io.verbena.memory;

import static io.verbena.verbs.AccessRight.LOCAL_WRITE;
import static io.verbena.verbs.AccessRight.REMOTE_READ;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AccessRight;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RegionTableTest {

    private static final Set<AccessRight> READ = Set.of(REMOTE_READ);

    @TempDir
    Path folder;

    private final RegionTable table = new RegionTable(new SeededRandom(5));
    private final AccessCheck check = new AccessCheck();

    private Region register(long bytes) {
        return table.register(new OffHeapMemory().allocate(bytes), 1, READ);
    }

    private Verdict access(Region region, int rkey) {
        return check.check(table, rkey, 1, region.baseAddress(), 1, REMOTE_READ);
    }

    private Verdict local(int localKey) {
        return check.checkLocal(table, localKey, 1, 7, 0, 1, false);
    }

    @Test
    void register_memoryThatAnRnicCannotReach_isRefusedWithASentence() {
        refused(MemorySegment.ofArray(new byte[100]), READ, "Java heap");
        refused(MemorySegment.NULL, READ, "empty");
        try (Arena confined = Arena.ofConfined()) {
            refused(confined.allocate(100), READ, "confined");
        }
        Arena shared = Arena.ofShared();
        MemorySegment closed = shared.allocate(100);
        shared.close();
        refused(closed, READ, "closed");
        MemorySegment readOnly = Arena.ofAuto().allocate(100).asReadOnly();
        for (AccessRight right : Set.of(AccessRight.REMOTE_WRITE, AccessRight.REMOTE_ATOMIC, AccessRight.LOCAL_WRITE)) {
            refused(readOnly, Set.of(right, REMOTE_READ), "read-only");
        }
        assertEquals(0, table.size());
        table.register(readOnly, 1, READ);
    }

    @Test
    void register_memoryOfTheUser_isSteadyUnlessItsArenaCanBeClosed() {
        assertTrue(table.register(Arena.ofAuto().allocate(100), 1, READ).steady());
        assertTrue(table.register(Arena.global().allocate(100), 1, READ).steady());
        assertTrue(table.register(MemorySegment.ofBuffer(ByteBuffer.allocateDirect(100)), 1, READ)
                .steady());
        try (Arena shared = Arena.ofShared()) {
            assertFalse(table.register(shared.allocate(100), 1, READ).steady());
        }
    }

    private void refused(MemorySegment segment, Set<AccessRight> rights, String why) {
        IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> table.register(segment, 1, rights));
        assertTrue(String.valueOf(e.getMessage()).contains(why), e.getMessage());
    }

    @Test
    void register_manyRegions_theirAddressesAreOpaqueAndApart() {
        long end = 1L << 32;
        for (int i = 1; i < 50; i++) {
            Region region = register(i * 10_000L);
            assertEquals(0, region.baseAddress() & 0xffff);
            assertTrue(region.baseAddress() >= end + (1 << 16) || i == 1);
            assertTrue(region.baseAddress() > 1L << 32);
            end = region.baseAddress() + region.length();
        }
    }

    @Test
    void register_tableFull_isRefusedUntilOneIsClosed() {
        RegionTable small = new RegionTable(new SeededRandom(6), 2);
        Region first = small.register(new OffHeapMemory().allocate(1), 1, READ);
        small.register(new OffHeapMemory().allocate(1), 1, READ);
        assertThrows(IllegalStateException.class, () -> small.register(new OffHeapMemory().allocate(1), 1, READ));
        small.deregister(first);
        small.register(new OffHeapMemory().allocate(1), 1, READ);
        assertEquals(2, small.size());
    }

    @Test
    void table_limitOutOfRange_isRefused() {
        assertThrows(IllegalArgumentException.class, () -> new RegionTable(new SeededRandom(6), 0));
        assertThrows(
                IllegalArgumentException.class,
                () -> new RegionTable(new SeededRandom(6), RegionTable.MAX_REGIONS + 1));
        assertEquals(0, new RegionTable(new SeededRandom(6), RegionTable.MAX_REGIONS).size());
        assertEquals((1 << 20) - 1, RegionTable.MAX_REGIONS);
    }

    @Test
    void rights_ofARegion_areThoseOfItsRegistration_untilWritingIsWithdrawn() {
        Set<AccessRight> rights = Set.of(REMOTE_READ, LOCAL_WRITE, AccessRight.REMOTE_WRITE);
        Region region = table.register(new OffHeapMemory().allocate(64), 1, rights);
        assertEquals(rights, region.rights());
        assertTrue(region.allows(LOCAL_WRITE));
        assertFalse(region.allows(AccessRight.BIND));
        assertEquals(64, region.length());
        assertEquals(1, region.domain());
        assertTrue(region.pinned());
        assertEquals("", region.lostReason());
        region.withdrawWriting();
        assertEquals(READ, region.rights());
        assertEquals(
                Verdict.NO_RIGHT,
                check.check(table, region.rkey(), 1, region.baseAddress(), 1, AccessRight.REMOTE_WRITE));
        assertEquals(Verdict.OK, access(region, region.rkey()));
    }

    @Test
    void lostRegion_isLostForPeers_andStaysClosedOnceClosed() {
        Region region = register(10);
        int rkey = region.rkey();
        region.markLost("the disk was pulled out");
        assertEquals(Verdict.LOST, access(region, rkey));
        assertThrows(IllegalStateException.class, () -> table.renewKey(region));
        table.invalidate(rkey, 1);
        assertEquals(RegionState.LOST, region.state(), "an invalidation does not hide the loss");
        table.deregister(region);
        region.markLost("later");
        assertEquals(RegionState.CLOSED, region.state());
        assertEquals("the disk was pulled out", region.lostReason());
    }

    @Test
    void invalidatedRegion_renewedAfterItWasLost_isRefused_andALiveOneKeepsItsState() {
        Region region = register(10);
        table.renewKey(region);
        assertEquals(RegionState.LIVE, region.state());
        table.invalidate(region.rkey(), 1);
        region.markLost("gone");
        assertEquals(RegionState.LOST, region.state());
        assertThrows(IllegalStateException.class, () -> table.renewKey(region));
    }

    @Test
    void present_ofMemoryThatMayFail_isAskedForEveryPage() throws IOException {
        Path file = folder.resolve("half");
        Region region = table.register(MappedFiles.map(file, 0, 100_000, true), 1, READ);
        assertTrue(region.present(0, 100_000));
        assertTrue(region.present(99_999, 1));
        assertTrue(region.present(100_000, 0));
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(8192);
        }
        assertTrue(region.present(0, 8192));
        assertEquals(RegionState.LIVE, region.state());
        assertFalse(region.present(4096, 50_000));
        assertEquals(RegionState.LOST, region.state());
        assertTrue(register(10).present(5, 5), "memory of our own is always present");
    }

    @Test
    void register_sourceOfZeros_isRefusedInsteadOfGivingAWeakKey() {
        RegionTable weak = new RegionTable(() -> 0);
        assertThrows(IllegalStateException.class, () -> weak.register(new OffHeapMemory().allocate(1), 1, READ));
        RegionTable stuck = new RegionTable(() -> 0x1234_5678_9abc_def0L);
        Region only = stuck.register(new OffHeapMemory().allocate(1), 1, READ);
        assertThrows(IllegalStateException.class, () -> stuck.renewKey(only));
        stuck.deregister(only);
        assertThrows(
                IllegalStateException.class,
                () -> stuck.register(new OffHeapMemory().allocate(1), 1, READ),
                "a key that died is not given out again soon");
    }

    @Test
    void deregister_oldKeys_neverMatchAgain() {
        Region region = register(10);
        int rkey = region.rkey();
        int localKey = region.localKey();
        table.deregister(region);
        assertEquals(Verdict.INVALID_KEY, access(region, rkey));
        assertEquals(Verdict.INVALID_KEY, local(localKey));
        assertEquals(0, region.rkey());
        assertThrows(IllegalStateException.class, () -> table.deregister(region));
        assertThrows(IllegalStateException.class, () -> table.renewKey(region));
        for (int i = 0; i < 1_000; i++) {
            Region other = register(10);
            assertNotEquals(localKey, other.localKey());
            assertNotEquals(rkey, other.rkey());
            table.deregister(other);
        }
        assertEquals(Verdict.INVALID_KEY, local(localKey));
    }

    @Test
    void release_beforeDeregistration_isMisuse() {
        Region region = register(10);
        assertThrows(IllegalStateException.class, region::release);
    }

    @Test
    void release_largeRegion_freesItsMemory() {
        Region region = register(OffHeapMemory.FREED_AT_ONCE_BYTES);
        table.deregister(region);
        region.release();
        region.release();
        assertEquals(false, region.segment().scope().isAlive());
    }

    @Test
    void invalidate_byItsKey_endsItForPeersOnly() {
        Region region = register(10);
        int rkey = region.rkey();
        assertEquals(Verdict.WRONG_DOMAIN, table.invalidate(rkey, 2));
        assertEquals(Verdict.OK, access(region, rkey));
        assertEquals(Verdict.OK, table.invalidate(rkey, 1));
        assertEquals(RegionState.INVALIDATED, region.state());
        assertEquals(Verdict.INVALID_KEY, access(region, rkey));
        assertEquals(Verdict.OK, local(region.localKey()));
        assertEquals(Verdict.INVALID_KEY, table.invalidate(rkey, 1));
        assertEquals(Verdict.INVALID_KEY, table.invalidate(0, 1));
    }

    @Test
    void renewKey_liveOrInvalidated_onlyTheNewKeyMatches() {
        Region region = register(10);
        int first = region.rkey();
        int second = table.renewKey(region);
        assertNotEquals(first, second);
        assertEquals(Verdict.INVALID_KEY, access(region, first));
        assertEquals(Verdict.OK, access(region, second));
        table.invalidate(second, 1);
        int third = table.renewKey(region);
        assertEquals(RegionState.LIVE, region.state());
        assertEquals(Verdict.INVALID_KEY, access(region, second));
        assertEquals(Verdict.OK, access(region, third));
        assertEquals(1, table.remoteKeyCount());
    }

    @Test
    void rkeys_tenThousand_useAllBitsAndAreSparse() {
        int ones = 0;
        int zeros = 0;
        Set<Integer> keys = new HashSet<>();
        Region region = register(10);
        for (int i = 0; i < 10_000; i++) {
            int key = table.renewKey(region);
            assertTrue(keys.add(key));
            ones |= key;
            zeros |= ~key;
        }
        assertEquals(-1, ones);
        assertEquals(-1, zeros);
        assertTrue(keys.stream().filter(key -> keys.contains(key + 1)).count() < 5);
    }

    @Test
    void stateDigest_sameSeedSameDigest_andEveryChangeChangesIt() {
        assertEquals(digestsOf(9), digestsOf(9));
        assertEquals(5, digestsOf(9).size());
        assertNotEquals(digestsOf(9), digestsOf(10));
    }

    private static Set<Long> digestsOf(long seed) {
        RegionTable one = new RegionTable(new SeededRandom(seed));
        Set<Long> digests = new HashSet<>();
        digests.add(one.stateDigest());
        Region region = one.register(new OffHeapMemory().allocate(100), 1, Set.of(REMOTE_READ, LOCAL_WRITE));
        digests.add(one.stateDigest());
        one.renewKey(region);
        digests.add(one.stateDigest());
        one.invalidate(region.rkey(), 1);
        digests.add(one.stateDigest());
        one.deregister(region);
        digests.add(one.stateDigest());
        return digests;
    }
}
