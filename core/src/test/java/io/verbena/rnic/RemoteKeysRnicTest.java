package io.verbena.rnic;

import static io.verbena.verbs.AccessRight.BIND;
import static io.verbena.verbs.AccessRight.LOCAL_WRITE;
import static io.verbena.verbs.AccessRight.REMOTE_ATOMIC;
import static io.verbena.verbs.AccessRight.REMOTE_READ;
import static io.verbena.verbs.AccessRight.REMOTE_WRITE;
import static io.verbena.verbs.WrFlags.SIGNALLED;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.MemoryStream;
import io.verbena.memory.EngineEpoch;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WindowOptions;
import io.verbena.verbs.WorkRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys that are allocated, bound, unbound and deallocated. B owns the memory, A is the peer. */
public class RemoteKeysRnicTest extends KeyPair {

    @Test
    void bindPosted_grantsExactlyItsBytes_andTheKeyIsKnownAtOnce() throws IOException {
        Pair pair = new Pair(world).connect();
        MemoryRegion region = bindable(pair.b.domain);
        MemoryWindow window = pair.b.domain.allocateWindow();
        assertNotEquals(0, window.rkey());
        assertFalse(window.bound());
        pair.a.fill(3);
        // A Send posted after the bind carries the key that the bind will make valid.
        pair.a.queuePair.postReceive(9, pair.a.memory, 600_000, 64);
        pair.b.queuePair.post(pair.b
                .queuePair
                .newWorkRequest()
                .bind(window, region, 333, 77, REMOTE_WRITE)
                .id(4));
        window.remote().write(pair.b.memory.segment(), 0);
        pair.b.queuePair.postSend(5, pair.b.memory, 0, RemoteRegion.ENCODED_BYTES, SIGNALLED);
        world.settle();
        assertEquals(List.of("4 SUCCESS", "5 SUCCESS"), pair.b.polled());
        assertEquals(List.of("9 SUCCESS"), pair.a.polled());
        RemoteRegion observed = RemoteRegion.read(pair.a.memory.segment(), 600_000);
        assertEquals(window.remote(), observed);
        assertTrue(window.bound());

        assertEquals("allowed", write(pair, observed, 0, 77));
        for (int i = 0; i < 333; i++) {
            assertEquals(0, region.segment().get(JAVA_BYTE, i));
        }
        assertEquals(
                -1,
                region.segment()
                        .asSlice(333, 77)
                        .mismatch(pair.a.memory.segment().asSlice(0, 77)));
        assertEquals(0, region.segment().get(JAVA_BYTE, 410));
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 77, 76})
    void accessOutsideTheBoundBytes_isRefused(long offset) throws IOException {
        Pair pair = new Pair(world).connect();
        MemoryRegion region = bindable(pair.b.domain);
        MemoryWindow window = pair.b.domain.allocateWindow();
        bind(pair, window, region, 333, 77);
        assertEquals("refused", write(pair, window.remote(), offset, 2));
        assertEquals(0, region.segment().get(JAVA_BYTE, 333 + offset));
        assertEquals(
                AsyncEventType.QP_ACCESS_ERROR,
                pair.b.rnic.pollAsyncEvents(Duration.ZERO).getFirst().type());
    }

    @Test
    void bindOfInaccessibleMemory_isAnInvalidParameter() throws IOException {
        Pair pair = new Pair(world).connect();
        ProtectionDomain other = pair.b.rnic.allocateProtectionDomain();
        MemoryRegion foreign = bindable(other);
        MemoryRegion noBind = pair.b.domain.allocate(4096, LOCAL_WRITE);
        MemoryRegion readOnly = pair.b.domain.allocate(4096, BIND);
        MemoryRegion region = bindable(pair.b.domain);
        MemoryWindow window = pair.b.domain.allocateWindow(SHARED);
        assertThrows(IllegalArgumentException.class, () -> window.bind(foreign, 0, 8, REMOTE_READ));
        assertThrows(IllegalArgumentException.class, () -> window.bind(noBind, 0, 8, REMOTE_READ));
        assertThrows(IllegalArgumentException.class, () -> window.bind(readOnly, 0, 8, REMOTE_WRITE));
        assertThrows(IllegalArgumentException.class, () -> window.bind(readOnly, 0, 8, REMOTE_ATOMIC));
        assertThrows(IllegalArgumentException.class, () -> window.bind(region, 0, 8, LOCAL_WRITE));
        assertThrows(IllegalArgumentException.class, () -> window.bind(region, -1, 8, REMOTE_READ));
        assertThrows(IllegalArgumentException.class, () -> window.bind(region, 65_530, 8, REMOTE_READ));
        assertThrows(IllegalArgumentException.class, () -> window.bind(region, 0, 0, REMOTE_READ));
        assertThrows(IllegalArgumentException.class, () -> window.bind(region, 8, Long.MAX_VALUE, REMOTE_READ));
        assertFalse(window.bound());
        assertEquals(
                RemoteRegion.class, window.bind(readOnly, 0, 8, REMOTE_READ).getClass());
        assertTrue(window.bound());
        foreign.close();
        other.close();
    }

    @Test
    void postedBindOutOfBoundsOrOfAClosedRegion_isRefusedAndTheConnectionLives() throws IOException {
        Pair pair = new Pair(world).connect();
        MemoryRegion region = bindable(pair.b.domain);
        MemoryWindow window = pair.b.domain.allocateWindow();
        WorkRequest request = pair.b.queuePair.newWorkRequest();
        for (long[] range : new long[][] {
            {65_000, 1000}, {-1, 8}, {0, 0}, {0, -1}, {8, Long.MAX_VALUE}, {Long.MAX_VALUE, 8}, {0, 65_537}
        }) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> request.bind(window, region, range[0], range[1], REMOTE_READ),
                    () -> range[0] + " + " + range[1]);
        }
        MemoryRegion gone = bindable(pair.b.domain);
        WorkRequest late = pair.b.queuePair.newWorkRequest().bind(window, gone, 0, 8, REMOTE_READ);
        gone.close();
        assertThrows(IllegalStateException.class, () -> pair.b.queuePair.post(late));
        bind(pair, window, region, 65_000, 536);
        assertEquals("allowed", write(pair, window.remote(), 0, 536));
    }

    @Test
    void postedBindWithoutTheRight_completesWithBindFailed() throws IOException {
        Pair pair = new Pair(world).connect();
        MemoryRegion region = pair.b.domain.allocate(65_536, LOCAL_WRITE, REMOTE_READ);
        MemoryWindow window = pair.b.domain.allocateWindow();
        WorkRequest noRight = pair.b.queuePair.newWorkRequest().bind(window, region, 0, 1000, REMOTE_READ);
        pair.b.queuePair.post(noRight.id(8));
        world.settle();
        assertEquals(List.of("8 BIND_FAILED"), pair.b.polled());
        assertTrue(pair.b.cursor.reason().contains("bind")
                || pair.b.queuePair.state().failed());
        assertFalse(window.bound());
    }

    @ParameterizedTest
    @ValueSource(strings = {"failed", "flushed", "posted after the end", "refused by the verb"})
    void bindThatIsNotExecuted_keepsTheOldBinding_whichUnbindEnds(String manner) throws IOException {
        Pair pair = new Pair(world).connect();
        SoftQueuePair other = second(pair);
        MemoryRegion region = bindable(pair.b.domain);
        MemoryWindow window = pair.b.domain.allocateWindow(SHARED);
        RemoteRegion observed = window.bind(region, 0, 100, REMOTE_READ);
        WorkRequest again = pair.b.queuePair.newWorkRequest().bind(window, region, 200, 100, REMOTE_READ);
        switch (manner) {
            case "failed" -> {
                MemoryRegion gone = bindable(pair.b.domain);
                pair.b.queuePair.startBatch();
                pair.b.queuePair.post(again.bind(window, gone, 0, 100, REMOTE_READ));
                gone.close();
                pair.b.queuePair.ringDoorbell();
            }
            case "flushed" -> {
                pair.b.queuePair.startBatch();
                pair.b.queuePair.post(again);
                pair.b.queuePair.modify(QueuePairChange.to(IwarpQueuePairState.ERROR));
                pair.b.queuePair.ringDoorbell();
            }
            case "posted after the end" -> {
                pair.b.queuePair.modify(QueuePairChange.to(IwarpQueuePairState.ERROR));
                pair.b.queuePair.post(again);
            }
            default ->
                assertThrows(IllegalArgumentException.class, () -> window.bind(region, 65_530, 100, REMOTE_READ));
        }
        world.settle();
        assertTrue(window.bound());
        assertEquals(observed, window.remote());
        assertEquals(observed.rkey(), window.rkey());
        window.unbind();
        assertFalse(window.bound());
        pair.a.polled();
        other.postRead(7, pair.a.memory, 0, 100, observed, 0, SIGNALLED);
        world.settle();
        assertEquals(List.of("7 REMOTE_ACCESS"), pair.a.polled());
    }

    @Test
    void bindForAQueuePairThatEnded_isRefused() throws IOException {
        Pair pair = new Pair(world).connect();
        MemoryRegion region = bindable(pair.b.domain);
        MemoryWindow window = pair.b.domain.allocateWindow();
        pair.b.queuePair.modify(QueuePairChange.to(IwarpQueuePairState.ERROR));
        assertThrows(IllegalStateException.class, () -> window.bindFor(pair.b.queuePair, region, 0, 8, REMOTE_READ));
        assertFalse(window.bound());
    }

    @Test
    void unbindPosted_isExecutedInOrder_andTheKeyIsInvalid() throws IOException {
        Pair pair = new Pair(world).connect();
        MemoryRegion region = bindable(pair.b.domain);
        MemoryWindow window = pair.b.domain.allocateWindow();
        bind(pair, window, region, 0, 100);
        RemoteRegion observed = window.remote();
        assertEquals("allowed", write(pair, observed, 0, 100));
        pair.b.queuePair.post(pair.b.queuePair.newWorkRequest().unbind(window).id(6));
        world.settle();
        assertEquals(List.of("6 SUCCESS"), pair.b.polled());
        assertFalse(window.bound());
        assertEquals(0, window.remote().length());
        assertEquals("refused", write(pair, observed, 0, 1));
    }

    @Test
    void deallocate_endsAllValues_andAllocationOfManyIsAllOrNothing() throws IOException {
        Pair pair = new Pair(world).connect();
        List<MemoryWindow> windows = pair.b.domain.allocateWindows(1000, SHARED);
        Set<Integer> values = new HashSet<>();
        windows.forEach(window -> assertTrue(values.add(window.rkey())));
        int before = pair.b.rnic.context().regions().remoteKeyCount();
        windows.forEach(MemoryWindow::close);
        windows.forEach(MemoryWindow::close);
        assertEquals(before - 1000, pair.b.rnic.context().regions().remoteKeyCount());
        assertEquals(0, pair.b.rnic.context().regions().keys().allocated());
        WorkRequest request = pair.b.queuePair.newWorkRequest();
        MemoryRegion region = bindable(pair.b.domain);
        assertThrows(IllegalStateException.class, () -> request.bind(windows.getFirst(), region, 0, 8, REMOTE_READ));
        assertThrows(IllegalStateException.class, () -> windows.getFirst().bind(region, 0, 8, REMOTE_READ));
    }

    // Several engines, and cases that broke others.

    @ParameterizedTest
    @ValueSource(strings = {"bind", "unbind", "invalidate", "peer"})
    void severalEngines_endOfAKey_completesWhenTheOthersHaveLeft(String manner) throws IOException {
        Pair pair = new Pair(world, RnicOptions.defaults().withEngines(2), 1024, o -> o).connect();
        MemoryRegion region = bindable(pair.b.domain);
        MemoryWindow window = pair.b.domain.allocateWindow();
        bind(pair, window, region, 0, 1000);
        int engine = pair.b.queuePair.engine().index();
        EngineEpoch busy = pair.b.rnic.engine(1 - engine).epoch();
        pair.b.queuePair.postReceive(8, pair.b.memory, 0, 10);
        WorkRequest request = pair.b.queuePair.newWorkRequest();
        boolean byPeer = manner.equals("peer");
        if (byPeer) {
            pair.a.queuePair.post(pair.a.queuePair.newWorkRequest().sendWithInvalidate(window.rkey()));
            pair.a.rnic.engine(pair.a.queuePair.engine().index()).turn(world.nowNs);
            world.network.streams.forEach(MemoryStream::poll);
        } else {
            pair.b.queuePair.post((switch (manner) {
                        case "bind" -> request.bind(window, region, 2000, 10, REMOTE_READ);
                        case "unbind" -> request.unbind(window);
                        default -> request.localInvalidate(window.rkey());
                    })
                    .id(8));
        }
        busy.enter();
        for (int i = 0; i < 3; i++) {
            pair.b.rnic.engine(engine).turn(world.nowNs);
        }
        assertEquals(List.of(), pair.b.polled());
        assertFalse(window.bound());
        busy.leave();
        world.advance(50_000_000);
        assertEquals(List.of("8 SUCCESS"), pair.b.polled());
        assertEquals(manner.equals("bind"), window.bound());
    }

    @Test
    void windowOfARegionThatIsClosed_neverMatches() throws IOException {
        Pair pair = new Pair(world).connect();
        MemoryRegion region = bindable(pair.b.domain);
        MemoryWindow window = pair.b.domain.allocateWindow();
        bind(pair, window, region, 0, 1000);
        RemoteRegion observed = window.remote();
        region.close();
        assertFalse(window.bound());
        assertEquals("refused", write(pair, observed, 0, 1));
    }

    @Test
    void invalidate_comparesTheWholeKey() throws IOException {
        Pair pair = new Pair(world).connect();
        MemoryRegion region = bindable(pair.b.domain);
        MemoryWindow window = pair.b.domain.allocateWindow();
        bind(pair, window, region, 0, 1000);
        for (int bit = 0; bit < Integer.SIZE; bit++) {
            assertFalse(pair.b
                    .rnic
                    .context()
                    .regions()
                    .invalidate(window.rkey() ^ 1 << bit, 1)
                    .ok());
        }
        assertTrue(window.bound());
    }

    @Test
    void templateChangedAfterThePost_bindsWhatWasPosted() throws IOException {
        Pair pair = new Pair(world).connect();
        MemoryRegion region = bindable(pair.b.domain);
        MemoryWindow window = pair.b.domain.allocateWindow();
        WorkRequest request = pair.b.queuePair.newWorkRequest().bind(window, region, 100, 10, REMOTE_WRITE);
        pair.b.queuePair.startBatch();
        pair.b.queuePair.post(request);
        RemoteRegion observed = window.remote();
        request.send().gather(region, 0, 64 * 1024);
        pair.b.queuePair.ringDoorbell();
        world.settle();
        assertEquals("allowed", write(pair, observed, 0, 10));
        assertEquals("refused", write(pair, observed, 10, 1));
    }

    @Test
    void invalidLocalKey_isAnErrorCompletion() throws IOException {
        Pair pair = new Pair(world).connect();
        MemoryRegion region = bindable(pair.b.domain);
        pair.b.queuePair.startBatch();
        pair.b.queuePair.postSend(1, region, 0, 100, SIGNALLED);
        region.close();
        pair.b.queuePair.ringDoorbell();
        world.settle();
        assertEquals(List.of("1 LOCAL_PROTECTION"), pair.b.polled());
    }

    @Test
    void addressAndLengthThatWrap_areRefused() throws IOException {
        Pair pair = new Pair(world).connect();
        MemoryRegion region = bindable(pair.b.domain);
        MemoryWindow window =
                pair.b.domain.allocateWindow(WindowOptions.defaults().withZeroBased(true));
        bind(pair, window, region, 0, 1000);
        pair.a.queuePair.postWrite(1, pair.a.memory, 0, 100, -50, window.rkey(), SIGNALLED);
        world.settle();
        assertTrue(pair.b.queuePair.state().failed());
        assertTrue(pair.fromA.termination().isPresent());
    }
}
