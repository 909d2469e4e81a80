package io.verbena.rnic.memory;

import static io.verbena.verbs.AccessRight.BIND;
import static io.verbena.verbs.AccessRight.LOCAL_WRITE;
import static io.verbena.verbs.AccessRight.REMOTE_READ;
import static io.verbena.verbs.AccessRight.REMOTE_WRITE;
import static io.verbena.verbs.WrFlags.SIGNALLED;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rnic.AddressSpacePair;
import io.verbena.verbs.AddressSegment;
import io.verbena.verbs.AddressSpace;
import io.verbena.verbs.AddressSpaceOptions;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.PageTableKind;
import io.verbena.verbs.Translation;
import io.verbena.verbs.WindowOptions;
import io.verbena.verbs.WindowOptions.Scope;
import io.verbena.verbs.WorkRequest;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Address spaces, their tables, and what registers them. B owns the memory, A is the peer. */
class AddressSpaceRnicTest extends AddressSpacePair {

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
}
