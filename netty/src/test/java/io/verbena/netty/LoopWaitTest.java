package io.verbena.netty;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.sockets.stream.StreamNetwork;
import io.verbena.sockets.stream.StreamOptions;
import io.verbena.verbs.RnicOptions;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The wait of an event loop. */
@Timeout(60)
class LoopWaitTest {

    /** What the loop has done already is announced to it once more, when it waits again. */
    @Test
    void lateWake_doesNotTakeTheNextOne() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        try (StreamNetwork network =
                StreamNetwork.open(RnicOptions.defaults().withProvider("shm"), StreamOptions.defaults())) {
            LoopWait wait = new LoopWait(network.driver(), over::get);
            Thread loop = Thread.ofVirtual().start(() -> wait.await(Long.MAX_VALUE));
            for (int late = 0; late < 20; late++) {
                awaitParked(loop);
                wait.wake();
            }
            awaitParked(loop);
            over.set(true);
            wait.wake();
            assertTrue(loop.join(Duration.ofSeconds(10)), "the wake-up was lost");
        }
    }

    private static void awaitParked(Thread loop) {
        while (loop.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
    }
}
