package io.verbena.rnic;

import static io.verbena.verbs.AccessRight.LOCAL_WRITE;
import static io.verbena.verbs.AccessRight.REMOTE_READ;
import static io.verbena.verbs.AccessRight.REMOTE_WRITE;
import static io.verbena.verbs.WrFlags.SIGNALLED;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.verbena.verbs.AddressSegment;
import io.verbena.verbs.AddressSpace;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.PageFault;
import io.verbena.verbs.PageFaultHandler.Answer;
import io.verbena.verbs.PageTableKind;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairChange;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Access to memory that is not mapped: the handler of the application maps it or refuses. B owns the memory, A is the peer. */
class PageFaultRnicTest extends AddressSpacePair {

    @Test
    void accessToUnmappedMemory_callsTheErrorHandler_whichMapsIt() throws IOException {
        start(PageTableKind.SHARED, 64);
        AddressSpace space = memory.createAddressSpace("user");
        List<PageFault> faults = new ArrayList<>();
        List<AddressSegment> created = new ArrayList<>();
        space.onPageFault(fault -> {
            faults.add(fault);
            try {
                created.add(space.mapAt(fault.address(), 4L * PAGE));
            } catch (IOException e) {
                return Answer.REFUSED;
            }
            return Answer.MAPPED;
        });
        MemoryRegion all = pair.b.domain.register(space, LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ);
        long address = (77L << 40) + 100;
        write(all.remote(), address, new byte[] {1, 2, 3});
        assertEquals(List.of(new PageFault(address, 3, true, all.rkey())), faults);
        assertEquals(77, created.getFirst().id());
        assertEquals(77L << 40, created.getFirst().address());
        assertArrayEquals(new byte[] {1, 2, 3}, local(space, address, 3));
        List<AsyncEvent> events = pair.b.rnic.pollAsyncEvents(Duration.ZERO);
        assertEquals(AsyncEventType.PAGE_FAULT, events.getFirst().type());
        assertEquals(faults.getFirst(), events.getFirst().pageFault().orElseThrow());
    }

    @Test
    void faultAtTheSameAddressAgain_callsTheHandlerAgain() throws IOException {
        start(PageTableKind.SHARED, 64);
        AddressSpace space = memory.createAddressSpace("user");
        List<AddressSegment> created = new ArrayList<>();
        space.onPageFault(fault -> {
            try {
                created.add(space.mapAt(fault.address(), PAGE));
            } catch (IOException e) {
                return Answer.REFUSED;
            }
            return Answer.MAPPED;
        });
        MemoryRegion all = pair.b.domain.register(space, LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ);
        for (int i = 1; i <= 5; i++) {
            write(all.remote(), 1L << 40, new byte[] {(byte) i});
            assertEquals(i, created.size());
            assertArrayEquals(new byte[] {(byte) i}, read(all.remote(), 1L << 40, 1));
            assertEquals(i, created.size(), "access to mapped pages causes no page fault");
            created.getLast().close();
        }
        read(all.remote(), 1L << 40, 1);
        assertEquals(6, created.size());
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
        int files = paging.pages.count();
        assertThrows(IllegalStateException.class, () -> space.mapAt((9L << 40) + 5L * PAGE, 8L * PAGE));
        assertThrows(IllegalStateException.class, () -> space.mapPinnedAt(9L << 40, PAGE));
        assertThrows(IllegalStateException.class, () -> space.mapFileAt(9L << 40, Path.of("new"), 0, PAGE, true));
        assertThrows(IllegalArgumentException.class, () -> space.mapAt(100, PAGE));
        assertThrows(IllegalArgumentException.class, () -> space.mapAt(-1, PAGE));
        assertThrows(IllegalArgumentException.class, () -> space.mapAt(1L << 56, PAGE));
        assertThrows(IllegalArgumentException.class, () -> space.mapAt((8L << 40) + PAGE, PAGE));
        assertEquals(files, paging.pages.count());
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
}
