package io.verbena.rnic;

import static io.verbena.verbs.AccessRight.LOCAL_WRITE;
import static io.verbena.verbs.AccessRight.REMOTE_WRITE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AddressSegment;
import io.verbena.verbs.AddressSpace;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.Notification;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.VirtualMemoryOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Short messages whose memory is being fetched, that a hostile peer has made, or within whose completion something
 * ends.
 */
@SuppressWarnings("NullAway.Init") // the tests of paging map the space
class ShortMessageTroubleTest {

    private static final int SMALL = 8;
    private static final int PAGE = 4096;

    private final ManualWorld world = ManualWorld.rings();
    private Pair pair;

    @BeforeEach
    void connect() throws IOException {
        pair = new Pair(world, RnicOptions.defaults(), 64, chosen -> chosen.withDepths(64, 64)).connect();
        pair.a.fill(1);
        assertTrue(pair.a.queuePair.postReceive(100, pair.a.memory, 9000, SMALL));
        assertTrue(pair.b.queuePair.postSend(100, pair.b.memory, 0, SMALL, WrFlags.UNSIGNALLED));
        world.settle(); // nothing is sent at once before the peer has sent something
        assertEquals(List.of("100 SUCCESS"), pair.a.polled());
        alone(true);
    }

    @AfterEach
    void close() {
        alone(false);
        world.close();
    }

    private void alone(boolean value) {
        ManualEnvironment.of(pair.a.rnic).alone = value;
        ManualEnvironment.of(pair.a.rnic).woken.clear();
    }

    private void assertExecuted(boolean executed) {
        assertEquals(executed, ManualEnvironment.of(pair.a.rnic).woken.isEmpty());
    }

    private boolean send(int id, long offset) {
        return pair.a.queuePair.postSend(id, pair.a.memory, offset, SMALL, WrFlags.SIGNALLED);
    }

    private boolean write(int id, MemoryRegion from, MemoryRegion to, long at) {
        return pair.a.queuePair.postWrite(id, from, 8, SMALL, to.address() + at, to.rkey(), WrFlags.SIGNALLED);
    }

    private void pollOfB() {
        world.network.poll(); // wakes a side that sleeps
        ManualEnvironment.of(pair.b.rnic).pollRings();
    }

    private long sent(long at) {
        return pair.a.memory.segment().get(JAVA_LONG, at);
    }

    // Paging.

    private AddressSpace space;
    private AddressSegment mapped;

    /** Memory of a side whose pages are absent, and whose pager is stopped. */
    private MemoryRegion absent(Pair.Side side) throws IOException {
        space = side.rnic
                .openVirtualMemory(VirtualMemoryOptions.defaults()
                        .withFrameBytes(16L * PAGE)
                        .withReadAheadPages(0))
                .createAddressSpace("user");
        ManualPaging paging = ManualEnvironment.of(side.rnic).paging;
        paging.pages.put(AddressSpacePair.FILE, new byte[4 * PAGE]);
        mapped = space.mapFile(AddressSpacePair.FILE, 0, 4L * PAGE, true);
        paging.frozen = true;
        return side.domain.register(mapped, 0, 4L * PAGE, LOCAL_WRITE, REMOTE_WRITE);
    }

    private long word(long at) throws IOException {
        MemorySegment copy = MemorySegment.ofArray(new long[1]);
        space.read(mapped.address() + at, copy, 0, Long.BYTES);
        return copy.get(JAVA_LONG, 0);
    }

    /** The message stays in the ring, a turn waits for its page, and what follows waits behind it. */
    @Test
    void writeToAnAbsentPage_waits_andNothingOvertakesIt() throws IOException {
        MemoryRegion paged = absent(pair.b);
        assertTrue(pair.b.queuePair.postReceive(1, pair.b.memory, 20_000, SMALL));
        assertTrue(write(1, pair.a.memory, paged, PAGE + 8));
        assertTrue(send(2, 16));
        pollOfB();
        assertTrue(pair.b.rnic.engine(0).hasWork());
        assertEquals(List.of(), pair.b.polled());
        world.settle();
        assertEquals(List.of(), pair.b.polled());
        assertEquals(0, pair.b.memory.segment().get(JAVA_LONG, 20_000));
        ManualEnvironment.of(pair.b.rnic).paging.frozen = false;
        world.settle();
        assertEquals(List.of("1 SUCCESS"), pair.b.polled());
        assertEquals(sent(8), word(PAGE + 8));
        assertEquals(sent(16), pair.b.memory.segment().get(JAVA_LONG, 20_000));
        assertEquals(List.of("1 SUCCESS", "2 SUCCESS"), pair.a.polled());
    }

    @Test
    void receiveWhosePageIsAbsent_waitsForIt() throws IOException {
        MemoryRegion paged = absent(pair.b);
        assertTrue(pair.b.queuePair.postReceive(1, paged, PAGE, SMALL));
        assertTrue(pair.b.queuePair.postReceive(2, pair.b.memory, 20_000, SMALL));
        assertTrue(send(1, 8));
        assertTrue(send(2, 16));
        pollOfB();
        world.settle();
        assertEquals(List.of(), pair.b.polled());
        ManualEnvironment.of(pair.b.rnic).paging.frozen = false;
        world.settle();
        assertEquals(List.of("1 SUCCESS", "2 SUCCESS"), pair.b.polled());
        assertEquals(sent(8), word(PAGE));
        assertEquals(sent(16), pair.b.memory.segment().get(JAVA_LONG, 20_000));
    }

    /** The post is not executed, and those after it go through the queue as well. */
    @Test
    void sourceWhosePageIsAbsent_isFetchedByATurn() throws IOException {
        MemoryRegion paged = absent(pair.a);
        assertTrue(pair.b.queuePair.postReceive(1, pair.b.memory, 20_000, SMALL));
        assertTrue(write(1, paged, pair.b.memory, 5000));
        assertExecuted(false);
        assertTrue(send(2, 16));
        world.settle();
        assertEquals(List.of(), pair.b.polled());
        assertEquals(List.of(), pair.a.polled());
        ManualEnvironment.of(pair.a.rnic).paging.frozen = false;
        world.settle();
        assertEquals(List.of("1 SUCCESS", "2 SUCCESS"), pair.a.polled());
        assertEquals(List.of("1 SUCCESS"), pair.b.polled());
        assertEquals(sent(16), pair.b.memory.segment().get(JAVA_LONG, 20_000));
    }

    /** The page is absent for the poll and present for the turn, or the key is renewed while the turn waits. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void keyRenewedWhileAMessageWaits_refusesIt(boolean renewed) throws IOException {
        MemoryRegion paged = absent(pair.b);
        assertTrue(write(1, pair.a.memory, paged, PAGE + 8));
        pollOfB();
        world.settle();
        if (renewed) {
            paged.renewKey();
        }
        ManualEnvironment.of(pair.b.rnic).paging.frozen = false;
        world.settle();
        world.advance(10_000_000);
        assertEquals(renewed ? 0 : sent(8), word(PAGE + 8));
        assertEquals(renewed, pair.b.queuePair.state() == IwarpQueuePairState.ERROR);
    }

    // Hostile messages.

    /** Replaces a word of the message that is in a ring. */
    private void replace(long word, long by) {
        int found = 0;
        for (ByteBuffer ring : world.sharedMemory.orElseThrow().created) {
            for (int at = 0; at < ring.capacity(); at += Long.BYTES) {
                if (ring.getLong(at) == word) {
                    ring.putLong(at, by);
                    found++;
                }
            }
        }
        assertEquals(1, found);
    }

    @ParameterizedTest
    @ValueSource(longs = {0x1, 0x2, 0x4, 0x6, 0x7, 0x8, 0xa, 0xb, 0xc, 0xf, 0x10, 0x13, 0x8000_0000L})
    void unknownOpcode_endsTheConnection_andPlacesNothing(long opcode) {
        assertTrue(pair.b.queuePair.postReceive(1, pair.b.memory, 20_000, SMALL));
        assertTrue(write(1, pair.a.memory, pair.b.memory, 5000));
        long key = (long) pair.b.memory.rkey() << Integer.SIZE;
        replace(key, key | opcode);
        pollOfB();
        world.settle();
        assertEquals(0, pair.b.memory.segment().get(JAVA_LONG, 5000));
        assertEquals(0, pair.b.memory.segment().get(JAVA_LONG, 20_000));
        assertEquals(ConnectionState.FAILED, pair.fromB.state());
        assertEquals(ConnectionState.FAILED, pair.fromA.state());
        assertEquals(List.of("1 FLUSHED"), pair.b.polled());
    }

    @Test
    void otherAddress_isChecked() {
        assertTrue(write(1, pair.a.memory, pair.b.memory, 5000));
        replace(pair.b.memory.address() + 5000, pair.b.memory.address() + pair.b.memory.length() - SMALL + 1);
        pollOfB();
        world.settle();
        assertEquals(ConnectionState.FAILED, pair.fromB.state());
    }

    // What ends within the poll that takes messages.

    /** What a handler does that runs when the first of three messages is complete. */
    enum Act {
        CLOSE_QUEUE_PAIR,
        CLOSE_REGION,
        ERROR,
        DISCONNECT,
        POST
    }

    /** Handlers may run within the poll; two more messages are in the ring or have been taken by then. */
    @ParameterizedTest
    @EnumSource
    void handlerWithinThePoll_endsOrPosts(Act act) {
        MemoryRegion region = pair.b.domain.allocate(PAGE, LOCAL_WRITE);
        for (int i = 1; i <= 3; i++) {
            assertTrue(pair.b.queuePair.postReceive(i, region, 8L * i, SMALL));
        }
        assertTrue(pair.a.queuePair.postReceive(101, pair.a.memory, 9000, SMALL));
        ManualEnvironment.of(pair.b.rnic).runsHandlersAtOnce = true;
        boolean[] ran = new boolean[1];
        CqHandlerId handler = pair.b.rnic.setCompletionHandler(cq -> {
            ran[0] = true;
            act(act, region);
        });
        pair.b.cq.handler(Optional.of(handler));
        pair.b.cq.requestNotification(Notification.NEXT);
        for (int i = 1; i <= 3; i++) {
            assertTrue(send(i, 8L * i));
        }
        pollOfB();
        assertTrue(ran[0]);
        world.settle();
        world.advance(10_000_000_000L);
        List<String> polled = pair.b.polled();
        List<String> receives =
                polled.stream().filter(it -> !it.startsWith("9 ")).toList();
        assertEquals(3, receives.size(), receives::toString);
        assertEquals("1 SUCCESS", receives.getFirst());
        if (act == Act.POST) {
            assertEquals(4, polled.size(), polled::toString);
            assertEquals(ConnectionState.ESTABLISHED, pair.fromB.state());
        }
        assertFalse(receives.stream().anyMatch(it -> it.endsWith("LOCAL_OPERATION")));
    }

    private void act(Act act, MemoryRegion region) {
        switch (act) {
            case CLOSE_QUEUE_PAIR -> pair.b.queuePair.endpoint().command(pair.b.queuePair::close);
            case CLOSE_REGION -> region.close();
            case ERROR -> pair.b.queuePair.modify(QueuePairChange.to(IwarpQueuePairState.ERROR));
            case DISCONNECT -> pair.fromB.disconnect();
            case POST -> assertTrue(pair.b.queuePair.postSend(9, pair.b.memory, 0, SMALL, WrFlags.SIGNALLED));
        }
    }
}
