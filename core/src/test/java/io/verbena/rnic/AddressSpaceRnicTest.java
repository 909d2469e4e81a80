package io.verbena.rnic;

import static io.verbena.verbs.AccessRight.BIND;
import static io.verbena.verbs.AccessRight.LOCAL_WRITE;
import static io.verbena.verbs.AccessRight.REMOTE_ATOMIC;
import static io.verbena.verbs.AccessRight.REMOTE_READ;
import static io.verbena.verbs.AccessRight.REMOTE_WRITE;
import static io.verbena.verbs.WrFlags.SIGNALLED;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AddressSegment;
import io.verbena.verbs.AddressSpace;
import io.verbena.verbs.AddressSpaceOptions;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.PageFault;
import io.verbena.verbs.PageFaultHandler.Answer;
import io.verbena.verbs.PageTableKind;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.Translation;
import io.verbena.verbs.VirtualMemory;
import io.verbena.verbs.VirtualMemoryOptions;
import io.verbena.verbs.WindowOptions;
import io.verbena.verbs.WindowOptions.Scope;
import io.verbena.verbs.WorkRequest;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Address spaces, their tables, and paging. B owns the memory, A is the peer. */
@SuppressWarnings("NullAway.Init") // each test creates the objects that it requires
class AddressSpaceRnicTest {

    private static final int PAGE = 4096;
    private static final Path FILE = Path.of("data");

    private final ManualWorld world = new ManualWorld();
    private Pair pair;
    private VirtualMemory memory;

    private ManualPaging start(PageTableKind kind, int frames) throws IOException {
        return start(kind, frames, RnicOptions.defaults());
    }

    private ManualPaging start(PageTableKind kind, int frames, RnicOptions options) throws IOException {
        pair = new Pair(world, options, 1024, o -> o).connect();
        memory = pair.b.rnic.openVirtualMemory(VirtualMemoryOptions.defaults()
                .withFrameBytes((long) frames * PAGE)
                .withTables(kind)
                .withReadAheadPages(0));
        return ManualEnvironment.of(pair.b.rnic).paging;
    }

    private byte[] file(int pages) {
        byte[] content = new byte[pages * PAGE];
        new SplittableRandom(7).nextBytes(content);
        ManualEnvironment.of(pair.b.rnic).paging.files.put(FILE, content);
        return content;
    }

    @AfterEach
    void close() {
        world.close();
    }

    private byte[] read(RemoteRegion from, long offset, int length) {
        assertTrue(pair.a.queuePair.postRead(
                1, pair.a.memory, 0, length, from.address() + offset, from.rkey(), SIGNALLED));
        world.settle();
        world.advance(20_000_000);
        assertEquals(List.of("1 SUCCESS"), pair.a.polled());
        return pair.a.memory.segment().asSlice(0, length).toArray(JAVA_BYTE);
    }

    private void write(RemoteRegion to, long offset, byte[] bytes) {
        MemorySegment.copy(bytes, 0, pair.a.memory.segment(), JAVA_BYTE, 0, bytes.length);
        assertTrue(pair.a.queuePair.postWrite(
                1, pair.a.memory, 0, bytes.length, to.address() + offset, to.rkey(), SIGNALLED));
        world.settle();
        world.advance(20_000_000);
        assertEquals(List.of("1 SUCCESS"), pair.a.polled());
    }

    private static byte[] slice(byte[] all, int from, int length) {
        return java.util.Arrays.copyOfRange(all, from, from + length);
    }

    private byte[] local(AddressSpace space, long address, int length) throws IOException {
        byte[] bytes = new byte[length];
        MemorySegment copy = Arena.ofAuto().allocate(length);
        space.read(address, copy, 0, length);
        MemorySegment.copy(copy, JAVA_BYTE, 0, bytes, 0, length);
        return bytes;
    }

    // Address spaces and their tables.

    @ParameterizedTest
    @EnumSource(PageTableKind.class)
    void effectiveAddress_goesThroughSegmentTableAndPageTable(PageTableKind kind) throws IOException {
        start(kind, 64);
        byte[] content = file(10);
        AddressSpace space = memory.createAddressSpace("user");
        AddressSegment first = space.mapPinned(PAGE);
        AddressSegment segment = space.mapFile(FILE, PAGE, 9L * PAGE, true);
        assertNotEquals(first.id(), segment.id());
        long address = segment.address() + 3 * PAGE + 77;

        Translation before = space.translate(address);
        assertEquals(segment.id(), before.segmentId());
        assertEquals(3, before.pageNumber());
        assertEquals(77, before.pageOffset());
        assertTrue(before.segmentValid());
        assertFalse(before.pageValid());
        assertEquals(before.virtualAddress() & (1L << 40) - 1, 3 * PAGE + 77);
        assertEquals(before.upperVirtualAddress(), before.virtualAddress() >>> 40);

        assertArrayEquals(slice(content, 4 * PAGE + 77, 10), local(space, address, 10));
        Translation after = space.translate(address);
        assertTrue(after.pageValid());
        assertTrue(after.pageUsed());
        assertFalse(after.pageChanged());
        assertEquals((long) after.frame() * PAGE + 77, after.physicalOffset());
        assertTrue(space.translate(first.address()).pinned());
        assertFalse(space.translate(99L << 40).segmentValid());
        assertThrows(IllegalArgumentException.class, () -> local(space, 99L << 40, 1));
        assertThrows(IllegalArgumentException.class, () -> local(space, segment.address() + 9 * PAGE - 1, 2));
    }

    @Test
    void limitsOfAProcess_areKept() throws IOException {
        start(PageTableKind.SHARED, 64);
        byte[] content = file(40);
        AddressSpace space = memory.createAddressSpace(
                AddressSpaceOptions.user("small").withMaxMappedBytes(50L * PAGE).withMaxFrames(8));
        AddressSegment segment = space.mapFile(FILE, 0, 40L * PAGE, false);
        assertThrows(IllegalStateException.class, () -> space.map(11L * PAGE));
        assertThrows(IllegalStateException.class, () -> space.mapPinned(11L * PAGE));
        assertArrayEquals(content, local(space, segment.address(), content.length));
        assertTrue(segment.residentBytes() <= 8 * PAGE);
        segment.close();
        space.map(50L * PAGE);
    }

    // Driver tables.

    @Test
    void driver_isRegisteredWithTheFirstQueuePair_keepsOneCopy_andIsNotifiedOfUpdates() throws IOException {
        start(PageTableKind.SHARED, 64);
        file(10);
        SoftAddressSpace space = (SoftAddressSpace) memory.createAddressSpace("user");
        assertEquals(0, space.driver().queuePairs());
        AddressSegment segment = space.mapFile(FILE, 0, 4L * PAGE, true);
        assertEquals(0, space.driver().updates());
        MemoryRegion region = pair.b.domain.register(segment, 0, PAGE, REMOTE_READ);
        // The queue pair of the domain and the region share one copy.
        assertEquals(2, space.driver().queuePairs());
        assertEquals(1, space.driver().updates());
        segment.grow(10L * PAGE);
        AddressSegment other = space.mapPinned(100);
        segment.protect(false);
        other.close();
        assertEquals(5, space.driver().updates());
        region.close();
        pair.b.queuePair.close();
        assertEquals(0, space.driver().queuePairs());
        space.mapPinned(100);
        assertEquals(5, space.driver().updates());
    }

    @ParameterizedTest
    @EnumSource(PageTableKind.class)
    void mapLocalPage_givesTheFrameOfAVirtualPage_toAKernelProcess(PageTableKind kind) throws IOException {
        start(kind, 64);
        file(10);
        AddressSpace kernel = memory.createAddressSpace(AddressSpaceOptions.kernel("driver"));
        AddressSpace user = memory.createAddressSpace("user");
        AddressSegment segment = user.mapFile(FILE, 0, 10L * PAGE, true);
        long virtual = user.translate(segment.address() + 5 * PAGE).virtualAddress();
        long frame = kernel.mapLocalPage(virtual);
        assertEquals(user.translate(segment.address() + 5 * PAGE).frame(), frame);
        assertThrows(IllegalArgumentException.class, () -> user.mapLocalPage(virtual));
        assertThrows(IllegalArgumentException.class, () -> kernel.mapLocalPage(virtual + (77L << 40)));
        assertThrows(IllegalArgumentException.class, segment::virtualAddress);
    }

    // Paging.

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
        assertEquals(0, paging.stores);
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

    @Test
    void accessToUnmappedMemory_callsTheErrorHandler_whichMapsIt() throws IOException {
        start(PageTableKind.SHARED, 64);
        AddressSpace space = memory.createAddressSpace("user");
        List<PageFault> faults = new ArrayList<>();
        List<AddressSegment> made = new ArrayList<>();
        space.onPageFault(fault -> {
            faults.add(fault);
            try {
                made.add(space.mapAt(fault.address(), 4L * PAGE));
            } catch (IOException e) {
                return Answer.REFUSED;
            }
            return Answer.MAPPED;
        });
        MemoryRegion all = pair.b.domain.register(space, LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ);
        long address = (77L << 40) + 100;
        write(all.remote(), address, new byte[] {1, 2, 3});
        assertEquals(List.of(new PageFault(address, 3, true, all.rkey())), faults);
        assertEquals(77, made.getFirst().id());
        assertEquals(77L << 40, made.getFirst().address());
        assertArrayEquals(new byte[] {1, 2, 3}, local(space, address, 3));
        List<AsyncEvent> events = pair.b.rnic.pollAsyncEvents(Duration.ZERO);
        assertEquals(AsyncEventType.PAGE_FAULT, events.getFirst().type());
        assertEquals(faults.getFirst(), events.getFirst().pageFault().orElseThrow());
    }

    @Test
    void faultAtTheSameAddressAgain_callsTheHandlerAgain() throws IOException {
        start(PageTableKind.SHARED, 64);
        AddressSpace space = memory.createAddressSpace("user");
        List<AddressSegment> made = new ArrayList<>();
        space.onPageFault(fault -> {
            try {
                made.add(space.mapAt(fault.address(), PAGE));
            } catch (IOException e) {
                return Answer.REFUSED;
            }
            return Answer.MAPPED;
        });
        MemoryRegion all = pair.b.domain.register(space, LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ);
        for (int i = 1; i <= 5; i++) {
            write(all.remote(), 1L << 40, new byte[] {(byte) i});
            assertEquals(i, made.size());
            assertArrayEquals(new byte[] {(byte) i}, read(all.remote(), 1L << 40, 1));
            assertEquals(i, made.size(), "access to mapped pages causes no page fault");
            made.getLast().close();
        }
        read(all.remote(), 1L << 40, 1);
        assertEquals(6, made.size());
    }

    @Test
    void handlerThatReportsMappedButHasNot_isCalledOnce_andTheNextConnectionCallsAgain() throws IOException {
        start(PageTableKind.SHARED, 64);
        AddressSpace space = memory.createAddressSpace("user");
        int[] asked = {0};
        Answer[] answer = {Answer.MAPPED};
        space.onPageFault(fault -> {
            asked[0]++;
            return answer[0];
        });
        MemoryRegion all = pair.b.domain.register(space, LOCAL_WRITE, REMOTE_READ);
        for (int i = 1; i <= 4; i++) {
            answer[0] = i % 2 == 1 ? Answer.MAPPED : Answer.REFUSED;
            QueuePair from = pair.fresh(pair.a);
            try (Listener listener = pair.b.rnic.listen(world.address())) {
                pair.a.rnic.startConnect(from, listener.localAddress(), ConnectionOptions.defaults());
                listener.nextRequest(Pair.SECOND)
                        .orElseThrow()
                        .startAccept(pair.fresh(pair.b), ConnectionOptions.defaults());
                world.settle();
            }
            from.postRead(i, pair.a.memory, 0, 8, 5L << 40, all.rkey(), SIGNALLED);
            world.settle();
            world.advance(20_000_000);
            assertEquals(List.of(i + " REMOTE_ACCESS"), pair.a.polled());
            assertEquals(i, asked[0]);
        }
    }

    @Test
    void connectionThatEndsDuringTheHandlerCall_leavesNoAnswer() throws IOException {
        start(PageTableKind.SHARED, 64);
        AddressSpace space = memory.createAddressSpace("user");
        int[] asked = {0};
        space.onPageFault(fault -> {
            asked[0]++;
            return Answer.REFUSED;
        });
        MemoryRegion all = pair.b.domain.register(space, LOCAL_WRITE, REMOTE_READ);
        ManualEnvironment held = ManualEnvironment.of(pair.b.rnic);
        held.holdsHandlers = true;
        pair.a.queuePair.postRead(1, pair.a.memory, 0, 8, 5L << 40, all.rkey(), SIGNALLED);
        world.settle();
        pair.b.queuePair.modify(QueuePairChange.to(IwarpQueuePairState.ERROR));
        world.settle();
        held.holdsHandlers = false;
        world.settle();
        assertEquals(1, asked[0]);
        pair.b.queuePair.modify(QueuePairChange.to(IwarpQueuePairState.IDLE));
        QueuePair from = pair.fresh(pair.a);
        try (Listener listener = pair.b.rnic.listen(world.address())) {
            pair.a.rnic.startConnect(from, listener.localAddress(), ConnectionOptions.defaults());
            listener.nextRequest(Pair.SECOND).orElseThrow().startAccept(pair.b.queuePair, ConnectionOptions.defaults());
            world.settle();
        }
        from.postRead(2, pair.a.memory, 0, 8, 5L << 40, all.rkey(), SIGNALLED);
        world.settle();
        world.advance(20_000_000);
        assertEquals(2, asked[0]);
    }

    @Test
    void localWorkOnUnmappedMemory_callsTheHandlerWithoutAKey() throws IOException {
        start(PageTableKind.SHARED, 64);
        AddressSpace space = memory.createAddressSpace("user");
        List<PageFault> faults = new ArrayList<>();
        space.onPageFault(fault -> {
            faults.add(fault);
            space.mapPinnedAt(fault.address(), 4L * PAGE);
            return Answer.MAPPED;
        });
        MemoryRegion all = pair.b.domain.register(space, LOCAL_WRITE);
        pair.a.queuePair.postReceive(1, pair.a.memory, 0, 100);
        pair.b.queuePair.postSend(2, all, (3L << 40) + 50, 10, SIGNALLED);
        world.settle();
        world.advance(20_000_000);
        assertEquals(List.of("2 SUCCESS"), pair.b.polled());
        assertEquals(List.of(new PageFault((3L << 40) + 50, 10, false, 0)), faults);
    }

    @Test
    void mapAt_usedOrInvalidAddress_isRejectedAndOpensNothing() throws IOException {
        ManualPaging paging = start(PageTableKind.SHARED, 64);
        AddressSpace space = memory.createAddressSpace("user");
        file(4);
        AddressSegment there = space.mapFileAt(9L << 40, FILE, 0, 4L * PAGE, true);
        assertEquals(9, there.id());
        int files = paging.files.size();
        assertThrows(IllegalStateException.class, () -> space.mapAt((9L << 40) + 5L * PAGE, 8L * PAGE));
        assertThrows(IllegalStateException.class, () -> space.mapPinnedAt(9L << 40, PAGE));
        assertThrows(IllegalStateException.class, () -> space.mapFileAt(9L << 40, Path.of("new"), 0, PAGE, true));
        assertThrows(IllegalArgumentException.class, () -> space.mapAt(100, PAGE));
        assertThrows(IllegalArgumentException.class, () -> space.mapAt(-1, PAGE));
        assertThrows(IllegalArgumentException.class, () -> space.mapAt(1L << 56, PAGE));
        assertThrows(IllegalArgumentException.class, () -> space.mapAt((8L << 40) + PAGE, PAGE));
        assertEquals(files, paging.files.size());
        AddressSpace other = memory.createAddressSpace("other");
        assertEquals(65_535, other.shareAt(65_535L << 40, there, false).id());
        assertThrows(IllegalStateException.class, () -> other.shareAt(65_535L << 40, there, false));
        assertEquals(1, other.mapPinned(PAGE).id());
    }

    @Test
    void accessToUnmappedMemory_withoutAHandlerOrRefused_endsTheConnection() throws IOException {
        start(PageTableKind.SHARED, 64);
        AddressSpace space = memory.createAddressSpace("user");
        int[] asked = {0};
        MemoryRegion all = pair.b.domain.register(space, REMOTE_READ);
        pair.b.rnic.onPageFault(fault -> {
            asked[0]++;
            return Answer.REFUSED;
        });
        pair.a.queuePair.postRead(1, pair.a.memory, 0, 8, all.address() + (5L << 40), all.rkey(), SIGNALLED);
        world.settle();
        world.advance(20_000_000);
        assertEquals(1, asked[0]);
        assertEquals(List.of("1 REMOTE_ACCESS"), pair.a.polled());
    }

    // Local work and effective addresses.

    @Test
    void localWork_usesEffectiveAddresses_withinTheLimitsOfTheVmm() throws IOException {
        start(PageTableKind.SHARED, 64);
        byte[] content = file(10);
        AddressSpace space = memory.createAddressSpace("user");
        AddressSegment segment = space.mapFile(FILE, 0, 10L * PAGE, true);
        MemoryRegion all = pair.b.domain.register(space, LOCAL_WRITE);
        pair.b.queuePair.postWrite(1, all, segment.address() + 50, 100, pair.a.memory.remote(), 0, SIGNALLED);
        world.settle();
        assertEquals(List.of("1 SUCCESS"), pair.b.polled());
        assertArrayEquals(
                slice(content, 50, 100), pair.a.memory.segment().asSlice(0, 100).toArray(JAVA_BYTE));
        segment.protect(false);
        pair.b.queuePair.postRead(2, all, segment.address(), 100, pair.a.memory.remote(), 0, SIGNALLED);
        world.settle();
        assertEquals(List.of("2 LOCAL_PROTECTION"), pair.b.polled());
    }

    @Test
    void badLocalAddress_completesInError() throws IOException {
        start(PageTableKind.SHARED, 64);
        file(10);
        AddressSpace space = memory.createAddressSpace("user");
        AddressSegment segment = space.mapFile(FILE, 0, 10L * PAGE, true);
        MemoryRegion all = pair.b.domain.register(space, LOCAL_WRITE);
        pair.b.queuePair.postSend(1, all, segment.address() + 10L * PAGE - 50, 100, SIGNALLED);
        world.settle();
        assertEquals(List.of("1 LOCAL_PROTECTION"), pair.b.polled());
    }

    @Test
    void kernelProcess_mayUseVirtualAddresses_aUserProcessMayNot() throws IOException {
        start(PageTableKind.SHARED, 64);
        byte[] content = file(10);
        AddressSpace user = memory.createAddressSpace("file system's client");
        AddressSegment segment = user.mapFile(FILE, 0, 10L * PAGE, true);
        AddressSpace kernel = memory.createAddressSpace(AddressSpaceOptions.kernel("device driver"));
        long virtual = user.translate(segment.address()).virtualAddress();
        assertThrows(IllegalArgumentException.class, () -> pair.b.domain.registerVirtual(user, BIND));
        MemoryRegion all = pair.b.domain.registerVirtual(kernel, LOCAL_WRITE, BIND);
        // Like a device driver that received an I/O request with a virtual address and a length.
        MemoryWindow window = pair.b.domain.allocateWindow();
        WorkRequest bind = pair.b.queuePair.newWorkRequest().bind(window, all, virtual + 300, 5000, REMOTE_READ);
        pair.b.queuePair.post(bind);
        world.settle();
        assertArrayEquals(slice(content, 300, 5000), read(window.remote(), 0, 5000));
        assertThrows(
                IllegalArgumentException.class, () -> pair.b.domain.register(user, BIND), "one process per domain");
    }

    @ParameterizedTest
    @EnumSource(PageTableKind.class)
    void segmentShrunk_virtualAddressesAfterItsEndAreInvalid_andValidAgainWhenItGrows(PageTableKind kind)
            throws IOException {
        start(kind, 64);
        byte[] content = file(10);
        AddressSpace user = memory.createAddressSpace("file system's client");
        AddressSegment segment = user.mapFile(FILE, 0, 10L * PAGE, true);
        AddressSpace kernel = memory.createAddressSpace(AddressSpaceOptions.kernel("device driver"));
        long virtual = user.translate(segment.address()).virtualAddress();
        MemoryRegion all = pair.b.domain.registerVirtual(kernel, REMOTE_READ);
        assertArrayEquals(slice(content, 0, 10 * PAGE), read(all.remote(), virtual, 10 * PAGE));
        assertTrue(kernel.mapLocalPage(virtual + 7L * PAGE) >= 0);
        segment.shrink(6L * PAGE);
        assertThrows(IllegalArgumentException.class, () -> kernel.mapLocalPage(virtual + 7L * PAGE));
        assertArrayEquals(slice(content, 5 * PAGE, PAGE), read(all.remote(), virtual + 5L * PAGE, PAGE));
        segment.grow(8L * PAGE);
        assertArrayEquals(new byte[PAGE], read(all.remote(), virtual + 7L * PAGE, PAGE));
        segment.shrink(6L * PAGE);
        pair.a.queuePair.postRead(9, pair.a.memory, 0, 8, virtual + 6L * PAGE - 4, all.rkey(), SIGNALLED);
        world.settle();
        assertEquals(List.of("9 REMOTE_ACCESS"), pair.a.polled());
    }

    // Addresses visible to peers.

    @Test
    void addressesVisibleToAPeer_areNoMachineAddresses() throws IOException {
        start(PageTableKind.SHARED, 64);
        file(10);
        AddressSpace space = memory.createAddressSpace("user");
        AddressSegment pinned = space.mapPinned(3L * PAGE);
        AddressSegment paged = space.mapFile(FILE, 0, 10L * PAGE, true);
        MemoryRegion one = pair.b.domain.register(pinned, 0, 3L * PAGE, REMOTE_READ, BIND);
        MemoryRegion two = pair.b.domain.register(paged, 0, 10L * PAGE, REMOTE_READ, BIND);
        assertNotEquals(pinned.segment().orElseThrow().address(), one.address());
        assertNotEquals(one.address(), two.address());
        MemoryRegion all = pair.b.domain.register(space, REMOTE_READ, BIND);
        assertEquals(0, all.address(), "addresses are effective addresses");
        MemoryWindow window = pair.b.domain.allocateWindow(
                WindowOptions.defaults().withScope(Scope.DOMAIN).withZeroBased(true));
        assertEquals(0, window.bind(two, 5000, 100, REMOTE_READ).address());
        assertEquals(paged.address() + 7, window.options().zeroBased() ? paged.address() + 7 : 0);
    }

    // Shared segments.

    @ParameterizedTest
    @EnumSource(PageTableKind.class)
    void sharedSegment_hasAnAddressAndKeysInEachProcess(PageTableKind kind) throws IOException {
        ManualPaging paging = start(kind, 16);
        byte[] content = file(40);
        AddressSpace one = memory.createAddressSpace("one");
        AddressSpace two = memory.createAddressSpace("two");
        two.mapPinned(10);
        AddressSegment mine = one.mapFile(FILE, 0, content.length, true);
        AddressSegment theirs = two.share(mine, false);
        assertNotEquals(mine.address(), theirs.address());
        assertEquals(
                one.translate(mine.address()).upperVirtualAddress(),
                two.translate(theirs.address()).upperVirtualAddress());
        MemoryRegion a = pair.b.domain.register(mine, 0, content.length, REMOTE_WRITE, REMOTE_READ);
        SoftProtectionDomain other = (SoftProtectionDomain) pair.b.rnic.allocateProtectionDomain();
        assertThrows(IllegalArgumentException.class, () -> other.register(theirs, 0, content.length, REMOTE_WRITE));
        MemoryRegion b = other.register(theirs, 0, content.length, REMOTE_READ);
        assertNotEquals(a.rkey(), b.rkey());
        write(a.remote(), 5 * PAGE + 3, new byte[] {9, 8, 7});
        assertArrayEquals(new byte[] {9, 8, 7}, local(two, theirs.address() + 5 * PAGE + 3, 3));
        // All pages pass through the pool, so the page is evicted and fetched again.
        local(two, theirs.address(), content.length);
        assertArrayEquals(new byte[] {9, 8, 7}, local(two, theirs.address() + 5 * PAGE + 3, 3));
        write(a.remote(), 0, new byte[] {1});
        a.close();
        mine.close();
        assertArrayEquals(new byte[] {1}, local(two, theirs.address(), 1));
        b.close();
        theirs.close();
        assertEquals(1, paging.file("data")[0]);
        assertEquals(9, paging.file("data")[5 * PAGE + 3]);
        assertEquals(0, paging.stores);
    }

    // Invalid input and faults.

    @Test
    void unmappedWhileRegistered_pinnedOrPaged_isNoLongerAccessible() throws IOException {
        start(PageTableKind.SHARED, 64);
        file(10);
        AddressSpace space = memory.createAddressSpace("user");
        AddressSegment pinned = space.mapPinned(3L << 20);
        MemoryRegion one = pair.b.domain.register(pinned, 100, 1000, REMOTE_READ);
        assertEquals(1000, read(one.remote(), 0, 1000).length);
        assertTrue(one.valid());
        pinned.close();
        assertFalse(one.valid());
        pair.a.queuePair.postRead(2, pair.a.memory, 0, 100, one.remote(), 0, SIGNALLED);
        world.settle();
        assertFalse(pair.a.polled().contains("2 SUCCESS"));
        one.close();
    }

    @Test
    void protectedWhileRegistered_writesFail_readsContinue() throws IOException {
        start(PageTableKind.SHARED, 64);
        AddressSpace space = memory.createAddressSpace("user");
        AddressSegment pinned = space.mapPinned(3 * PAGE);
        MemoryRegion one = pair.b.domain.register(pinned, 0, 1000, REMOTE_READ, REMOTE_WRITE);
        write(one.remote(), 0, new byte[] {5});
        pinned.protect(false);
        assertArrayEquals(new byte[] {5}, read(one.remote(), 0, 1));
        pair.a.queuePair.postWrite(2, pair.a.memory, 0, 100, one.remote(), 0, SIGNALLED);
        world.settle();
        assertTrue(pair.b.queuePair.state().failed());
        assertEquals(5, pinned.segment().orElseThrow().get(JAVA_BYTE, 0));
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
        paging.readsFail = true;
        pair.a.queuePair.postRead(1, pair.a.memory, 0, 100, region.remote(), 0, SIGNALLED);
        world.settle();
        assertTrue(pair.b.queuePair.state().failed());
        assertThrows(IOException.class, () -> local(space, segment.address(), 1));
        paging.readsFail = false;
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
        paging.writesFail = true;
        assertThrows(IOException.class, () -> local(space, segment.address() + 20 * PAGE, 1));
        assertTrue(memory.figures().failedWrites() > 0);
        byte[] threes = new byte[8 * PAGE];
        java.util.Arrays.fill(threes, (byte) 3);
        assertArrayEquals(threes, local(space, segment.address(), 8 * PAGE));
        paging.writesFail = false;
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
