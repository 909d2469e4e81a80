package io.verbena.fabric.link;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class TimingWheelTest {

    @Test
    void oneTick_eventsOfBothPhases_arrivalsComeFirst() {
        TimingWheel wheel = new TimingWheel(4, 2, 64);
        wheel.schedule(3, 5);
        wheel.schedule(1, 5);
        wheel.schedule(2, 5);
        wheel.schedule(0, 5);
        assertEquals(1, wheel.take(10));
        assertEquals(0, wheel.take(10));
        assertEquals(3, wheel.take(10));
        assertEquals(2, wheel.take(10));
        assertEquals(-1, wheel.take(10));
        assertEquals(5, wheel.now());
    }

    @Test
    void pendingEvent_scheduledAgain_keepsTheEarlierTick() {
        TimingWheel wheel = new TimingWheel(2, 2, 64);
        wheel.schedule(0, 9);
        wheel.schedule(0, 12);
        wheel.schedule(0, 7);
        assertEquals(7, wheel.tickOf(0));
        assertEquals(-1, wheel.take(6));
        assertEquals(0, wheel.take(7));
        assertEquals(0, wheel.pending());
        assertEquals(TimingWheel.NEVER, wheel.nextTick());
    }

    /** Events far beyond the wheel, moves and cancellations, against a sorted set. */
    @Test
    void anySchedule_taken_comesInOrderOfTicks() {
        Random random = new Random(4711);
        int events = 40;
        TimingWheel wheel = new TimingWheel(events, events, 64);
        NavigableMap<Long, Set<Integer>> model = new TreeMap<>();
        long[] at = new long[events];
        for (int step = 0; step < 20_000; step++) {
            int event = random.nextInt(events);
            int action = random.nextInt(10);
            if (action < 6) {
                long tick = wheel.now() + random.nextInt(random.nextBoolean() ? 20 : 1000);
                if (at[event] == 0 || tick < at[event]) {
                    move(model, at, event, tick);
                }
                wheel.schedule(event, tick);
            } else if (action == 6) {
                move(model, at, event, 0);
                wheel.cancel(event);
            } else if (!model.isEmpty()) {
                long first = model.firstKey();
                int taken = wheel.take(first);
                assertEquals(first, wheel.now());
                assertEquals(first, at[taken], "event " + taken);
                move(model, at, taken, 0);
            }
        }
    }

    private static void move(NavigableMap<Long, Set<Integer>> model, long[] at, int event, long tick) {
        if (at[event] != 0) {
            model.computeIfPresent(at[event], (_, set) -> set.remove(event) && set.isEmpty() ? null : set);
        }
        at[event] = tick;
        if (tick != 0) {
            model.computeIfAbsent(tick, _ -> new TreeSet<>()).add(event);
        }
    }
}
