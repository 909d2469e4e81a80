package io.verbena.rnic.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rnic.ManualWorld;
import io.verbena.rnic.Notices;
import io.verbena.rnic.Pair;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the log says when the retries of a request end, with and without a close of the peer before. */
class DepartureLogTest {

    private static final int STEP_NS = 10_000_000;
    private static final int STEPS = 5;

    /** Byte of the base transport header with the lowest bits of the queue pair; communication management has queue pair 1. */
    private static final int QUEUE_PAIR = 7;

    private final Notices notices = new Notices();

    /**
     * Sends a request that is not answered.
     *
     * @param closesAfter number of steps after which the peer closes
     * @return the number of steps until it has failed
     */
    private static int fail(int closesAfter) throws IOException {
        try (ManualWorld world = ManualWorld.roce()) {
            Pair pair = new Pair(world).connect();
            world.packets.holds = packet -> packet[QUEUE_PAIR] != 1;
            pair.a.queuePair.postWrite(1, pair.a.memory, 0, 8, pair.b.memory.remote(), 0, WrFlags.SIGNALLED);
            pair.a.queuePair.postWrite(2, pair.a.memory, 0, 8, pair.b.memory.remote(), 0, WrFlags.SIGNALLED);
            List<String> polled = List.of();
            int steps = 0;
            while (polled.isEmpty()) {
                if (steps == closesAfter) {
                    pair.fromB.disconnect();
                }
                steps++;
                world.advance(STEP_NS);
                polled = pair.a.polled();
            }
            assertEquals(List.of("1 RETRY_EXCEEDED", "2 FLUSHED"), polled);
            return steps;
        }
    }

    @Test
    void retriesEnd_theLossIsLogged_unlessThePeerHasClosed() throws IOException {
        try (notices) {
            int steps = fail(-1);
            assertEquals(1, notices.lines().size(), notices.lines().toString());
            assertTrue(
                    notices.lines().getFirst().contains("Send requests that did not succeed: 2."),
                    notices.lines().getFirst());
            notices.lines().clear();
            fail(steps - STEPS);
            assertEquals(List.of(), notices.lines());
        }
    }
}
