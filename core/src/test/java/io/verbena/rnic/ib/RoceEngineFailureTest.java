package io.verbena.rnic.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.engine.Endpoint;
import io.verbena.engine.RnicEngine;
import io.verbena.rnic.ManualWorld;
import io.verbena.rnic.Pair;
import io.verbena.rnic.SoftQueuePair;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.InfinibandQueuePairState;
import io.verbena.verbs.Listener;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An RNIC of the InfiniBand transport with two engines, of which the first one owns the packet port. */
class RoceEngineFailureTest {

    private final ManualWorld world = ManualWorld.roce();
    private final Pair pair;
    private final QueuePair near;
    private final QueuePair far;

    RoceEngineFailureTest() throws IOException {
        pair = new Pair(world, RnicOptions.defaults().withEngines(2), 64, o -> o).connect();
        near = pair.fresh(pair.a);
        far = pair.fresh(pair.b);
        try (Listener listener = pair.b.rnic.listen(world.address())) {
            Connection opening = pair.a.rnic.startConnect(near, listener.localAddress(), ConnectionOptions.defaults());
            listener.nextRequest(Pair.SECOND).orElseThrow().accept(far);
            opening.awaitEstablished(Pair.SECOND);
        }
        world.settle();
    }

    @BeforeEach
    void expectBugs() {
        world.expectsBugs = true;
    }

    @AfterEach
    void close() {
        world.close();
    }

    private void exchange(QueuePair from, QueuePair to) {
        to.postReceive(71, pair.b.memory, 0, 100);
        from.postSend(72, pair.a.memory, 0, 100, WrFlags.SIGNALLED);
        world.settle();
        assertTrue(pair.a.polled().contains("72 SUCCESS"));
        assertTrue(pair.b.polled().contains("71 SUCCESS"));
    }

    /** Fails an engine of the first RNIC. */
    private void fail(int index) {
        RnicEngine doomed = engine(pair.a.queuePair).index() == index ? engine(pair.a.queuePair) : engine(near);
        assertEquals(index, doomed.index());
        Endpoint hopeless = new Endpoint() {
            @Override
            protected void service(long nowNs) {
                throw new StackOverflowError("on purpose");
            }

            @Override
            protected void onBug(String sentence, long nowNs) {
                throw new AssertionError("this method fails too");
            }

            @Override
            protected long stateDigest() {
                return 0;
            }
        };
        doomed.join(hopeless);
        doomed.ready(hopeless);
        world.settle();
    }

    private static RnicEngine engine(QueuePair queuePair) {
        return ((SoftQueuePair) queuePair).engine();
    }

    @Test
    void queuePairsOfBothEngines_exchange() {
        assertNotEquals(engine(pair.a.queuePair), engine(near));
        exchange(near, far);
        exchange(pair.a.queuePair, pair.b.queuePair);
    }

    @Test
    void engineWithoutThePortFails_itsQueuePairsEnd_othersContinue() {
        boolean nearEnds = engine(near).index() == 1;
        fail(1);
        assertEquals(InfinibandQueuePairState.ERR, (nearEnds ? near : pair.a.queuePair).state());
        exchange(nearEnds ? pair.a.queuePair : near, nearEnds ? pair.b.queuePair : far);
        assertTrue(ManualWorld.events(pair.a.rnic).contains(AsyncEventType.RNIC_FATAL));
    }

    @Test
    void engineOfThePortFails_allQueuePairsEnd() {
        fail(0);
        for (QueuePair each : List.of(near, pair.a.queuePair)) {
            assertEquals(InfinibandQueuePairState.ERR, each.state());
            assertEquals(ConnectionState.FAILED, each.connection().orElseThrow().state());
        }
    }

    @Test
    void queuePairOfTheOtherEngine_disconnectsGracefully() {
        Connection leaving = near.connection().orElseThrow();
        Connection left = far.connection().orElseThrow();
        leaving.disconnect();
        world.settle();
        assertEquals(ConnectionState.CLOSED, leaving.state(), leaving.reason());
        assertEquals(ConnectionState.CLOSED, left.state(), left.reason());
        exchange(pair.a.queuePair, pair.b.queuePair);
    }
}
