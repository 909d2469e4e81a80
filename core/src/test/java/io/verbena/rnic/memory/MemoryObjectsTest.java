package io.verbena.rnic.memory;

import static io.verbena.verbs.AccessRight.BIND;
import static io.verbena.verbs.AccessRight.LOCAL_WRITE;
import static io.verbena.verbs.AccessRight.REMOTE_READ;
import static io.verbena.verbs.AccessRight.REMOTE_WRITE;
import static io.verbena.verbs.WrFlags.SIGNALLED;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.memory.OffHeapMemory;
import io.verbena.rnic.ManualEnvironment;
import io.verbena.rnic.ManualPaging;
import io.verbena.rnic.ManualWorld;
import io.verbena.rnic.Pair;
import io.verbena.verbs.AddressSegment;
import io.verbena.verbs.AddressSpace;
import io.verbena.verbs.AddressSpaceOptions;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.PageFaultHandler;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.SharedReceiveQueue;
import io.verbena.verbs.SharedReceiveQueueOptions;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.VirtualMemory;
import io.verbena.verbs.VirtualMemoryOptions;
import io.verbena.verbs.WindowOptions;
import io.verbena.verbs.WindowOptions.Scope;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** What the objects of memory show of themselves, and what is refused when one of them is closed. */
@SuppressWarnings("NullAway.Init") // made before each test
class MemoryObjectsTest {

    private static final int PAGE = 4096;
    private static final int FRAMES = 16;
    private static final Path FILE = Path.of("data");

    @TempDir
    Path folder;

    private final ManualWorld world = new ManualWorld();
    private Pair pair;
    private ManualPaging paging;
    private VirtualMemory memory;

    @BeforeEach
    void open() throws IOException {
        pair = new Pair(world).connect();
        memory = pair.b.rnic.openVirtualMemory(VirtualMemoryOptions.defaults()
                .withFrameBytes((long) FRAMES * PAGE)
                .withReadAheadPages(0));
        paging = ManualEnvironment.of(pair.b.rnic).paging;
        paging.pages.put(FILE, new byte[32 * PAGE]);
    }

    @AfterEach
    void close() {
        world.close();
    }

    private static void allRefused(Executable... uses) {
        for (int i = 0; i < uses.length; i++) {
            assertThrows(IllegalStateException.class, uses[i], "use " + i);
        }
    }

    // Address spaces and segments.

    @Test
    void addressSpace_andItsSegments_describeThemselves() throws IOException {
        AddressSpace kernel = memory.createAddressSpace(AddressSpaceOptions.kernel("kernel"));
        AddressSpace user = memory.createAddressSpace("user");
        assertTrue(kernel.kernel());
        assertFalse(user.kernel());
        assertEquals("user", user.name());
        assertEquals("address space 'user'", user.toString());
        assertSame(memory, user.virtualMemory());
        AddressSegment paged = kernel.mapFile(FILE, 0, 4 * PAGE, false);
        AddressSegment pinned = kernel.mapPinned(PAGE);
        assertEquals(Set.of(paged, pinned), Set.copyOf(kernel.segments()));
        assertSame(kernel, paged.addressSpace());
        assertTrue(paged.pageable());
        assertFalse(pinned.pageable());
        assertFalse(paged.direct());
        assertEquals(kernel.translate(paged.address()).virtualAddress(), paged.virtualAddress());
        AddressSegment users = user.mapPinned(PAGE);
        assertThrows(IllegalArgumentException.class, users::virtualAddress);
        paged.close();
        assertEquals(List.of(pinned), kernel.segments());
    }

    @Test
    void mapAt_addressWithinTheLastByte_opensThere_oneFurther_isRefused() throws IOException {
        AddressSpace space = memory.createAddressSpace("user");
        long start = space.mapPinned(PAGE).address() * 7;
        AddressSegment pinned = space.mapPinnedAt(start + PAGE - 1, PAGE);
        assertEquals(start, pinned.address());
        assertThrows(IllegalArgumentException.class, () -> space.mapAt(start * 2 + PAGE, PAGE));
        assertEquals(start * 2, space.mapAt(start * 2, PAGE).address());
    }

    @Test
    void swapIn_rangeLargerThanABatch_isResident_untilItIsSwappedOut() throws IOException {
        AddressSpace space = memory.createAddressSpace("user");
        AddressSegment segment = space.mapFile(FILE, 0, 32 * PAGE, false);
        segment.swapIn(2 * PAGE, 9 * PAGE);
        assertEquals(9 * PAGE, segment.residentBytes());
        for (int page = 0; page < 32; page++) {
            boolean requested = page >= 2 && page < 11;
            assertEquals(
                    requested,
                    space.translate(segment.address() + (long) page * PAGE).pageValid(),
                    "page " + page);
        }
        segment.swapOut(0, 32 * PAGE);
        assertEquals(0, segment.residentBytes());
    }

    @Test
    void copy_acrossPagesFromTheMiddleOfOne_isExact() throws IOException {
        AddressSpace space = memory.createAddressSpace("user");
        AddressSegment segment = space.map(4 * PAGE);
        MemorySegment bytes = Arena.ofAuto().allocate(3 * PAGE);
        for (int i = 0; i < bytes.byteSize(); i++) {
            bytes.set(JAVA_BYTE, i, (byte) (i * 7 + (i >>> 8)));
        }
        space.write(segment.address() + 100, bytes, 50, 2 * PAGE + 11);
        MemorySegment back = Arena.ofAuto().allocate(3 * PAGE);
        space.read(segment.address() + 100, back, 50, 2 * PAGE + 11);
        assertEquals(-1, bytes.asSlice(50, 2 * PAGE + 11).mismatch(back.asSlice(50, 2 * PAGE + 11)));
        assertEquals(0, back.get(JAVA_BYTE, 50 + 2 * PAGE + 11));
    }

    @Test
    void segmentClosed_pagesCannotBeWritten_saysSo_andTheSecondCallIsEnough() throws IOException {
        AddressSpace space = memory.createAddressSpace("user");
        AddressSegment segment = space.mapFile(FILE, 0, PAGE, true);
        space.write(segment.address(), Arena.ofAuto().allocate(1).fill((byte) 1), 0, 1);
        paging.pages.failWrites(true);
        assertThrows(IOException.class, segment::close);
        segment.close();
        assertEquals(List.of(), space.segments());
    }

    @Test
    void spaceClosed_pagesCannotBeWritten_saysSo_andIsClosed() throws IOException {
        AddressSpace space = memory.createAddressSpace("user");
        AddressSegment segment = space.mapFile(FILE, 0, PAGE, true);
        space.write(segment.address(), Arena.ofAuto().allocate(1).fill((byte) 1), 0, 1);
        paging.pages.failWrites(true);
        IOException failed = assertThrows(IOException.class, space::close);
        assertTrue(String.valueOf(failed.getMessage()).contains("no space left on device"), failed::toString);
        assertEquals(List.of(), memory.addressSpaces());
        space.close();
    }

    @Test
    void virtualMemoryClosed_pagesCannotBeWritten_saysSo_andIsClosed() throws IOException {
        AddressSpace space = memory.createAddressSpace("user");
        AddressSegment segment = space.mapFile(FILE, 0, PAGE, true);
        space.write(segment.address(), Arena.ofAuto().allocate(1).fill((byte) 1), 0, 1);
        paging.pages.failWrites(true);
        assertThrows(VerbsException.class, memory::close);
        allRefused(() -> memory.createAddressSpace("other"));
        memory.close();
    }

    @Test
    void rnicClosed_pagesOfSeveralMemoriesCannotBeWritten_saysSo_andAllAreClosed() throws IOException {
        VirtualMemory second = pair.b.rnic.openVirtualMemory(VirtualMemoryOptions.defaults());
        for (VirtualMemory each : List.of(memory, second)) {
            AddressSpace space = each.createAddressSpace("user");
            AddressSegment segment = space.mapFile(FILE, 0, PAGE, true);
            space.write(segment.address(), Arena.ofAuto().allocate(1).fill((byte) 1), 0, 1);
        }
        paging.pages.failWrites(true);
        assertThrows(VerbsException.class, pair.b.rnic::close);
        assertEquals(List.of(), memory.addressSpaces());
        assertEquals(List.of(), second.addressSpaces());
    }

    @Test
    void pageThatCannotBeWritten_isReportedByAnEvent() throws IOException {
        AddressSpace space = memory.createAddressSpace("user");
        AddressSegment segment = space.mapFile(FILE, 0, 32 * PAGE, true);
        space.write(segment.address(), Arena.ofAuto().allocate(FRAMES * PAGE), 0, FRAMES * PAGE);
        paging.pages.failWrites(true);
        MemorySegment target = Arena.ofAuto().allocate(1);
        assertThrows(IOException.class, () -> space.read(segment.address() + 20 * PAGE, target, 0, 1));
        assertTrue(ManualWorld.events(pair.b.rnic).contains(AsyncEventType.REGION_LOST));
        paging.pages.failWrites(false);
    }

    @Test
    void spaceOrMemoryOrRnicClosed_everyUse_isRefused() throws IOException {
        AddressSpace space = memory.createAddressSpace("user");
        AddressSpace other = memory.createAddressSpace("other");
        AddressSegment shared = other.map(PAGE);
        MemorySegment bytes = Arena.ofAuto().allocate(1);
        Executable[] uses = {
            () -> space.mapPinned(PAGE),
            () -> space.mapPinnedAt(1L << 40, PAGE),
            () -> space.map(PAGE),
            () -> space.mapFile(FILE, 0, PAGE, false),
            () -> space.share(shared, false),
            () -> space.read(0, bytes, 0, 1),
            () -> space.write(0, bytes, 0, 1)
        };
        space.close();
        allRefused(uses);
        memory.close();
        allRefused(() -> memory.createAddressSpace("third"), () -> other.mapPinned(PAGE));
        VirtualMemory second = pair.b.rnic.openVirtualMemory(VirtualMemoryOptions.defaults());
        pair.b.rnic.close();
        allRefused(() -> second.createAddressSpace("fourth"), () -> pair.b.rnic.openVirtualMemory(second.options()));
    }

    @Test
    void queuePairsOfADomainThatServesASpace_eachUseItsDriver() throws IOException {
        SoftAddressSpace space = (SoftAddressSpace) memory.createAddressSpace("user");
        MemoryRegion region = pair.b.domain.register(space, REMOTE_READ);
        assertEquals(2, space.driver().queuePairs());
        QueuePair second = pair.b.domain.createQueuePair(QueuePairOptions.of(pair.b.cq));
        assertEquals(3, space.driver().queuePairs());
        second.close();
        region.close();
        assertEquals(1, space.driver().queuePairs());
    }

    @Test
    void pageFaultHandlerOfTheRnic_setBeforeTheSpaceIsCreated_isAsked_andTheEventDescribesTheAccess()
            throws IOException {
        pair.b.rnic.onPageFault(fault -> PageFaultHandler.Answer.REFUSED);
        AddressSpace space = memory.createAddressSpace("user");
        MemoryRegion all = pair.b.domain.register(space, LOCAL_WRITE, REMOTE_WRITE);
        pair.a.queuePair.postWrite(1, pair.a.memory, 0, 8, all.address() + (5L << 40), all.rkey(), SIGNALLED);
        world.settle();
        world.advance(20_000_000);
        List<AsyncEvent> events = pair.b.rnic.pollAsyncEvents(Duration.ZERO);
        assertEquals(AsyncEventType.PAGE_FAULT, events.getFirst().type());
        assertEquals(
                "A page fault: 8 bytes at effective address 0x50000000000 are not mapped and were to be written.",
                events.getFirst().sentence());
    }

    // Regions and windows.

    @Test
    void largeRegionClosed_itsMemoryIsFreedAtOnce() {
        MemoryRegion region = pair.b.domain.allocate(OffHeapMemory.FREED_AT_ONCE_BYTES, REMOTE_READ);
        MemorySegment segment = region.segment();
        assertTrue(segment.scope().isAlive());
        region.close();
        assertFalse(segment.scope().isAlive());
    }

    @Test
    void regionOfAPartOfASegment_isExactlyThatPart() throws IOException {
        AddressSpace space = memory.createAddressSpace("user");
        AddressSegment pinned = space.mapPinned(PAGE);
        MemorySegment whole = pinned.segment().orElseThrow();
        whole.fill((byte) 1).asSlice(100, 50).fill((byte) 2);
        ProtectionDomain domain = pair.b.domain;
        assertThrows(IllegalArgumentException.class, () -> domain.register(pinned, PAGE - 49, 50, REMOTE_READ));
        assertThrows(IllegalArgumentException.class, () -> domain.register(pinned, -1, 50, REMOTE_READ));
        assertThrows(IllegalArgumentException.class, () -> domain.register(pinned, 0, 0, REMOTE_READ));
        assertEquals(50, domain.register(pinned, PAGE - 50, 50, REMOTE_READ).length());
        assertEquals(1, domain.register(pinned, 0, 1, REMOTE_READ).length());
        MemoryRegion region = domain.register(pinned, 100, 50, REMOTE_READ);
        pair.a.queuePair.postRead(1, pair.a.memory, 0, 50, region.address(), region.rkey(), SIGNALLED);
        world.settle();
        assertEquals(List.of("1 SUCCESS"), pair.a.polled());
        assertArrayEquals(
                whole.asSlice(100, 50).toArray(JAVA_BYTE),
                pair.a.memory.segment().asSlice(0, 50).toArray(JAVA_BYTE));
        region.close();
        pinned.close();
        assertEquals(List.of(), ManualWorld.events(pair.b.rnic), "the closed region is not lost");
    }

    @Test
    void region_describesItself() {
        MemoryRegion region = pair.b.domain.allocate(1, LOCAL_WRITE, REMOTE_READ);
        assertEquals(Set.of(LOCAL_WRITE, REMOTE_READ), region.rights());
        assertSame(pair.b.domain, region.protectionDomain());
        assertSame(pair.b.rnic, pair.b.domain.rnic());
        assertThrows(IllegalArgumentException.class, () -> pair.b.domain.allocate(0));
    }

    @Test
    void fileMapped_isWritableIfARightNeedsIt() throws IOException {
        Path file = Files.write(folder.resolve("file"), new byte[10]);
        ProtectionDomain domain = pair.b.domain;
        MemoryRegion read = domain.map(file, 0, 10, REMOTE_READ);
        assertTrue(read.segment().isReadOnly());
        assertThrows(IOException.class, () -> domain.map(file, 0, 11, REMOTE_READ));
        MemoryRegion written = domain.map(file, 0, 11, REMOTE_WRITE);
        assertFalse(written.segment().isReadOnly());
        assertEquals(11, Files.size(file));
        assertFalse(domain.map(file, 0, 11, LOCAL_WRITE).segment().isReadOnly());
    }

    @Test
    void arenaOfARegionClosed_isReportedOnce() {
        Arena arena = Arena.ofShared();
        MemoryRegion region = pair.b.domain.register(arena.allocate(64), LOCAL_WRITE, REMOTE_READ);
        pair.b.queuePair.findLoss();
        assertTrue(region.valid());
        arena.close();
        pair.b.queuePair.findLoss();
        assertFalse(region.valid());
        assertEquals(List.of(AsyncEventType.REGION_LOST), ManualWorld.events(pair.b.rnic));
        pair.b.queuePair.findLoss();
        assertEquals(List.of(), ManualWorld.events(pair.b.rnic));
    }

    @Test
    void domainClosed_everyUse_isRefused() throws IOException {
        ProtectionDomain domain = pair.b.rnic.allocateProtectionDomain();
        AddressSpace space = memory.createAddressSpace("user");
        AddressSegment segment = space.mapPinned(PAGE);
        domain.close();
        allRefused(
                () -> domain.allocate(1),
                () -> domain.register(Arena.ofAuto().allocate(8)),
                () -> domain.register(segment, 0, 1),
                () -> domain.register(space),
                () -> domain.map(FILE, 0, 1),
                domain::allocateWindow,
                () -> domain.createQueuePair(QueuePairOptions.of(pair.b.cq)),
                () -> domain.createSharedReceiveQueue(SharedReceiveQueueOptions.depth(4)));
        domain.close();
    }

    @Test
    void registrationOfAClosedProcess_isRefused_andTheDomainServesAnother() throws IOException {
        ProtectionDomain domain = pair.b.rnic.allocateProtectionDomain();
        AddressSpace gone = memory.createAddressSpace("gone");
        AddressSegment segment = gone.map(PAGE);
        gone.close();
        allRefused(() -> domain.register(gone, REMOTE_READ), () -> domain.register(segment, 0, PAGE, REMOTE_READ));
        AddressSpace other = memory.createAddressSpace("other");
        domain.register(other, REMOTE_READ).close();
        domain.register(other.map(PAGE), 0, PAGE, REMOTE_READ).close();
        domain.close();
    }

    @Test
    void domainWithAnyObject_cannotBeClosed_untilThatIsClosed() {
        ProtectionDomain domain = pair.b.rnic.allocateProtectionDomain();
        MemoryRegion region = domain.allocate(1);
        allRefused(domain::close);
        region.close();
        MemoryWindow window = domain.allocateWindow();
        allRefused(domain::close);
        window.close();
        SharedReceiveQueue queue = domain.createSharedReceiveQueue(SharedReceiveQueueOptions.depth(4));
        allRefused(domain::close);
        queue.close();
        QueuePair queuePair = domain.createQueuePair(QueuePairOptions.of(pair.b.cq));
        allRefused(domain::close);
        queuePair.close();
        assertDoesNotThrow(domain::close);
    }

    @Test
    void windowClosed_everyUse_isRefused() {
        MemoryRegion region = pair.b.domain.allocate(64, LOCAL_WRITE, BIND);
        MemoryWindow window =
                pair.b.domain.allocateWindow(WindowOptions.defaults().withScope(Scope.DOMAIN));
        window.close();
        allRefused(() -> window.bind(region, 0, 1, REMOTE_READ), window::unbind);
        window.close();
    }

    @Test
    void rnicClosed_regionsAndWindowsAreClosed() {
        MemoryRegion region = pair.b.domain.allocate(64, LOCAL_WRITE, BIND);
        MemoryWindow window =
                pair.b.domain.allocateWindow(WindowOptions.defaults().withScope(Scope.DOMAIN));
        window.bind(region, 0, 1, REMOTE_READ);
        assertTrue(window.bound());
        pair.b.rnic.close();
        assertFalse(window.bound());
        assertFalse(region.valid());
        allRefused(window::unbind);
    }
}
