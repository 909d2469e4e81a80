package io.verbena.host.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class PollPaceTest {

    private final PollPace pace = new PollPace();
    private long nowNs = 1_000_000;

    /** Polls until one reads the clock, which says that each poll has taken this long. Returns how many did not. */
    private int untimed(long eachNs) {
        int polls = 0;
        while (pace.untimed()) {
            polls++;
            nowNs += eachNs;
        }
        nowNs += eachNs;
        pace.timed(nowNs);
        return polls;
    }

    @Test
    void frequentPolls_withoutAPause_mostDoWithoutTheClock() {
        assertEquals(0, untimed(50));
        pace.calm(true);
        untimed(50);
        assertEquals(PollPace.MOST_UNTIMED, untimed(50));
        assertEquals(PollPace.MOST_UNTIMED, untimed(PollPace.SELDOM_NS), "each of them in time");
    }

    @Test
    void pauseIsDue_eachPollReadsTheClock() {
        pace.calm(true);
        untimed(50);
        untimed(50);
        pace.calm(false);
        assertFalse(pace.untimed());
    }

    @Test
    void seldomPolls_eachReadsTheClock() {
        pace.calm(true);
        untimed(50);
        untimed(50);
        assertEquals(PollPace.MOST_UNTIMED, untimed(PollPace.SELDOM_NS + 1), "those that are under way");
        assertEquals(0, untimed(PollPace.SELDOM_NS + 1));
        assertEquals(0, untimed(50), "from the next one on");
        assertTrue(pace.untimed());
    }
}
