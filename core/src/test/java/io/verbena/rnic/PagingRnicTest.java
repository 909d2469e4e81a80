package io.verbena.rnic;

import static io.verbena.verbs.AccessRight.LOCAL_WRITE;
import static io.verbena.verbs.AccessRight.REMOTE_ATOMIC;
import static io.verbena.verbs.AccessRight.REMOTE_READ;
import static io.verbena.verbs.AccessRight.REMOTE_WRITE;
import static io.verbena.verbs.WrFlags.SIGNALLED;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AddressSegment;
import io.verbena.verbs.AddressSpace;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.PageTableKind;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.VirtualMemoryOptions;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Files that are larger than the frames for them, and files that fail. B owns the memory, A is the peer. */
class PagingRnicTest extends AddressSpacePair {

    @ParameterizedTest
    @EnumSource(PageTableKind.class)
    void fileLargerThanThePool_isReadAndWrittenByAPeer_matchesAModel(PageTableKind kind) throws IOException {
        ManualPaging paging = start(kind, 16);
        byte[] model = file(200).clone();
        AddressSpace space = memory.createAddressSpace("user");
        AddressSegment segment = space.mapFile(FILE, 0, model.length, true);
        MemoryRegion region =
                pair.b.domain.register(segment, 0, model.length, REMOTE_READ, REMOTE_WRITE, REMOTE_ATOMIC);
        SplittableRandom random = new SplittableRandom(3);
        for (int step = 0; step < 400; step++) {
            int length = 1 + random.nextInt(20_000);
            int at = random.nextInt(model.length - length);
            switch (random.nextInt(4)) {
                case 0 -> assertArrayEquals(slice(model, at, length), read(region.remote(), at, length));
                case 1 -> {
                    byte[] bytes = new byte[length];
                    random.nextBytes(bytes);
                    write(region.remote(), at, bytes);
                    System.arraycopy(bytes, 0, model, at, length);
                }
                case 2 -> {
                    int word = at & -8;
                    pair.a.queuePair.postFetchAndAdd(
                            2, pair.a.memory, 0, region.address() + word, region.rkey(), 1, SIGNALLED);
                    world.settle();
                    world.advance(20_000_000);
                    assertEquals(List.of("2 SUCCESS"), pair.a.polled());
                    MemorySegment all = MemorySegment.ofArray(model);
                    long before = all.get(JAVA_LONG.withByteAlignment(1), word);
                    assertEquals(before, pair.a.memory.segment().get(JAVA_LONG, 0));
                    all.set(JAVA_LONG.withByteAlignment(1), word, before + 1);
                }
                default -> assertArrayEquals(slice(model, at, length), local(space, segment.address() + at, length));
            }
        }
        assertTrue(memory.figures().written() > 100);
        assertTrue(segment.residentBytes() <= 16 * PAGE);
        region.close();
        segment.close();
        assertArrayEquals(model, paging.file("data"));
        assertEquals(0, paging.pages.stores());
        assertEquals(16, memory.figures().freeFrames());
    }

    @Test
    void pageBeingFetched_delaysOnlyItsConnection() throws IOException {
        ManualPaging paging = start(PageTableKind.SHARED, 64);
        byte[] content = file(10);
        AddressSpace space = memory.createAddressSpace("user");
        AddressSegment segment = space.mapFile(FILE, 0, 10L * PAGE, false);
        MemoryRegion region = pair.b.domain.register(segment, 0, 10L * PAGE, REMOTE_READ);
        Pair other = new Pair(world).connect();
        paging.frozen = true;
        pair.a.queuePair.postRead(1, pair.a.memory, 0, 100, region.remote(), PAGE, SIGNALLED);
        pair.a.queuePair.postRead(2, pair.a.memory, 200, 100, region.remote(), 5 * PAGE, SIGNALLED);
        world.settle();
        // Both pages are requested at the same time.
        assertEquals(2, memory.figures().waiting());
        other.a.queuePair.postRead(3, other.a.memory, 0, 100, other.b.memory.remote(), 0, SIGNALLED);
        world.settle();
        assertEquals(List.of("3 SUCCESS"), other.a.polled());
        assertEquals(List.of(), pair.a.polled());
        paging.frozen = false;
        world.settle();
        assertEquals(List.of("1 SUCCESS", "2 SUCCESS"), pair.a.polled());
        assertArrayEquals(
                slice(content, PAGE, 100),
                pair.a.memory.segment().asSlice(0, 100).toArray(JAVA_BYTE));
    }

    @Test
    void evictedSendAndReceiveBuffers_arePagedIn() throws IOException {
        start(PageTableKind.SHARED, 64);
        byte[] content = file(10);
        AddressSpace space = memory.createAddressSpace("user");
        AddressSegment segment = space.mapFile(FILE, 0, 10L * PAGE, true);
        MemoryRegion region = pair.b.domain.register(segment, 0, 10L * PAGE, LOCAL_WRITE);
        pair.a.queuePair.postReceive(1, pair.a.memory, 0, 8 * PAGE);
        pair.b.queuePair.postSend(2, region, 10, 5 * PAGE, SIGNALLED);
        world.settle();
        assertEquals(List.of("2 SUCCESS"), pair.b.polled());
        assertEquals(List.of("1 SUCCESS"), pair.a.polled());
        assertArrayEquals(
                slice(content, 10, 5 * PAGE),
                pair.a.memory.segment().asSlice(0, 5 * PAGE).toArray(JAVA_BYTE));
        segment.swapOut(0, 10L * PAGE);
        assertEquals(0, segment.residentBytes());
        pair.b.queuePair.postReceive(3, region, 100, 8 * PAGE);
        pair.a.queuePair.postSend(4, pair.a.memory, 0, 5 * PAGE, SIGNALLED);
        pair.b.queuePair.postRead(5, region, 7 * PAGE, 2 * PAGE, pair.a.memory.remote(), 0, SIGNALLED);
        world.settle();
        assertEquals(
                List.of("3 SUCCESS", "5 SUCCESS"),
                pair.b.polled().stream().sorted().toList());
        assertArrayEquals(slice(content, 10, 5 * PAGE), local(space, segment.address() + 100, 5 * PAGE));
        assertArrayEquals(slice(content, 10, 2 * PAGE), local(space, segment.address() + 7 * PAGE, 2 * PAGE));
    }

    @ParameterizedTest
    @EnumSource(PageTableKind.class)
    void sharedSegment_hasAnAddressAndKeysInEachProcess(PageTableKind kind) throws IOException {
        ManualPaging paging = start(kind, 16);
        byte[] content = file(40);
        AddressSpace one = memory.createAddressSpace("one");
        AddressSpace two = memory.createAddressSpace("two");
        two.mapPinned(10);
        AddressSegment local = one.mapFile(FILE, 0, content.length, true);
        AddressSegment remote = two.share(local, false);
        assertNotEquals(local.address(), remote.address());
        assertEquals(
                one.translate(local.address()).upperVirtualAddress(),
                two.translate(remote.address()).upperVirtualAddress());
        MemoryRegion a = pair.b.domain.register(local, 0, content.length, REMOTE_WRITE, REMOTE_READ);
        SoftProtectionDomain other = (SoftProtectionDomain) pair.b.rnic.allocateProtectionDomain();
        assertThrows(IllegalArgumentException.class, () -> other.register(remote, 0, content.length, REMOTE_WRITE));
        MemoryRegion b = other.register(remote, 0, content.length, REMOTE_READ);
        assertNotEquals(a.rkey(), b.rkey());
        write(a.remote(), 5 * PAGE + 3, new byte[] {9, 8, 7});
        assertArrayEquals(new byte[] {9, 8, 7}, local(two, remote.address() + 5 * PAGE + 3, 3));
        // All pages pass through the pool, so the page is evicted and fetched again.
        local(two, remote.address(), content.length);
        assertArrayEquals(new byte[] {9, 8, 7}, local(two, remote.address() + 5 * PAGE + 3, 3));
        write(a.remote(), 0, new byte[] {1});
        a.close();
        local.close();
        assertArrayEquals(new byte[] {1}, local(two, remote.address(), 1));
        b.close();
        remote.close();
        assertEquals(1, paging.file("data")[0]);
        assertEquals(9, paging.file("data")[5 * PAGE + 3]);
        assertEquals(0, paging.pages.stores());
    }

    @Test
    void shrunkSegment_endIsExact_andComesBackAsZeros() throws IOException {
        ManualPaging paging = start(PageTableKind.SHARED, 64);
        byte[] content = file(10);
        AddressSpace space = memory.createAddressSpace("user");
        AddressSegment segment = space.mapFile(FILE, 0, 10L * PAGE, true);
        assertArrayEquals(content, local(space, segment.address(), content.length));
        segment.shrink(3L * PAGE + 10);
        assertEquals(3 * PAGE + 10, paging.file("data").length);
        assertThrows(IllegalArgumentException.class, () -> local(space, segment.address() + 3 * PAGE, 11));
        segment.grow(10L * PAGE);
        byte[] back = local(space, segment.address() + 3 * PAGE, 100);
        assertArrayEquals(slice(content, 3 * PAGE, 10), slice(back, 0, 10));
        assertArrayEquals(new byte[90], slice(back, 10, 90));
    }

    @Test
    void fileThatFails_endsTheAccessWithAReason_andOthersContinue() throws IOException {
        ManualPaging paging = start(PageTableKind.SHARED, 64);
        byte[] content = file(10);
        AddressSpace space = memory.createAddressSpace("user");
        AddressSegment segment = space.mapFile(FILE, 0, 10L * PAGE, true);
        MemoryRegion region = pair.b.domain.register(segment, 0, 10L * PAGE, REMOTE_READ);
        paging.pages.failReads(true);
        pair.a.queuePair.postRead(1, pair.a.memory, 0, 100, region.remote(), 0, SIGNALLED);
        world.settle();
        assertTrue(pair.b.queuePair.state().failed());
        assertThrows(IOException.class, () -> local(space, segment.address(), 1));
        paging.pages.failReads(false);
        assertArrayEquals(slice(content, 0, 100), local(space, segment.address(), 100));
        assertTrue(region.valid());
    }

    @Test
    void fileThatIsFull_keepsModifiedPages_andWaitingCallsFail() throws IOException {
        ManualPaging paging = start(PageTableKind.SHARED, 8);
        byte[] content = file(40);
        AddressSpace space = memory.createAddressSpace("user");
        AddressSegment segment = space.mapFile(FILE, 0, content.length, true);
        MemorySegment bytes = Arena.ofAuto().allocate(8 * PAGE).fill((byte) 3);
        space.write(segment.address(), bytes, 0, 8 * PAGE);
        paging.pages.failWrites(true);
        assertThrows(IOException.class, () -> local(space, segment.address() + 20 * PAGE, 1));
        assertTrue(memory.figures().failedWrites() > 0);
        byte[] threes = new byte[8 * PAGE];
        java.util.Arrays.fill(threes, (byte) 3);
        assertArrayEquals(threes, local(space, segment.address(), 8 * PAGE));
        paging.pages.failWrites(false);
        assertArrayEquals(slice(content, 20 * PAGE, 5), local(space, segment.address() + 20 * PAGE, 5));
        segment.close();
        assertArrayEquals(threes, slice(paging.file("data"), 0, 8 * PAGE));
    }

    @Test
    void sequentialAccess_readsPagesAhead() throws IOException {
        pair = new Pair(world).connect();
        memory = pair.b.rnic.openVirtualMemory(
                VirtualMemoryOptions.defaults().withFrameBytes(64 * PAGE).withReadAheadPages(16));
        byte[] content = file(200);
        AddressSpace space = memory.createAddressSpace("user");
        AddressSegment segment = space.mapFile(FILE, 0, content.length, false);
        assertArrayEquals(content, local(space, segment.address(), content.length));
        assertTrue(
                memory.figures().faults() < 40,
                "of 200 pages asked for " + memory.figures().faults());
        assertTrue(memory.figures().pagedAhead() > 150);
    }

    @Test
    void severalQueuePairsWithATinyPool_allComplete() throws IOException {
        start(PageTableKind.INVERTED, 24, RnicOptions.defaults().withCrc(true));
        byte[] content = file(300);
        AddressSpace space = memory.createAddressSpace("user");
        AddressSegment segment = space.mapFile(FILE, 0, content.length, false);
        MemoryRegion region = pair.b.domain.register(segment, 0, content.length, REMOTE_READ);
        SplittableRandom random = new SplittableRandom(9);
        for (int round = 0; round < 20; round++) {
            int[] at = new int[16];
            for (int i = 0; i < at.length; i++) {
                at[i] = random.nextInt(content.length - 40_000);
                pair.a.queuePair.postRead(i, pair.a.memory, i * 40_000L, 40_000, region.remote(), at[i], SIGNALLED);
            }
            world.settle();
            world.advance(100_000_000);
            assertEquals(
                    at.length,
                    pair.a.polled().stream().filter(s -> s.endsWith("SUCCESS")).count());
            for (int i = 0; i < at.length; i++) {
                assertArrayEquals(
                        slice(content, at[i], 40_000),
                        pair.a.memory.segment().asSlice(i * 40_000L, 40_000).toArray(JAVA_BYTE));
            }
        }
    }
}
