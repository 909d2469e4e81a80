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
import io.verbena.verbs.AddressSegment;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.VirtualMemory;
import io.verbena.verbs.VirtualMemoryOptions;
import io.verbena.verbs.WindowOptions;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whom a key serves and for how long: new values, zero-based keys, one queue pair or a domain, one message only. */
public class KeyValuesRnicTest extends KeyPair {

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

    private Pair twoQueuePairs(RnicOptions options, WindowOptions windowOptions, MemoryWindow[] created)
            throws IOException {
        Pair pair = new Pair(world, options, 1024, o -> o).connect();
        created[0] = pair.b.domain.allocateWindow(windowOptions);
        return pair;
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
}
