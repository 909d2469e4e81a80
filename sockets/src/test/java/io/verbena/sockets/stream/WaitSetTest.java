package io.verbena.sockets.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.RnicOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One thread waits, others signal: {@link WaitSetModelTest} has all orders of their steps. */
@Timeout(60)
class WaitSetTest {

    private final AtomicBoolean condition = new AtomicBoolean();
    private final WaitSet<String> set = new WaitSet<>(() -> null, condition::get, 0);

    private List<String> taken() {
        List<String> members = new ArrayList<>();
        for (WaitSet.Entry<String> entry = set.takeAll(); entry != null; ) {
            WaitSet.Entry<String> after = entry.unlink();
            members.add(entry.member());
            entry = after;
        }
        return members;
    }

    @Test
    void signals_areTakenInTheirOrder_oncePerMember() {
        WaitSet.Entry<String> first = new WaitSet.Entry<>("first");
        WaitSet.Entry<String> second = new WaitSet.Entry<>("second");
        set.signal(first);
        set.signal(second);
        set.signal(first);
        assertFalse(set.isEmpty());
        assertEquals(List.of("first", "second"), taken());
        assertTrue(first.takeSignal(), "it was signalled twice");
        assertFalse(second.takeSignal());
        assertNull(set.takeAll());
        set.signal(second);
        assertEquals(List.of(), taken(), "the thread looks at it in each round");
        assertTrue(second.dequeue(), "the thread has not looked since");
        set.signal(second);
        assertEquals(List.of("second"), taken());
    }

    @Test
    void claimed_isNotListed() {
        WaitSet.Entry<String> entry = new WaitSet.Entry<>("it");
        assertTrue(entry.claim());
        assertFalse(entry.claim());
        set.signal(entry);
        assertTrue(set.isEmpty());
        assertTrue(entry.dequeue());
        assertFalse(entry.dequeue());
    }

    @Test
    void announced_firstSignalWakes_othersDoNot() {
        List<String> wakes = new ArrayList<>();
        assertTrue(set.announce(() -> wakes.add("woken")));
        set.signal(new WaitSet.Entry<>("first"));
        set.signal(new WaitSet.Entry<>("second"));
        set.wake();
        assertEquals(List.of("woken"), wakes);
        assertFalse(set.announce(() -> wakes.add("again")), "members are listed");
        assertNotNull(set.takeAll());
        set.awake();
        set.wake();
        assertEquals(List.of("woken"), wakes, "the thread works");
    }

    @Test
    void conditionHolds_waitIsOver() {
        condition.set(true);
        assertFalse(set.announce(() -> {}));
        set.awake();
        assertTrue(set.await(Long.MAX_VALUE));
        assertTrue(set.await(0), "also without time");
        condition.set(false);
        assertFalse(set.await(1), "the time has expired");
    }

    /** What the thread has done already is announced to it once more, when it waits again. */
    @Test
    void lateWake_doesNotTakeTheNextOne() throws Exception {
        try (StreamNetwork network =
                StreamNetwork.open(RnicOptions.defaults().withProvider("shm"), StreamOptions.defaults())) {
            WaitSet<String> parked = new WaitSet<>(network.driver(), condition::get);
            // A virtual thread does not drive the engine: it parks, as the second one of two that wait.
            Thread waiting = Thread.ofVirtual().start(() -> parked.await(Long.MAX_VALUE));
            for (int late = 0; late < 20; late++) {
                awaitParked(waiting);
                parked.wake();
            }
            awaitParked(waiting);
            condition.set(true);
            parked.wake();
            waiting.join();
        }
    }

    private static void awaitParked(Thread waiting) {
        while (waiting.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
    }
}
