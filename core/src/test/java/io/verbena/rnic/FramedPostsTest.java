package io.verbena.rnic;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Short Sends and Writes whose frame the call that posts them puts into the ring. */
class FramedPostsTest {

    private static final int SMALL = 8;
    private static final int DEPTH = 64;

    private ManualWorld world = ManualWorld.rings();
    private Pair pair;

    @BeforeEach
    void connect() throws IOException {
        open(RnicOptions.defaults(), true);
    }

    private void open(RnicOptions options, boolean alone) throws IOException {
        pair = new Pair(
                        world,
                        options,
                        1024,
                        chosen -> chosen.withDepths(DEPTH, DEPTH).withMaxInlineBytes(64))
                .connect();
        pair.a.fill(1);
        assertTrue(pair.a.queuePair.postReceive(100, pair.a.memory, 9000, SMALL));
        assertTrue(pair.b.queuePair.postSend(100, pair.b.memory, 0, SMALL, WrFlags.UNSIGNALLED));
        world.settle(); // nothing is sent at once before the peer has sent something
        assertEquals(List.of("100 SUCCESS"), pair.a.polled());
        environment().alone = alone;
        environment().woken.clear();
    }

    @AfterEach
    void close() {
        environment().alone = false;
        world.close();
    }

    private ManualEnvironment environment() {
        return ManualEnvironment.of(pair.a.rnic);
    }

    private boolean send(int id, long offset, int bytes, WrFlags flags) {
        return pair.a.queuePair.postSend(id, pair.a.memory, offset, bytes, flags);
    }

    private boolean write(int id, long offset, int bytes) {
        return pair.a.queuePair.postWrite(
                id,
                pair.a.memory,
                offset,
                bytes,
                pair.b.memory.address() + offset,
                pair.b.memory.rkey(),
                WrFlags.SIGNALLED);
    }

    private void receives(int count) {
        for (int i = 0; i < count; i++) {
            assertTrue(pair.b.queuePair.postReceive(i, pair.b.memory, 20_000 + 304L * i, 300));
        }
    }

    private boolean same(long from, long to, int bytes) {
        return pair.a
                        .memory
                        .segment()
                        .asSlice(from, bytes)
                        .mismatch(pair.b.memory.segment().asSlice(to, bytes))
                == -1;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 7, 8, 40, 255, 256})
    void send_isInTheRingWhenTheCallReturns(int bytes) {
        receives(1);
        assertTrue(send(1, 0, bytes, WrFlags.SIGNALLED));
        assertTrue(environment().woken.isEmpty());
        assertEquals(List.of("1 SUCCESS"), pair.a.polled());
        world.settle();
        assertEquals(List.of("0 SUCCESS"), pair.b.polled());
        assertTrue(same(0, 20_000, bytes));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 8, 256})
    void write_isInTheRingWhenTheCallReturns(int bytes) {
        assertTrue(write(1, 1000, bytes));
        assertTrue(environment().woken.isEmpty());
        assertEquals(List.of("1 SUCCESS"), pair.a.polled());
        world.settle();
        assertTrue(same(1000, 1000, bytes));
    }

    @Test
    void longerMessage_goesThroughTheQueue() {
        receives(1);
        assertTrue(send(1, 0, 257, WrFlags.SIGNALLED));
        assertFalse(environment().woken.isEmpty());
        world.settle();
        assertEquals(List.of("0 SUCCESS"), pair.b.polled());
    }

    /** Frames of both kinds and of the queue keep their order, also when the ring and the queue are full. */
    @Test
    void mixture_withFullRing_keepsItsOrder() {
        int posted = 0;
        int seen = 0;
        while (seen < 2000) {
            receives(pair.b.queuePair.query().receiveOutstanding() == 0 ? DEPTH : 0);
            for (int i = 0; i < DEPTH && posted < seen + DEPTH; i++) {
                pair.a.memory.segment().set(JAVA_LONG, 0, posted);
                int bytes = posted % 7 == 0 ? 280 : SMALL + posted % 200;
                WrFlags flags = WrFlags.UNSIGNALLED.withInline();
                if (!(bytes > 64 ? send(posted, 0, bytes, WrFlags.SIGNALLED) : send(posted, 0, bytes, flags))) {
                    break;
                }
                if (bytes > 64) {
                    environment().drive(); // its buffer is used again
                }
                posted++;
            }
            world.settle();
            pair.a.polled();
            while (pair.b.cursor.next()) {
                assertTrue(pair.b.cursor.ok());
                long at = 20_000 + 304 * pair.b.cursor.wrId();
                assertEquals(seen++, pair.b.memory.segment().get(JAVA_LONG, at));
            }
        }
    }

    @Test
    void peerThatDoesNotRead_fillsTheRing_andThenTheQueue() {
        int posted = 0;
        while (write(posted, 0, 200)) {
            posted++;
        }
        assertTrue(posted > DEPTH, "the ring takes what the queue does not");
        world.settle();
        assertEquals(posted, pair.a.polled().size());
        assertTrue(same(0, 0, 200));
    }

    /** What is wrong with a post, or has ended before it. */
    enum Wrong {
        NO_RECEIVE,
        SHORT_RECEIVE,
        KEY,
        RANGE,
        CLOSED_REGION,
        PEER_IN_ERROR,
        OWN_ERROR,
        DISCONNECTED,
        PEER_DISCONNECTED,
        CLOSED_BY_PEER
    }

    /** A post that finds something wrong has the outcome of one that a turn executes. */
    @ParameterizedTest
    @EnumSource
    void wrong_hasTheOutcomeOfATurn(Wrong wrong) throws IOException {
        List<String> atOnce = outcome(wrong, true);
        assertEquals(outcome(wrong, false), atOnce);
    }

    private List<String> outcome(Wrong wrong, boolean alone) throws IOException {
        close();
        world = ManualWorld.rings();
        open(RnicOptions.defaults(), alone);
        List<String> seen = new ArrayList<>(happens(wrong));
        world.settle();
        seen.addAll(pair.a.polled());
        seen.addAll(pair.b.polled());
        seen.add(pair.fromA.state() + " " + pair.fromA.termination());
        seen.add("byte " + pair.b.memory.segment().get(JAVA_BYTE, 4000));
        return seen;
    }

    private List<String> happens(Wrong wrong) {
        long address = pair.b.memory.address();
        int key = pair.b.memory.rkey();
        int wrongKey = wrong == Wrong.KEY ? key + 1 : key;
        long at = wrong == Wrong.RANGE ? address + pair.b.memory.length() - SMALL + 1 : address + 4000;
        switch (wrong) {
            case SHORT_RECEIVE -> assertTrue(pair.b.queuePair.postReceive(0, pair.b.memory, 0, SMALL - 1));
            case CLOSED_REGION -> pair.b.memory.close();
            case PEER_IN_ERROR -> pair.b.queuePair.modify(QueuePairChange.to(IwarpQueuePairState.ERROR));
            case OWN_ERROR -> pair.a.queuePair.modify(QueuePairChange.to(IwarpQueuePairState.ERROR));
            case DISCONNECTED -> pair.fromA.disconnect();
            case PEER_DISCONNECTED -> pair.fromB.disconnect();
            case CLOSED_BY_PEER -> pair.fromB.close();
            case NO_RECEIVE, KEY, RANGE -> {}
        }
        List<String> results = new ArrayList<>();
        for (int i = 1; i < 4; i++) {
            boolean sends = wrong == Wrong.NO_RECEIVE || wrong == Wrong.SHORT_RECEIVE;
            results.add(""
                    + (sends
                            ? send(i, 8, SMALL, WrFlags.SIGNALLED)
                            : pair.a.queuePair.postWrite(i, pair.a.memory, 8, SMALL, at, wrongKey, WrFlags.SIGNALLED)));
            environment().drive(); // a turn of INLINE, which follows the post at once
            world.settle();
        }
        return results;
    }
}
