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
import io.verbena.verbs.AddressSegment;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.VirtualMemory;
import io.verbena.verbs.VirtualMemoryOptions;
import io.verbena.verbs.WindowOptions;
import io.verbena.verbs.WindowOptions.Scope;
import io.verbena.verbs.WorkRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys that are allocated, bound, unbound and deallocated. B owns the memory, A is the peer. */
class RemoteKeysRnicTest {

    private static final WindowOptions SHARED = WindowOptions.defaults().withScope(Scope.DOMAIN);

    private final ManualWorld world = newWorld();

    /** The world of the tests, for tests of other streams. */
    ManualWorld newWorld() {
        return new ManualWorld();
    }

    @AfterEach
    void close() {
        world.close();
    }

    private static MemoryRegion bindable(ProtectionDomain domain) {
        return domain.allocate(64 * 1024, LOCAL_WRITE, BIND);
    }

    private void bind(Pair pair, MemoryWindow window, MemoryRegion region, long offset, long length) {
        WorkRequest bind =
                pair.b.queuePair.newWorkRequest().bind(window, region, offset, length, REMOTE_READ, REMOTE_WRITE);
        assertTrue(pair.b.queuePair.post(bind.id(50)));
        world.settle();
        assertEquals(List.of("50 SUCCESS"), pair.b.polled());
    }

    private String write(Pair pair, RemoteRegion target, long offset, int length) {
        pair.a.queuePair.postWrite(1, pair.a.memory, 0, length, target.address() + offset, target.rkey(), SIGNALLED);
        // The result of a Write is known when a Read posted after it has completed.
        pair.a.queuePair.postRead(
                2, pair.a.memory, 500_000, 1, pair.b.memory.address(), pair.b.memory.rkey(), SIGNALLED);
        world.settle();
        List<String> all = pair.a.polled();
        return all.contains("2 SUCCESS") ? "allowed" : "refused";
    }

    // Binding by work on the send queue.

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
    void bindThatIsNotExecuted_keepsTheOldBinding_whichUnbindEnds(String how) throws IOException {
        Pair pair = new Pair(world).connect();
        SoftQueuePair other = second(pair);
        MemoryRegion region = bindable(pair.b.domain);
        MemoryWindow window = pair.b.domain.allocateWindow(SHARED);
        RemoteRegion observed = window.bind(region, 0, 100, REMOTE_READ);
        WorkRequest again = pair.b.queuePair.newWorkRequest().bind(window, region, 200, 100, REMOTE_READ);
        switch (how) {
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

    // Key values.

    @Test
    void boundAgain_freshValueByDefault_theOldOneNeverMatches() throws IOException {
        Pair pair = new Pair(world).connect();
        MemoryRegion region = bindable(pair.b.domain);
        MemoryWindow window = pair.b.domain.allocateWindow();
        bind(pair, window, region, 0, 100);
        RemoteRegion first = window.remote();
        bind(pair, window, region, 1000, 100);
        RemoteRegion second = window.remote();
        assertNotEquals(first.rkey(), second.rkey());
        assertEquals("allowed", write(pair, second, 0, 100));
        assertEquals("refused", write(pair, first, 0, 1));
        assertEquals(0, region.segment().get(JAVA_BYTE, 0));
    }

    @Test
    void boundAgain_keepingItsValue_protectsTheNewRangeOnly() throws IOException {
        Pair pair = new Pair(world).connect();
        MemoryRegion region = bindable(pair.b.domain);
        MemoryWindow window =
                pair.b.domain.allocateWindow(WindowOptions.defaults().withFreshKey(false));
        bind(pair, window, region, 0, 100);
        RemoteRegion first = window.remote();
        bind(pair, window, region, 1000, 100);
        assertEquals(first.rkey(), window.rkey());
        assertEquals("allowed", write(pair, window.remote(), 0, 100));
        assertEquals("refused", write(pair, first, 0, 1));
        assertEquals(0, region.segment().get(JAVA_BYTE, 0));
    }

    @Test
    void zeroBased_firstByteHasAddressZero() throws IOException {
        Pair pair = new Pair(world).connect();
        MemoryRegion region = bindable(pair.b.domain);
        MemoryWindow window =
                pair.b.domain.allocateWindow(WindowOptions.defaults().withZeroBased(true));
        bind(pair, window, region, 500, 100);
        assertEquals(0, window.remote().address());
        pair.a.fill(1);
        assertEquals("allowed", write(pair, window.remote(), 20, 80));
        assertEquals(pair.a.memory.segment().get(JAVA_BYTE, 0), region.segment().get(JAVA_BYTE, 520));
        assertEquals("refused", write(pair, window.remote(), 100, 1));
    }

    private Pair twoQueuePairs(RnicOptions options, WindowOptions windowOptions, MemoryWindow[] made)
            throws IOException {
        Pair pair = new Pair(world, options, 1024, o -> o).connect();
        made[0] = pair.b.domain.allocateWindow(windowOptions);
        return pair;
    }

    /** A second connection between the same processes. */
    private SoftQueuePair second(Pair pair) throws IOException {
        SoftQueuePair a = (SoftQueuePair) pair.a.domain.createQueuePair(QueuePairOptions.of(pair.a.cq));
        SoftQueuePair b = (SoftQueuePair) pair.b.domain.createQueuePair(QueuePairOptions.of(pair.b.cq));
        try (Listener listener = pair.b.rnic.listen(world.address())) {
            pair.a.rnic.startConnect(a, listener.localAddress(), ConnectionOptions.defaults());
            listener.nextRequest(Pair.SECOND).orElseThrow().startAccept(b, ConnectionOptions.defaults());
            world.settle();
        }
        assertEquals(IwarpQueuePairState.RTS, a.state());
        return a;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void keyOfOneQueuePair_isUselessOnAnother_andOneOfTheDomainIsNot(boolean shared) throws IOException {
        MemoryWindow[] window = new MemoryWindow[1];
        Pair pair = twoQueuePairs(RnicOptions.defaults(), shared ? SHARED : WindowOptions.defaults(), window);
        SoftQueuePair other = second(pair);
        MemoryRegion region = bindable(pair.b.domain);
        bind(pair, window[0], region, 0, 100);
        assertEquals("allowed", write(pair, window[0].remote(), 0, 100));
        other.postRead(7, pair.a.memory, 0, 100, window[0].remote(), 0, SIGNALLED);
        world.settle();
        assertEquals(List.of(shared ? "7 SUCCESS" : "7 REMOTE_ACCESS"), pair.a.polled());
    }

    @Test
    void oneShot_firstMessageConsumesIt_withAnyNumberOfSegments() throws IOException {
        Pair pair = new Pair(world).connect();
        MemoryRegion region = pair.b.domain.allocate(300_000, LOCAL_WRITE, BIND);
        MemoryWindow window =
                pair.b.domain.allocateWindow(WindowOptions.defaults().withOneShot(true));
        pair.a.fill(1);
        bind(pair, window, region, 0, 300_000);
        RemoteRegion observed = window.remote();
        assertEquals("allowed", write(pair, observed, 0, 300_000));
        assertEquals(-1, region.segment().mismatch(pair.a.memory.segment().asSlice(0, 300_000)));
        assertFalse(window.bound());
        assertEquals(new RemoteRegion(0, 0, 0), window.remote());
        bind(pair, window, region, 0, 300_000);
        RemoteRegion again = window.remote();
        pair.a.queuePair.postRead(3, pair.a.memory, 400_000, 300_000, again, 0, SIGNALLED);
        world.settle();
        assertEquals(List.of("3 SUCCESS"), pair.a.polled());
        assertFalse(window.bound());
        assertEquals("refused", write(pair, observed, 0, 1));
    }

    @Test
    void oneShot_secondReadBeforeTheFirstIsAnswered_isRefused() throws IOException {
        Pair pair = new Pair(world).connect();
        MemoryRegion region = bindable(pair.b.domain);
        MemoryWindow window =
                pair.b.domain.allocateWindow(WindowOptions.defaults().withOneShot(true));
        bind(pair, window, region, 0, 1000);
        pair.a.queuePair.startBatch();
        pair.a.queuePair.postRead(1, pair.a.memory, 0, 1000, window.remote(), 0, SIGNALLED);
        pair.a.queuePair.postRead(2, pair.a.memory, 0, 1000, window.remote(), 0, SIGNALLED);
        pair.a.queuePair.ringDoorbell();
        world.settle();
        List<String> all = pair.a.polled();
        assertFalse(all.contains("2 SUCCESS"), all.toString());
        assertFalse(window.bound());
    }

    @Test
    void oneShot_connectionEndsBeforeTheReadIsAnswered_keyEndsWithIt() throws IOException {
        Pair pair = new Pair(world).connect();
        VirtualMemory memory =
                pair.b.rnic.openVirtualMemory(VirtualMemoryOptions.defaults().withFrameBytes(1 << 20));
        AddressSegment segment = memory.createAddressSpace("server").map(64 * 1024);
        MemoryRegion region = pair.b.domain.register(segment, 0, 64 * 1024, LOCAL_WRITE, BIND);
        MemoryWindow window = pair.b.domain.allocateWindow(SHARED.withOneShot(true));
        window.bind(region, 0, 1000, REMOTE_READ);
        ManualEnvironment.of(pair.b.rnic).paging.frozen = true;
        pair.a.queuePair.postRead(1, pair.a.memory, 0, 1000, window.remote(), 0, SIGNALLED);
        world.settle();
        assertTrue(window.bound());
        pair.b.queuePair.modify(QueuePairChange.to(IwarpQueuePairState.ERROR));
        world.settle();
        assertFalse(window.bound());
        ManualEnvironment.of(pair.b.rnic).paging.frozen = false;
    }

    @Test
    void oneShot_connectionEndsInTheMiddleOfTheWrite_keyEndsWithIt() throws IOException {
        Pair pair = new Pair(world).connect();
        MemoryRegion region = pair.b.domain.allocate(300_000, LOCAL_WRITE, BIND);
        MemoryWindow window = pair.b.domain.allocateWindow(SHARED.withOneShot(true));
        window.bind(region, 0, 300_000, REMOTE_WRITE);
        pair.a.queuePair.postWrite(1, pair.a.memory, 0, 300_000, window.remote(), 0, SIGNALLED);
        pair.a.rnic.engine(0).turn(world.nowNs);
        world.network.streams.forEach(MemoryStream::poll);
        pair.b.rnic.engine(0).turn(world.nowNs);
        assertTrue(window.bound());
        pair.b.queuePair.modify(QueuePairChange.to(IwarpQueuePairState.ERROR));
        world.settle();
        assertFalse(window.bound());
    }

    @Test
    void oneShotAtomic_executesOnce() throws IOException {
        Pair pair = new Pair(world).connect();
        MemoryRegion region = bindable(pair.b.domain);
        MemoryWindow window =
                pair.b.domain.allocateWindow(WindowOptions.defaults().withOneShot(true));
        pair.b.queuePair.post(pair.b.queuePair.newWorkRequest().bind(window, region, 64, 8, REMOTE_ATOMIC));
        world.settle();
        RemoteRegion word = window.remote();
        for (int i = 0; i < 2; i++) {
            pair.a.queuePair.postFetchAndAdd(i, pair.a.memory, 0, word.address(), word.rkey(), 1, SIGNALLED);
            world.settle();
            assertFalse(window.bound(), "after atomic " + i);
            assertEquals(0, window.remote().length());
        }
        List<String> all = pair.a.polled();
        assertEquals("0 SUCCESS", all.getFirst());
        assertFalse(all.contains("1 SUCCESS"));
        assertEquals(1, region.segment().get(JAVA_BYTE, 64));
    }

    @Test
    void sendWithInvalidate_unbindsAKeyOfThatQueuePair_andNotOneOfTheDomain() throws IOException {
        Pair pair = new Pair(world).connect();
        MemoryRegion region = bindable(pair.b.domain);
        MemoryWindow window = pair.b.domain.allocateWindow();
        bind(pair, window, region, 0, 1000);
        pair.b.queuePair.postReceive(1, pair.b.memory, 0, 10);
        pair.b.queuePair.postReceive(2, pair.b.memory, 0, 10);
        pair.a.queuePair.post(pair.a.queuePair.newWorkRequest().sendWithInvalidate(window.rkey()));
        world.settle();
        assertTrue(pair.b.cursor.next());
        assertEquals(window.rkey(), pair.b.cursor.invalidatedKey());
        assertFalse(window.bound());
        MemoryWindow shared = pair.b.domain.allocateWindow(SHARED);
        RemoteRegion observed = shared.bind(region, 0, 1000, REMOTE_READ);
        pair.a.polled();
        pair.a.queuePair.post(pair.a.queuePair.newWorkRequest().sendWithInvalidate(observed.rkey()));
        world.settle();
        assertTrue(shared.bound());
        assertTrue(pair.b.queuePair.state().failed());
    }

    @Test
    void queuePairEnds_keysForItsPeerEndWithIt() throws IOException {
        Pair pair = new Pair(world).connect();
        MemoryRegion region = bindable(pair.b.domain);
        MemoryWindow window = pair.b.domain.allocateWindow();
        MemoryWindow shared = pair.b.domain.allocateWindow(SHARED);
        bind(pair, window, region, 0, 1000);
        shared.bind(region, 0, 1000, REMOTE_READ);
        pair.b.queuePair.close();
        assertFalse(window.bound());
        assertTrue(shared.bound());
    }

    @Test
    void bindForOneQueuePair_byTheVerb_servesItsPeerOnly() throws IOException {
        Pair pair = new Pair(world).connect();
        SoftQueuePair other = second(pair);
        MemoryRegion region = bindable(pair.b.domain);
        MemoryWindow window = pair.b.domain.allocateWindow();
        assertThrows(IllegalStateException.class, () -> window.bind(region, 0, 100, REMOTE_READ));
        RemoteRegion observed = window.bindFor(pair.b.queuePair, region, 0, 100, REMOTE_READ, REMOTE_WRITE);
        assertEquals("allowed", write(pair, observed, 0, 100));
        other.postRead(7, pair.a.memory, 0, 100, observed, 0, SIGNALLED);
        world.settle();
        assertEquals(List.of("7 REMOTE_ACCESS"), pair.a.polled());
        window.unbind();
        assertEquals("refused", write(pair, observed, 0, 1));
    }

    // Several engines, and cases that broke others.

    @ParameterizedTest
    @ValueSource(strings = {"bind", "unbind", "invalidate", "peer"})
    void severalEngines_endOfAKey_completesWhenTheOthersHaveLeft(String how) throws IOException {
        Pair pair = new Pair(world, RnicOptions.defaults().withEngines(2), 1024, o -> o).connect();
        MemoryRegion region = bindable(pair.b.domain);
        MemoryWindow window = pair.b.domain.allocateWindow();
        bind(pair, window, region, 0, 1000);
        int engine = pair.b.queuePair.engine().index();
        EngineEpoch busy = pair.b.rnic.engine(1 - engine).epoch();
        pair.b.queuePair.postReceive(8, pair.b.memory, 0, 10);
        WorkRequest request = pair.b.queuePair.newWorkRequest();
        boolean byPeer = how.equals("peer");
        if (byPeer) {
            pair.a.queuePair.post(pair.a.queuePair.newWorkRequest().sendWithInvalidate(window.rkey()));
            pair.a.rnic.engine(pair.a.queuePair.engine().index()).turn(world.nowNs);
            world.network.streams.forEach(MemoryStream::poll);
        } else {
            pair.b.queuePair.post((switch (how) {
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
        assertEquals(how.equals("bind"), window.bound());
    }

    @Test
    void case39_windowOfARegionThatIsClosed_neverMatches() throws IOException {
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
    void case39_invalidate_comparesTheWholeKey() throws IOException {
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
    void case43_templateChangedAfterThePost_bindsWhatWasPosted() throws IOException {
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
    void case45_invalidLocalKey_isAnErrorCompletion() throws IOException {
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
    void case29_addressAndLengthThatWrap_areRefused() throws IOException {
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
