package io.verbena.sockets.nio;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.sockets.stream.StreamNetwork;
import io.verbena.sockets.stream.StreamOptions;
import io.verbena.verbs.RnicOptions;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The wait of a thread that selects. */
@Timeout(60)
class SelectorWaitTest {

    /** The key was announced and served; the thread that announced it wakes afterwards, when the selecting thread waits again. */
    @Test
    void lateWake_doesNotTakeTheNextOne() throws Exception {
        AtomicBoolean called = new AtomicBoolean();
        try (StreamNetwork network =
                StreamNetwork.open(RnicOptions.defaults().withProvider("shm"), StreamOptions.defaults())) {
            SelectorWait wait = new SelectorWait(network::driver, called::get);
            // A virtual thread does not drive the engine: it parks, as the second one of two that select.
            Thread selecting = Thread.ofVirtual().start(() -> wait.park(Long.MAX_VALUE));
            for (int late = 0; late < 20; late++) {
                awaitParked(selecting);
                wait.wake();
            }
            awaitParked(selecting);
            called.set(true);
            wait.wake();
            assertTrue(selecting.join(Duration.ofSeconds(10)), "the wake-up was lost");
        }
    }

    private static void awaitParked(Thread selecting) {
        while (selecting.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
    }
}
