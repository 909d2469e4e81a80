package io.verbena.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Memory in huge pages, on a system that refuses what the test wants. */
class HugeMemoryTest {

    private static final long HUGE = HugeMemory.PAGE_BYTES;
    private static final long MOST = 1L << 40;
    private static final int ENOMEM = 12;
    private static final int EFAULT = 14;

    private final FakeCalls calls = new FakeCalls();
    private final HugeMemory memory = new HugeMemory(Optional.of(calls), MOST);

    /** Address ranges without memory, except for one that a test lends. */
    private static final class FakeCalls implements MemoryCalls {
        final TreeMap<Long, Long> mapped = new TreeMap<>();
        final List<String> log = new ArrayList<>();
        long next = (1L << 40) + 12 * 4096;
        long refuseMap;
        long refuseFile;
        long refuseHuge;
        long refusePopulate;
        long refuseCollapse;
        long collapsed;

        @Override
        public long map(long address, long bytes, int protection, int flags, int fd) {
            if (fd != NO_FILE) {
                log.add("file " + bytes + ((flags & MAP_POPULATE) != 0 ? " with pages" : ""));
                assertTrue((flags & MAP_FIXED) != 0);
                assertEquals(0, address % HUGE);
                return refuseFile < 0 ? refuseFile : address;
            }
            if (refuseMap < 0) {
                return refuseMap;
            }
            long at = next;
            next += bytes + 4096;
            mapped.put(at, at + bytes);
            return at;
        }

        @Override
        public long unmap(long address, long bytes) {
            var mapping = Objects.requireNonNull(mapped.floorEntry(address));
            long from = mapping.getKey();
            long to = mapping.getValue();
            mapped.remove(from);
            assertTrue(address + bytes <= to, "more than is mapped");
            if (from < address) {
                mapped.put(from, address);
            }
            if (address + bytes < to) {
                mapped.put(address + bytes, to);
            }
            return 0;
        }

        @Override
        public long advise(long address, long bytes, int advice) {
            assertEquals(0, address % 4096);
            return switch (advice) {
                case MADV_HUGEPAGE -> {
                    log.add("huge " + bytes);
                    yield refuseHuge;
                }
                case MADV_POPULATE_WRITE -> {
                    log.add("populate " + bytes);
                    yield refusePopulate;
                }
                case MADV_COLLAPSE -> {
                    log.add("collapse " + bytes);
                    if (refuseCollapse == 0) {
                        collapsed += bytes;
                    }
                    yield refuseCollapse;
                }
                default -> throw new AssertionError("advice " + advice);
            };
        }
    }

    // Anonymous memory.

    @ParameterizedTest
    @ValueSource(longs = {HUGE, HUGE + 1, 3 * HUGE - 1, (2L << 30) + 4097, 5L << 30})
    void memoryOfAnyLength_isAligned_advisedAndPopulatedInOrder_andFreedWhole(long bytes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment segment = memory.allocate(bytes, 4096, arena);
            assertEquals(bytes, segment.byteSize());
            assertEquals(0, segment.address() % HUGE);
            assertEquals("huge " + bytes, calls.log.getFirst());
            long populated = calls.log.stream()
                    .filter(it -> it.startsWith("populate"))
                    .mapToLong(it -> Long.parseLong(it.substring(9)))
                    .sum();
            assertTrue(populated >= bytes && populated < bytes + 65536, calls.log.toString());
            assertEquals(1, calls.mapped.size(), "what precedes and follows the memory is unmapped");
        }
        assertTrue(calls.mapped.isEmpty(), calls.mapped.toString());
    }

    @Test
    void population_ofMuchMemory_isReportedPieceByPiece() {
        long bytes = 100L << 20;
        List<Long> reports = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            memory.allocate(bytes, 4096, arena, reports::add);
        }
        assertEquals(List.of(32L << 20, 64L << 20, 96L << 20, bytes), reports);
    }

    @Test
    void reservedMemory_getsNoPages() {
        try (Arena arena = Arena.ofConfined()) {
            memory.reserve(64L << 30, 4096, arena);
            assertEquals(List.of("huge " + (64L << 30)), calls.log);
        }
        assertTrue(calls.mapped.isEmpty());
    }

    @Test
    void lessThanAHugePage_isOfTheJdk() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment segment = memory.allocate(HUGE - 1, 4096, arena);
            assertEquals(0, segment.address() % 4096);
            assertEquals(0, segment.get(ValueLayout.JAVA_BYTE, HUGE - 2));
            memory.advise(segment);
        }
        assertEquals(List.of(), calls.log);
    }

    @Test
    void withoutCalls_isOfTheJdk() {
        HugeMemory none = new HugeMemory(Optional.empty(), MOST);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment segment = none.allocate(HUGE + 3, 4096, arena);
            assertEquals(0, segment.get(ValueLayout.JAVA_BYTE, HUGE + 2));
            assertEquals(HUGE, none.reserve(HUGE, 4096, arena).byteSize());
            none.advise(segment);
            assertTrue(none.mapFile(3, HUGE, true, true) < 0);
            none.collapse(3, HUGE, _ -> {
                throw new AssertionError("no page is needed");
            });
        }
    }

    @Test
    void systemMapsNothing_isOfTheJdk() {
        calls.refuseMap = -ENOMEM;
        try (Arena arena = Arena.ofConfined()) {
            assertEquals(0, memory.allocate(HUGE, 4096, arena).get(ValueLayout.JAVA_BYTE, HUGE - 1));
        }
        assertEquals(List.of(), calls.log);
    }

    @Test
    void beyondTheLimit_isOfTheJdk_untilOtherMemoryIsFreed() {
        HugeMemory little = new HugeMemory(Optional.of(calls), 3 * HUGE);
        try (Arena first = Arena.ofConfined();
                Arena second = Arena.ofConfined()) {
            little.allocate(2 * HUGE, 4096, first);
            calls.log.clear();
            little.allocate(2 * HUGE, 4096, second);
            assertEquals(List.of(), calls.log);
            assertEquals(1, calls.mapped.size());
        }
        try (Arena third = Arena.ofConfined()) {
            little.allocate(3 * HUGE, 4096, third);
            assertEquals(1, calls.mapped.size());
        }
        assertTrue(calls.mapped.isEmpty());
    }

    @Test
    void noHugePages_memoryIsPopulatedNevertheless() {
        calls.refuseHuge = -MemoryCalls.EINVAL;
        try (Arena arena = Arena.ofConfined()) {
            memory.allocate(HUGE, 4096, arena);
        }
        assertEquals(List.of("huge " + HUGE, "populate " + HUGE), calls.log);
    }

    @ParameterizedTest
    @ValueSource(ints = {ENOMEM, EFAULT})
    void populationFails_firstAccessDecides(int reason) {
        calls.refusePopulate = -reason;
        try (Arena arena = Arena.ofConfined()) {
            memory.allocate(64 * HUGE, 4096, arena);
            assertEquals(2, calls.log.size(), "it is not tried again: " + calls.log);
        }
        assertTrue(calls.mapped.isEmpty());
    }

    @Test
    void arenaIsClosed_nothingRemainsMapped() {
        Arena arena = Arena.ofConfined();
        arena.close();
        assertThrows(IllegalStateException.class, () -> memory.reserve(HUGE, 4096, arena));
        assertTrue(calls.mapped.isEmpty());
    }

    // Files.

    @Test
    void file_isMappedAtAMultipleOfTheHugePage_andUnmappedWhole() {
        long address = memory.mapFile(3, HUGE + 4096, true, true);
        assertEquals(0, address % HUGE);
        assertEquals(List.of("file " + (HUGE + 4096) + " with pages", "huge " + (HUGE + 4096)), calls.log);
        memory.unmap(address, HUGE + 4096);
        assertTrue(calls.mapped.isEmpty());
    }

    @Test
    void fileCannotBeMapped_addressesAreFree() {
        calls.refuseFile = -ENOMEM;
        assertEquals(-ENOMEM, memory.mapFile(3, HUGE, true, false));
        assertTrue(calls.mapped.isEmpty());
    }

    @Test
    void collapse_asksForWholeHugePages_withOneSmallPageEach() {
        List<Long> first = new ArrayList<>();
        memory.collapse(3, 20 * HUGE + 4096, at -> {
            first.add(at);
            return 0;
        });
        assertEquals(20, first.size());
        assertEquals(19 * HUGE, first.getLast());
        assertEquals(20 * HUGE, calls.collapsed);
        assertTrue(calls.mapped.isEmpty());
    }

    @Test
    void systemDoesNotCollapse_itIsAskedOnce() {
        calls.refuseCollapse = -MemoryCalls.EINVAL;
        memory.collapse(3, 1000 * HUGE, _ -> 0);
        assertEquals(
                1, calls.log.stream().filter(it -> it.startsWith("collapse")).count());
        assertTrue(calls.mapped.isEmpty());
    }

    @Test
    void noFirstPage_endsCollapse() {
        memory.collapse(3, 4 * HUGE, at -> at == 2 * HUGE ? -ENOMEM : 0);
        assertEquals(0, calls.collapsed);
        assertFalse(calls.log.stream().anyMatch(it -> it.startsWith("collapse")));
        assertTrue(calls.mapped.isEmpty());
    }
}
