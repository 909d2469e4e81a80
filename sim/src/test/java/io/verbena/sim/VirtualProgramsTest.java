package io.verbena.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class VirtualProgramsTest {

    private static final long TURN_NS = 1_000;
    private static final long EVENT_NS = 5_555_500;

    private final World world = new World(1);
    private final VirtualPrograms programs = new VirtualPrograms(world, TURN_NS);

    @Test
    void eventLongAfterThePause_programSeesItInTheNextTurnAndPolledSeldomBefore() {
        boolean[] came = {false};
        int[] polls = {0};
        List<Long> seenNs = new ArrayList<>();
        world.after(EVENT_NS, () -> came[0] = true);
        programs.run(List.of(() -> {
            while (!came[0]) {
                polls[0]++;
                programs.pause();
            }
            seenNs.add(world.elapsedNs());
        }));
        assertEquals(List.of(5_556_000L), seenNs);
        assertTrue(polls[0] < 100, polls[0] + " polls");
    }

    @Test
    void nothingHappens_programSeesItsDeadlineSoonAfterIt() {
        long deadlineNs = 3_333_333;
        programs.run(List.of(() -> {
            while (world.elapsedNs() < deadlineNs) {
                programs.pause();
            }
        }));
        assertTrue(world.elapsedNs() < deadlineNs + 100 * TURN_NS, world.elapsedNs() + " ns");
    }

    @Test
    void eventsInEachTurn_programPollsInEachTurn() {
        int[] polls = {0};
        for (int i = 1; i <= 50; i++) {
            world.after(i * TURN_NS - 1, () -> {});
        }
        programs.run(List.of(() -> {
            while (world.elapsedNs() < 50 * TURN_NS) {
                polls[0]++;
                programs.pause();
            }
        }));
        assertEquals(50, polls[0]);
    }
}
