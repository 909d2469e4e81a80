package io.verbena.rnic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.engine.Endpoint;
import io.verbena.engine.RnicEngine;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Turns of an engine with the queue pairs that it serves. */
class EngineTurnTest {

    private final ManualWorld world = new ManualWorld();

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void connecting_clockWraps_timesOutInTimeAndNotBefore() {
        Pair pair = new Pair(world);
        world.network.silent = true;
        world.nowNs = Long.MAX_VALUE - 1_000_000_000L;
        Connection connection = pair.a.rnic.startConnect(
                pair.a.queuePair, world.address(), ConnectionOptions.defaults().withTimeout(Duration.ofSeconds(5)));
        world.settle();
        assertEquals(ConnectionState.CONNECTING, connection.state());
        world.advance(4_900_000_000L);
        assertEquals(ConnectionState.CONNECTING, connection.state());
        world.advance(200_000_000L);
        assertEquals(ConnectionState.FAILED, connection.state());
    }

    @Test
    void starving_otherDeadlineIsLater_retryComesFirst() throws IOException {
        for (long startNs : new long[] {1_000_000_000L, Long.MAX_VALUE - 500_000}) {
            world.nowNs = startNs - 1_000_000_000L;
            // A connection whose keep-alive deadline is seconds away, and a queue pair that is flushed to a full CQ.
            Pair pair = new Pair(world, RnicOptions.defaults(), 1, options -> options).connect();
            world.advance(startNs - world.nowNs);
            RnicEngine engine = pair.a.queuePair.engine();
            assertTrue(engine.nextDeadlineNs() - world.nowNs > 1_000_000_000L);
            QueuePair flushed = pair.fresh(pair.a);
            flushed.postReceive(1, pair.a.memory, 0, 8);
            flushed.postReceive(2, pair.a.memory, 0, 8);
            ((SoftQueuePair) flushed)
                    .endpoint()
                    .command(() -> ((SoftQueuePair) flushed).endpoint().fail("on purpose"));
            engine.turn(world.nowNs);
            assertEquals(1_000_000, engine.nextDeadlineNs() - world.nowNs, "the retry is the next deadline");
            assertEquals(List.of("1 FLUSHED"), pair.a.polled());
            world.pass(1_000_000);
            engine.turn(world.nowNs);
            assertEquals(List.of("2 FLUSHED"), pair.a.polled());
            assertTrue(engine.nextDeadlineNs() - world.nowNs > 1_000_000_000L);
        }
    }

    @Test
    void numbers_manyAddedAndRemoved_areFound() {
        Pair.Side side = new Pair(world).a;
        List<SoftQueuePair> kept = new ArrayList<>();
        for (int i = 0; i < 3000; i++) {
            SoftQueuePair softQueuePair = (SoftQueuePair) side.domain.createQueuePair(side.cq);
            assertTrue(softQueuePair.number() > 1 && softQueuePair.number() < 1 << 24);
            if (i % 3 == 0) {
                kept.add(softQueuePair);
            } else {
                side.rnic.context().forget(softQueuePair);
                assertTrue(side.rnic
                        .context()
                        .queuePairs()
                        .find(softQueuePair.number())
                        .isEmpty());
            }
        }
        for (SoftQueuePair each : kept) {
            assertSame(each, side.rnic.context().queuePairs().lookUp(each.number()));
        }
        assertEquals(kept.size() + 1, side.rnic.context().queuePairs().size());
    }

    @Test
    void endpointThrows_onlyItsConnectionEnds() throws IOException {
        Pair pair = new Pair(world).connect();
        RnicEngine engine = pair.a.rnic.engine(0);
        List<String> bugs = new ArrayList<>();
        Endpoint bad = new Endpoint() {
            @Override
            protected void service(long nowNs) {
                throw new IllegalArgumentException("a bug, thrown by this test");
            }

            @Override
            protected void onDeadline(long nowNs) {}

            @Override
            protected void onBug(String sentence, long nowNs) {
                bugs.add(sentence);
                engine.leave(this);
            }

            @Override
            protected long stateDigest() {
                return 0;
            }
        };
        world.expectsBugs = true;
        engine.join(bad);
        engine.ready(bad);
        pair.a.queuePair.postReceive(1, pair.a.memory, 0, 8);
        pair.b.queuePair.postSend(1, pair.b.memory, 0, 8, WrFlags.SIGNALLED);
        world.settle();
        assertEquals(1, bugs.size());
        assertEquals(List.of("1 SUCCESS"), pair.a.polled());
    }
}
