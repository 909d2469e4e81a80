package io.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.Slab;
import io.verbena.fixture.Rounds;
import io.verbena.verbs.AccessRight;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RegionCopyTest {

    private static final EnumSet<AccessRight> ALL = EnumSet.allOf(AccessRight.class);
    private static final int MEBIBYTE = 1 << 20;

    /** Accesses of a kind to memory that is gone. The code was compiled before, by the 12,000 that succeed: the first one tells. */
    private static final int FAULTS = Rounds.of(300, 3_000);

    private final RegionTable table = new RegionTable(new SeededRandom(2));
    private final Slab slab = new Slab(MEBIBYTE);
    private final MemorySegment slabBytes = slab.segment();

    @TempDir
    Path folder;

    @Test
    void copy_inThenOut_givesTheSameBytes() {
        Region region = table.register(new OffHeapMemory().allocate(5000), 1, ALL);
        slabBytes.setString(100, "through the region");
        assertEquals(CopyResult.DONE, region.copyIn(4000, slabBytes, 100, 19));
        assertEquals(CopyResult.DONE, region.copyOut(4000, slabBytes, 500, 19));
        assertEquals("through the region", slabBytes.getString(500));
        assertEquals("through the region", region.segment().getString(4000));
        assertEquals(CopyResult.DONE, region.copyIn(5000, slabBytes, 0, 0), "nothing, at the very end");
    }

    @Test
    void copy_hot_allocatesNothing() {
        Region ours = table.register(new OffHeapMemory().allocate(5000), 1, ALL);
        Region users = table.register(Arena.ofAuto().allocate(5000), 1, ALL);
        AtomicResult result = new AtomicResult();
        long bytes = Allocation.bytesOf(50_000, () -> {
            ours.copyIn(100, slabBytes, 0, 40);
            ours.copyOut(100, slabBytes, 0, 1500);
            users.copyIn(100, slabBytes, 0, 1500);
            users.copyOut(100, slabBytes, 0, 40);
            users.fetchAndAdd(8, 1, 0, result);
            ours.compareAndSwap(8, 0, 0, 1, -1, result);
            users.directView(1, 3, 1000);
            Region.publish();
        });
        assertTrue(bytes < 50_000, () -> bytes + " bytes in 50,000 rounds");
    }

    @Test
    void copy_arenaClosed_losesTheRegionOnce() {
        Arena arena = Arena.ofShared();
        Region region = table.register(arena.allocate(100), 1, ALL);
        arena.close();
        assertEquals(CopyResult.LOST, region.copyIn(0, slabBytes, 0, 10));
        assertEquals(RegionState.LOST, region.state());
        String reason = region.lostReason();
        assertTrue(reason.contains("arena"), reason);
        assertEquals(CopyResult.LOST, region.copyOut(0, slabBytes, 0, 10));
        region.markLost("another reason");
        assertSame(reason, region.lostReason());
        assertEquals(AtomicOutcome.LOST, region.fetchAndAdd(0, 1, 0, new AtomicResult()));
        assertThrows(IllegalStateException.class, () -> table.renewKey(region));
        table.deregister(region);
        region.release();
        assertEquals(RegionState.CLOSED, region.state());
    }

    @Test
    void copy_arenaClosedByAnotherThreadMeanwhile_losesTheRegionAndNothingElse() throws Exception {
        for (int round = 0; round < 20; round++) {
            Arena arena = Arena.ofShared();
            Region region = table.register(arena.allocate(MEBIBYTE), 1, ALL);
            CountDownLatch running = new CountDownLatch(1);
            AtomicReference<Throwable> failure = new AtomicReference<>();
            int size = round % 2 == 0 ? 40 : MEBIBYTE;
            Thread engine = Thread.ofPlatform().start(() -> {
                try {
                    while (region.copyIn(0, slabBytes, 0, size) == CopyResult.DONE
                            && region.copyOut(0, slabBytes, 0, size) == CopyResult.DONE) {
                        running.countDown();
                    }
                } catch (Throwable e) {
                    failure.set(e);
                }
            });
            running.await();
            arena.close();
            engine.join();
            assertEquals(null, failure.get());
            assertEquals(RegionState.LOST, region.state());
        }
    }

    /**
     * The error of an inaccessible page reaches compiled code late. If it escaped from the copy, it would occur
     * elsewhere in this test.
     */
    @Test
    void copy_fileTruncated_isLostAtOnceAlsoInCompiledCode() throws IOException {
        int[] sizes = {1, 3, 8, 40, 63, 64, 65, 500, 4096, 65_536, 500_000};
        Path file = folder.resolve("truncated");
        for (int round = 0; round < 3; round++) {
            Region region = table.register(MappedFiles.map(file, 0, MEBIBYTE, true), 1, ALL);
            for (int i = 0; i < 12_000; i++) {
                int size = sizes[i % (i % 64 == 0 ? sizes.length : 8)];
                assertEquals(CopyResult.DONE, region.copyIn(0, slabBytes, 0, size));
                assertEquals(CopyResult.DONE, region.copyOut(i, slabBytes, 0, size));
            }
            truncate(file);
            long work = 0;
            for (int i = 0; i < FAULTS; i++) {
                for (int size : sizes) {
                    assertSame(CopyResult.LOST, region.copyOut(8192, slabBytes, 0, size));
                    work += innocent(i);
                    assertSame(CopyResult.LOST, region.copyIn(8192, slabBytes, 0, size));
                    work += innocent(i);
                }
            }
            assertEquals((long) FAULTS * sizes.length * 2 * 45 * (FAULTS - 1) / 2, work);
            assertTrue(region.lostReason().contains("truncated"), region.lostReason());
        }
    }

    @Test
    void atomics_fileTruncated_areLostAtOnce() throws IOException {
        Path file = folder.resolve("counters");
        AtomicResult result = new AtomicResult();
        for (int round = 0; round < 2; round++) {
            Region region = table.register(MappedFiles.map(file, 0, MEBIBYTE, true), 1, ALL);
            for (int i = 0; i < 12_000; i++) {
                assertEquals(AtomicOutcome.DONE, region.fetchAndAdd(8192, 1, 0, result));
                assertEquals(AtomicOutcome.DONE, region.fetchAndAdd(8192, 1, 1L << 31, result));
                assertEquals(AtomicOutcome.DONE, region.compareAndSwap(8192, 0, 0, 0, -1, result));
            }
            truncate(file);
            long work = 0;
            for (int i = 0; i < FAULTS; i++) {
                assertSame(AtomicOutcome.LOST, region.fetchAndAdd(8192, 1, 0, result));
                work += innocent(i);
                assertSame(AtomicOutcome.LOST, region.fetchAndAdd(8192, 1, 1L << 31, result));
                work += innocent(i);
                assertSame(AtomicOutcome.LOST, region.compareAndSwap(8192, 7, -1, 0, -1, result));
                assertSame(AtomicOutcome.LOST, region.compareAndSwap(8192, 0, 0, 9, -1, result));
                work += innocent(i);
            }
            assertEquals((long) FAULTS * 3 * 45 * (FAULTS - 1) / 2, work);
        }
    }

    private static void truncate(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(0);
        }
    }

    private static int innocent(int i) {
        int sum = 0;
        for (int k = 0; k < 10; k++) {
            sum += k * i;
        }
        return sum;
    }

    @Test
    void directView_ofUserMemory_showsItAndIsTheSameBufferAgain() {
        Region region = table.register(Arena.ofAuto().allocate(1000), 1, ALL);
        region.segment().set(ValueLayout.JAVA_BYTE, 123, (byte) 45);
        ByteBuffer view = region.directView(0, 100, 50);
        assertTrue(view.isDirect());
        assertEquals(50, view.remaining());
        assertEquals(45, view.get(view.position() + 23));
        assertSame(view, region.directView(0, 0, 1000));
        assertNotSame(view, region.directView(3, 0, 10), "another engine has its own");
        assertSame(view, region.directView(0, 0, 1), "and the first keeps its own");
        assertEquals(0, region.directView(0, 1000, 0).remaining());
        assertThrows(IndexOutOfBoundsException.class, () -> region.directView(0, 999, 2));
        assertThrows(IndexOutOfBoundsException.class, () -> region.directView(0, -1, 1));
    }

    @Test
    void regionAbove4GiB_everyWindow_reachesItsBytes() throws IOException {
        long bytes = (9L << 29) + 12_345;
        Path file = folder.resolve("sparse");
        Region region = table.register(MappedFiles.map(file, 4097, bytes, true), 1, ALL);
        byte[] text = "beyond".getBytes(StandardCharsets.UTF_8);
        long[] places = {0, (1L << 30) - 3, (1L << 31) - 3, (3L << 30) - 3, (1L << 32) - 3, bytes - 6};
        for (long place : places) {
            slabBytes.asByteBuffer().put(text);
            assertEquals(CopyResult.DONE, region.copyIn(place, slabBytes, 0, 6));
            slabBytes.fill((byte) 0);
            assertEquals(CopyResult.DONE, region.copyOut(place, slabBytes, 9, 6));
            byte[] seen = new byte[6];
            slabBytes.asByteBuffer().get(9, seen);
            assertArrayEquals(text, seen);
            region.directView(0, place, 6).get(seen);
            assertArrayEquals(text, seen, "at " + place);
        }
        int longest = (1 << 30) - 8;
        assertEquals(longest, region.directView(0, (1L << 31) - 1, longest).remaining());
        assertThrows(IndexOutOfBoundsException.class, () -> region.directView(0, 0, longest + 1));
        table.deregister(region);
        region.release();
        try (FileChannel channel = FileChannel.open(file)) {
            ByteBuffer buffer = ByteBuffer.allocate(6);
            channel.read(buffer, 4097 + bytes - 6);
            assertArrayEquals(text, buffer.array());
        }
        Files.delete(file);
    }
}
