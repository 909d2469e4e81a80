package io.verbena.rnic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Real work between two RNICs over streams in memory. */
public class TrafficTest {

    private final ManualWorld world = newWorld();

    /** The world of the tests, for tests of other streams. */
    public ManualWorld newWorld() {
        return new ManualWorld();
    }

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void connected_sendMeetsReceive_bothComplete() throws IOException {
        Pair pair = new Pair(world).connect();
        pair.a.fill(1);

        assertTrue(pair.b.queuePair.postReceive(7, pair.b.memory, 100, 5000));
        assertTrue(pair.a.queuePair.postSend(3, pair.a.memory, 10, 4000, WrFlags.SIGNALLED));
        world.settle();

        assertEquals(List.of("3 SUCCESS"), pair.a.polled());
        assertTrue(pair.b.cursor.next());
        assertEquals(7, pair.b.cursor.wrId());
        assertEquals(4000, pair.b.cursor.byteCount());
        assertEquals(pair.b.queuePair, pair.b.cursor.queuePair());
        assertEquals(
                -1,
                pair.a
                        .memory
                        .segment()
                        .asSlice(10, 4000)
                        .mismatch(pair.b.memory.segment().asSlice(100, 4000)));
    }

    @Test
    void connected_writeReadAndAtomic_moveTheBytes() throws IOException {
        Pair pair = new Pair(world).connect();
        pair.a.fill(5);
        assertTrue(pair.a.queuePair.postWrite(
                1, pair.a.memory, 0, 300_000, pair.b.memory.remote(), 1000, WrFlags.SIGNALLED));
        assertTrue(pair.a.queuePair.postRead(
                2, pair.a.memory, 400_000, 300_000, pair.b.memory.remote(), 1000, WrFlags.SIGNALLED));
        assertTrue(pair.a.queuePair.postFetchAndAdd(
                3,
                pair.a.memory,
                800_000,
                pair.b.memory.address() + 800_000,
                pair.b.memory.rkey(),
                42,
                WrFlags.SIGNALLED));
        world.settle();

        assertEquals(List.of("1 SUCCESS", "2 SUCCESS", "3 SUCCESS"), pair.a.polled());
        assertEquals(
                -1,
                pair.a
                        .memory
                        .segment()
                        .asSlice(0, 300_000)
                        .mismatch(pair.b.memory.segment().asSlice(1000, 300_000)));
        assertEquals(
                -1,
                pair.a
                        .memory
                        .segment()
                        .asSlice(0, 300_000)
                        .mismatch(pair.a.memory.segment().asSlice(400_000, 300_000)));
    }

    @Test
    void connected_streamsTornAndNarrow_everythingArrives() throws IOException {
        for (int tear : new int[] {1, 3, 17, 1000, 40_000}) {
            world.network.pipeBytes = 50 + tear * 2;
            Pair pair =
                    new Pair(world, RnicOptions.defaults().withCrc(tear == 17).withMarkers(tear == 3), 64, o -> o);
            pair.connect();
            world.network.streams.forEach(stream -> stream.tear(tear));
            pair.a.fill(tear);
            pair.b.fill(tear + 1);
            assertTrue(pair.b.queuePair.postReceive(9, pair.b.memory, 50_000, 30_000));
            assertTrue(pair.a.queuePair.postWrite(
                    1, pair.a.memory, 0, 40_000, pair.b.memory.remote(), 0, WrFlags.UNSIGNALLED));
            assertTrue(pair.a.queuePair.postSend(2, pair.a.memory, 50_000, 30_000, WrFlags.SIGNALLED));
            assertTrue(pair.a.queuePair.postRead(
                    3, pair.a.memory, 100_000, 40_000, pair.b.memory.remote(), 0, WrFlags.SIGNALLED));
            world.settle();
            assertEquals(List.of("2 SUCCESS", "3 SUCCESS"), pair.a.polled());
            assertEquals(List.of("9 SUCCESS"), pair.b.polled());
            assertEquals(
                    -1,
                    pair.a
                            .memory
                            .segment()
                            .asSlice(0, 40_000)
                            .mismatch(pair.a.memory.segment().asSlice(100_000, 40_000)));
            assertEquals(0, pair.a.rnic.engine(0).pool().lent());
        }
    }

    @Test
    void connected_disconnect_bothEndsIdleAndReceivesFlushed() throws IOException {
        Pair pair = new Pair(world).connect();
        assertTrue(pair.a.queuePair.postReceive(1, pair.a.memory, 0, 100));
        assertTrue(pair.b.queuePair.postReceive(2, pair.b.memory, 0, 100));

        pair.fromA.disconnect();

        assertTrue(pair.fromA.awaitClosed(Pair.SECOND));
        assertTrue(pair.fromB.awaitClosed(Pair.SECOND));
        assertEquals(ConnectionState.CLOSED, pair.fromA.state());
        assertEquals(ConnectionState.CLOSED, pair.fromB.state());
        assertEquals(IwarpQueuePairState.IDLE, pair.a.queuePair.state());
        assertEquals(IwarpQueuePairState.IDLE, pair.b.queuePair.state());
        assertEquals(List.of("1 FLUSHED"), pair.a.polled());
        assertEquals(List.of("2 FLUSHED"), pair.b.polled());
        assertEquals(0, pair.a.rnic.engine(0).members());
        assertEquals(0, pair.b.rnic.engine(0).members());
    }
}
