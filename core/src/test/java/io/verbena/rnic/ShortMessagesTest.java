package io.verbena.rnic;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Sends and Writes of at most 40 bytes go through the ring as records of one line, and the poll of the receiver places
 * and completes them. {@link FramedPostsTest} compares their outcomes with those of a turn.
 */
class ShortMessagesTest {

    private static final int SMALL = 8;

    private ManualWorld world = ManualWorld.rings();
    private Pair pair;

    @BeforeEach
    void connect() throws IOException {
        pair = new Pair(world, RnicOptions.defaults(), 16, chosen -> chosen.withDepths(64, 64)).connect();
        pair.a.fill(1);
        assertTrue(pair.a.queuePair.postReceive(100, pair.a.memory, 9000, SMALL));
        assertTrue(pair.b.queuePair.postSend(100, pair.b.memory, 0, SMALL, WrFlags.UNSIGNALLED));
        world.settle(); // nothing is sent at once before the peer has sent something
        assertEquals(List.of("100 SUCCESS"), pair.a.polled());
        ManualEnvironment.of(pair.a.rnic).alone = true;
    }

    @AfterEach
    void close() {
        ManualEnvironment.of(pair.a.rnic).alone = false;
        world.close();
    }

    private boolean send(int id, long offset, int bytes) {
        return pair.a.queuePair.postSend(id, pair.a.memory, offset, bytes, WrFlags.UNSIGNALLED);
    }

    private boolean write(int id, long offset, int bytes, MemoryRegion to, long at) {
        return pair.a.queuePair.postWrite(
                id, pair.a.memory, offset, bytes, to.address() + at, to.rkey(), WrFlags.UNSIGNALLED);
    }

    /** The streams of B are polled, and its engine takes no turn. */
    private void poll() {
        world.network.poll(); // wakes a side that sleeps
        ManualEnvironment.of(pair.b.rnic).pollRings();
    }

    private boolean turns() {
        return pair.b.rnic.engine(0).hasWork();
    }

    private long received(long at) {
        return pair.b.memory.segment().get(JAVA_LONG, at);
    }

    private long sent(long at) {
        return pair.a.memory.segment().get(JAVA_LONG, at);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 8, 39, 40})
    void send_ofOneLine_isCompleteAfterAPoll(int bytes) {
        assertTrue(pair.b.queuePair.postReceive(1, pair.b.memory, 20_000, 64));
        assertTrue(send(1, 3, bytes));
        poll();
        assertFalse(turns());
        assertEquals(List.of("1 SUCCESS"), pair.b.polled());
        assertEquals(
                -1,
                pair.a
                        .memory
                        .segment()
                        .asSlice(3, bytes)
                        .mismatch(pair.b.memory.segment().asSlice(20_000, bytes)));
        assertEquals(0, pair.b.memory.segment().get(JAVA_BYTE, 20_000 + bytes));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 8, 40})
    void write_ofOneLine_isPlacedByAPoll(int bytes) {
        assertTrue(write(1, 8, bytes, pair.b.memory, 5000));
        poll();
        assertFalse(turns());
        assertEquals(
                -1,
                pair.a
                        .memory
                        .segment()
                        .asSlice(8, bytes)
                        .mismatch(pair.b.memory.segment().asSlice(5000, bytes)));
    }

    @Test
    void longerMessage_isLeftToATurn() {
        assertTrue(write(1, 8, 41, pair.b.memory, 5000));
        poll();
        assertTrue(turns());
        world.settle();
        assertEquals(sent(8), received(5000));
    }

    /** A message that is longer than a line lies between others: none overtakes it. */
    @Test
    void messagesBeforeAndAfterALongerOne_arriveInOrder() {
        for (int i = 0; i < 5; i++) {
            assertTrue(pair.b.queuePair.postReceive(i, pair.b.memory, 20_000 + 300L * i, 300));
        }
        assertTrue(send(0, 0, SMALL));
        assertTrue(send(1, 8, SMALL));
        assertTrue(send(2, 0, 200));
        assertTrue(send(3, 8, SMALL));
        assertTrue(send(4, 16, SMALL));
        poll();
        assertEquals(List.of("0 SUCCESS", "1 SUCCESS"), pair.b.polled());
        world.settle();
        assertEquals(List.of("2 SUCCESS", "3 SUCCESS", "4 SUCCESS"), pair.b.polled());
        assertEquals(sent(16), received(20_000 + 300L * 4));
    }

    /**
     * The receives are fewer than the completions that fit: a poll leaves what does not fit to a turn, which ends the
     * connection as for frames.
     */
    @Test
    void fullCompletionQueue_endsTheConnection() {
        for (int i = 0; i < 20; i++) {
            assertTrue(pair.b.queuePair.postReceive(i, pair.b.memory, 20_000, SMALL));
            assertTrue(send(i, 0, SMALL));
        }
        poll();
        assertEquals(IwarpQueuePairState.RTS, pair.b.queuePair.state());
        assertTrue(turns());
        world.settle();
        assertEquals(IwarpQueuePairState.ERROR, pair.b.queuePair.state());
        assertEquals(
                16,
                pair.b.polled().stream().filter(it -> it.endsWith(" SUCCESS")).count());
    }

    /** What makes a message be left to a turn, or refused. */
    enum Change {
        RIGHTS,
        KEY_RENEWED,
        REGION_CLOSED,
        ERROR,
        DISCONNECT,
        CLOSE
    }

    /** The change lies between the post and the poll: a message in the ring has no more rights than a frame. */
    @ParameterizedTest
    @EnumSource
    void changeWhileAMessageIsInTheRing_isObeyed(Change change) {
        MemoryRegion region = pair.b.domain.allocate(4096, AccessRight.REMOTE_WRITE, AccessRight.LOCAL_WRITE);
        assertTrue(write(1, 8, SMALL, region, 64));
        switch (change) {
            case RIGHTS -> pair.b.queuePair.modify(QueuePairChange.none().withRemoteRights(Set.of()));
            case KEY_RENEWED -> region.renewKey();
            case REGION_CLOSED -> region.close();
            case ERROR -> pair.b.queuePair.modify(QueuePairChange.to(IwarpQueuePairState.ERROR));
            case DISCONNECT -> pair.fromB.disconnect();
            case CLOSE -> pair.b.queuePair.close();
        }
        poll();
        world.settle();
        world.advance(10_000_000_000L);
        boolean allowed = change == Change.DISCONNECT;
        if (change != Change.REGION_CLOSED) {
            // What precedes the change in the ring may have been taken while the change was made.
            long now = region.segment().get(JAVA_LONG, 64);
            assertTrue(now == 0 || now == sent(8));
            assertTrue(!allowed || now == sent(8));
        }
    }
}
