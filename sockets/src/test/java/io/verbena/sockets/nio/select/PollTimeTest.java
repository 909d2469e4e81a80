package io.verbena.sockets.nio.select;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class PollTimeTest {

    @Test
    void shortWaits_pollLongerUpToTheMost() {
        PollTime time = new PollTime(2);
        long beforeNs = time.ns();
        time.onWaited(PollTime.MOST_NS - 1);
        assertEquals(2 * beforeNs, time.ns());
        for (int i = 0; i < 20; i++) {
            time.onWaited(1);
        }
        assertEquals(PollTime.MOST_NS, time.ns());
    }

    @Test
    void longWaits_pollNoMore_andLearnAgain() {
        PollTime time = new PollTime(2);
        for (int i = 0; i < 20; i++) {
            time.onWaited(1_000_000_000);
        }
        assertEquals(0, time.ns());
        time.onWaited(2 * PollTime.MOST_NS);
        assertEquals(0, time.ns(), "a wait between both limits changes nothing");
        time.onWaited(1);
        assertTrue(time.ns() >= PollTime.LEAST_NS);
    }

    @Test
    void oneProcessor_neverPolls() {
        PollTime time = new PollTime(1);
        time.onWaited(1);
        assertEquals(0, time.ns());
    }
}
