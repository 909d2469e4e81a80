package io.verbena.memory;

import static io.verbena.verbs.AccessRight.REMOTE_READ;
import static io.verbena.verbs.AccessRight.REMOTE_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AccessRight;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random commands against a table and a model of two maps. */
class RegionTableModelTest {

    private static final MemorySegment MEMORY = Arena.global().allocate(4096);

    private final Map<Integer, Region> byRkey = new HashMap<>();
    private final Map<Integer, Region> byLocalKey = new HashMap<>();
    private final List<Region> open = new ArrayList<>();
    private final List<Integer> deadRkeys = new ArrayList<>();
    private final List<Integer> deadLocalKeys = new ArrayList<>();

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void commands_random_agreeWithTheModel(long seed) {
        SeededRandom random = new SeededRandom(seed);
        RegionTable table = new RegionTable(random);
        AccessCheck check = new AccessCheck();
        for (int step = 0; step < 20_000; step++) {
            // Waves: the table fills, then empties, so that it grows, shrinks and reuses.
            int registers = step / 4000 % 2 == 0 ? 45 : 15;
            int command = random.nextInt(100);
            if (command < registers || open.isEmpty()) {
                register(table, random);
            } else if (command < 60) {
                close(table, open.remove(random.nextInt(open.size())));
            } else if (command < 75) {
                renew(table, open.get(random.nextInt(open.size())));
            } else if (command < 85) {
                invalidate(table, open.get(random.nextInt(open.size())), random.nextInt(4));
            }
            for (int i = 0; i < 3; i++) {
                compareOne(table, check, random, "seed " + seed + " step " + step);
            }
        }
        assertEquals(byLocalKey.size(), table.size());
        assertEquals(byRkey.size(), table.remoteKeyCount());
        byRkey.forEach((key, region) -> assertSame(region, table.findRemote(key)));
        byLocalKey.forEach((key, region) -> assertSame(region, table.findLocal(key)));
        deadRkeys.forEach(key -> assertNull(table.findRemote(key)));
        deadLocalKeys.forEach(key -> assertNull(table.findLocal(key)));
    }

    private void register(RegionTable table, SeededRandom random) {
        long from = random.nextInt(2000);
        MemorySegment segment = MEMORY.asSlice(from, 1 + random.nextInt(2000));
        Set<AccessRight> rights = random.nextInt(2) == 0 ? Set.of(REMOTE_READ) : Set.of(REMOTE_READ, REMOTE_WRITE);
        Region region = table.register(segment, random.nextInt(3), rights);
        open.add(region);
        assertNull(byRkey.put(region.rkey(), region));
        assertNull(byLocalKey.put(region.localKey(), region));
    }

    private void close(RegionTable table, Region region) {
        byLocalKey.remove(region.localKey());
        deadLocalKeys.add(region.localKey());
        dropRkey(region);
        table.deregister(region);
        region.release();
    }

    private void renew(RegionTable table, Region region) {
        dropRkey(region);
        int key = table.renewKey(region);
        assertNull(byRkey.put(key, region));
        assertEquals(RegionState.LIVE, region.state());
    }

    private void invalidate(RegionTable table, Region region, int domain) {
        int key = region.rkey();
        Verdict expected =
                key == 0 ? Verdict.INVALID_KEY : domain == region.domain() ? Verdict.OK : Verdict.WRONG_DOMAIN;
        if (expected == Verdict.OK) {
            dropRkey(region);
        }
        assertEquals(expected, table.invalidate(key, domain));
    }

    private void dropRkey(Region region) {
        if (region.rkey() != 0) {
            byRkey.remove(region.rkey());
            deadRkeys.add(region.rkey());
        }
    }

    private void compareOne(RegionTable table, AccessCheck check, SeededRandom random, String where) {
        int key = someKey(random);
        Region expected = byRkey.get(key);
        int domain = random.nextInt(3);
        AccessRight right = random.nextInt(2) == 0 ? REMOTE_READ : REMOTE_WRITE;
        long offset = random.nextInt(2100) - 50L;
        long length = random.nextInt(2100) - (random.nextInt(20) == 0 ? 5L : 0L);
        long address = (expected == null ? 0 : expected.baseAddress()) + offset;
        Verdict verdict = check.check(table, key, domain, address, length, right);
        assertEquals(model(expected, domain, right, offset, length), verdict, where);
        if (verdict.ok()) {
            assertSame(expected, check.region(), where);
            assertEquals(offset, check.offset(), where);
        }
    }

    private int someKey(SeededRandom random) {
        return switch (random.nextInt(4)) {
            case 0 -> deadRkeys.isEmpty() ? 0 : deadRkeys.get(random.nextInt(deadRkeys.size()));
            case 1 -> random.nextInt();
            default ->
                open.isEmpty() ? 0 : open.get(random.nextInt(open.size())).rkey();
        };
    }

    private static Verdict model(@Nullable Region region, int domain, AccessRight right, long offset, long length) {
        if (region == null) {
            return Verdict.INVALID_KEY;
        }
        if (region.domain() != domain) {
            return Verdict.WRONG_DOMAIN;
        }
        if (!region.rights().contains(right)) {
            return Verdict.NO_RIGHT;
        }
        boolean inside = offset >= 0 && length >= 0 && offset + length <= region.length();
        return inside ? Verdict.OK : Verdict.BOUNDS;
    }

    @ParameterizedTest
    @ValueSource(longs = {11, 12})
    void retiredKeys_random_holdTheLast65536_andFewOthers(long seed) {
        SeededRandom random = new SeededRandom(seed);
        RetiredKeys retired = new RetiredKeys();
        Deque<Integer> last = new ArrayDeque<>();
        int taken = 0;
        for (int i = 0; i < 4 * RetiredKeys.GENERATION; i++) {
            int key = random.nextInt();
            retired.add(key);
            last.add(key);
            if (last.size() > RetiredKeys.GENERATION) {
                last.remove();
            }
            if (i % 10_000 == 0) {
                last.forEach(each -> assertTrue(retired.mayContain(each)));
            }
            taken += retired.mayContain(random.nextInt()) ? 1 : 0;
        }
        assertTrue(taken < 4 * RetiredKeys.GENERATION / 8, () -> "others are taken for dead too often");
    }

    @ParameterizedTest
    @ValueSource(longs = {13})
    void readers_whileTheTableChanges_alwaysFindWhatIsThere(long seed) throws InterruptedException {
        RegionTable table = new RegionTable(new SeededRandom(seed));
        Region kept = table.register(MEMORY, 1, Set.of(REMOTE_READ));
        Region closed = table.register(MEMORY, 1, Set.of(REMOTE_READ));
        int dead = closed.rkey();
        table.deregister(closed);
        AtomicBoolean stop = new AtomicBoolean();
        Thread writer = Thread.ofPlatform().start(() -> {
            SeededRandom random = new SeededRandom(seed + 1);
            for (int i = 0; i < 100_000; i++) {
                if (open.isEmpty() || random.nextInt(100) < (i / 20_000 % 2 == 0 ? 70 : 30)) {
                    open.add(table.register(MEMORY, 1, Set.of(REMOTE_READ)));
                } else {
                    table.deregister(open.remove(random.nextInt(open.size())));
                }
            }
            stop.set(true);
        });
        int key = kept.rkey();
        while (!stop.get()) {
            for (int i = 0; i < 1000; i++) {
                assertSame(kept, table.findRemote(key));
                assertSame(kept, table.findLocal(kept.localKey()));
                assertNotSame(closed, table.findRemote(dead));
            }
        }
        writer.join();
    }
}
