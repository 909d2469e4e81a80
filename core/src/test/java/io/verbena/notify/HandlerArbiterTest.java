package io.verbena.notify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.EventAddress;
import io.verbena.verbs.EventSource;
import io.verbena.verbs.HandlerOptions;
import io.verbena.verbs.ProcessorPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The order of signalled handlers, with explicit time. */
class HandlerArbiterTest {

    private static final long MS = 1_000_000;

    private long nowNs = 77;
    private int wakes;
    private final List<String> order = new ArrayList<>();

    private HandlerArbiter arbiter(ProcessorPolicy policy) {
        return new HandlerArbiter("test", policy, () -> wakes++, e -> order.add(e.getMessage()));
    }

    /** A handler with some events, each of which takes a time. */
    private final class Source implements EventSource {
        private final String name;
        private final long costNs;
        private int events;
        private boolean abandoned;

        Source(String name, int events, long costNs) {
            this.name = name;
            this.events = events;
            this.costNs = costNs;
        }

        @Override
        public boolean serve() {
            if (events == 0) {
                return false;
            }
            order.add(name);
            nowNs += costNs;
            return --events > 0;
        }

        @Override
        public void abandon() {
            abandoned = true;
        }
    }

    private EventAddress attach(HandlerArbiter arbiter, Source source, String serviceClass, int priority) {
        EventAddress address = arbiter.attach(new CqHandlerId(1), new HandlerOptions(serviceClass, priority), source);
        address.signal();
        return address;
    }

    private long count(String name) {
        return order.stream().filter(name::equals).count();
    }

    @Test
    void strictPriority_higherServedFirst_equalOnesInTurn() {
        HandlerArbiter arbiter = arbiter(ProcessorPolicy.defaults());
        attach(arbiter, new Source("low", 2, 1), "a", 0);
        attach(arbiter, new Source("b", 2, 1), "b", 5);
        attach(arbiter, new Source("c", 2, 1), "c", 5);
        assertEquals(6, arbiter.run(100, () -> nowNs));
        assertEquals(List.of("b", "c", "b", "c", "low", "low"), order);
        assertEquals(0, arbiter.run(100, () -> nowNs));
    }

    @Test
    void sameClass_handlersTakeTurns() {
        HandlerArbiter arbiter = arbiter(ProcessorPolicy.defaults());
        attach(arbiter, new Source("a", 3, 1), "x", 0);
        attach(arbiter, new Source("b", 3, 1), "x", 0);
        arbiter.run(100, () -> nowNs);
        assertEquals(List.of("a", "b", "a", "b", "a", "b"), order);
    }

    @Test
    void weights_shareTimeNotEvents() {
        HandlerArbiter arbiter =
                arbiter(ProcessorPolicy.defaults().withWeight("heavy", 3).withPatience(Duration.ofDays(1)));
        attach(arbiter, new Source("heavy", 10_000, 10_000), "heavy", 0);
        attach(arbiter, new Source("light", 10_000, 20_000), "light", 0);
        arbiter.run(700, () -> nowNs);
        double share = count("heavy") * 10_000.0 / (count("light") * 20_000.0);
        assertEquals(3.0, share, 0.1);
    }

    @Test
    void idleClass_earnsNoCredit() {
        HandlerArbiter arbiter = arbiter(ProcessorPolicy.defaults().withPatience(Duration.ofDays(1)));
        attach(arbiter, new Source("busy", 10_000, 10_000), "busy", 0);
        arbiter.run(1000, () -> nowNs);
        attach(arbiter, new Source("late", 1000, 10_000), "late", 0);
        order.clear();
        arbiter.run(100, () -> nowNs);
        assertEquals(50, count("late"), 1.0);
    }

    @Test
    void withoutPriority_onlyWeightsCount() {
        HandlerArbiter arbiter =
                arbiter(ProcessorPolicy.defaults().withoutPriority().withPatience(Duration.ofDays(1)));
        attach(arbiter, new Source("high", 1000, 10_000), "high", 9);
        attach(arbiter, new Source("low", 1000, 10_000), "low", 0);
        arbiter.run(100, () -> nowNs);
        assertEquals(50, count("low"), 1.0);
    }

    @Test
    void reArmStorm_lowPriorityWaitsNoLongerThanItsPatience_andTheStormKeepsHalf() {
        HandlerArbiter arbiter = arbiter(ProcessorPolicy.defaults().withPatience(Duration.ofMillis(2)));
        attach(arbiter, new Source("storm", Integer.MAX_VALUE, MS / 10), "storm", 9);
        attach(arbiter, new Source("low", 100, MS / 10), "low", 0);
        attach(arbiter, new Source("lower", 100, MS / 10), "lower", -1);
        long beganNs = nowNs;
        arbiter.run(1, () -> nowNs);
        while (count("low") < 2 || count("lower") < 2) {
            arbiter.run(1, () -> nowNs);
            assertTrue(nowNs - beganNs < 20 * MS, "starved");
        }
        arbiter.run(1000, () -> nowNs);
        assertTrue(count("storm") >= count("low") + count("lower"));
    }

    @Test
    void noPatience_atMostEverySecondTime() {
        HandlerArbiter arbiter = arbiter(ProcessorPolicy.defaults().withPatience(Duration.ZERO));
        attach(arbiter, new Source("high", 1000, 1000), "high", 9);
        attach(arbiter, new Source("low", 1000, 1000), "low", 0);
        arbiter.run(100, () -> nowNs);
        assertEquals(50, count("high"));
    }

    @Test
    void classChangedAtRunTime_whatIsSignalledGoesByTheNewOne() {
        HandlerArbiter arbiter = arbiter(ProcessorPolicy.defaults());
        EventAddress first = attach(arbiter, new Source("first", 2, 1), "x", 1);
        attach(arbiter, new Source("second", 2, 1), "x", 2);
        attach(arbiter, new Source("third", 1, 1), "x", 1);
        assertEquals(3, arbiter.waiting(nowNs));
        first.options(new HandlerOptions("y", 3));
        arbiter.run(100, () -> nowNs);
        assertEquals(List.of("first", "first", "second", "second", "third"), order);
    }

    @Test
    void signals_wakeOnce_untilHeard() {
        HandlerArbiter arbiter = arbiter(ProcessorPolicy.defaults());
        Source source = new Source("a", 1, 1);
        EventAddress address = attach(arbiter, source, "x", 0);
        address.signal();
        address.signal();
        assertEquals(1, wakes);
        assertTrue(arbiter.rung());
        arbiter.run(10, () -> nowNs);
        source.events = 1;
        address.signal();
        assertEquals(2, wakes);
        arbiter.run(10, () -> nowNs);
        assertEquals(List.of("a", "a"), order);
    }

    @Test
    void closed_sourcesAreAbandoned_signalsRefused() {
        HandlerArbiter arbiter = arbiter(ProcessorPolicy.defaults());
        Source source = new Source("a", 5, 1);
        Source detached = new Source("b", 5, 1);
        EventAddress address = attach(arbiter, source, "x", 0);
        attach(arbiter, detached, "x", 0).detach();
        arbiter.close();
        assertTrue(source.abandoned);
        assertTrue(!detached.abandoned);
        assertThrows(IllegalStateException.class, address::signal);
        assertThrows(
                IllegalStateException.class,
                () -> arbiter.attach(new CqHandlerId(1), HandlerOptions.defaults(), source));
        assertEquals(0, arbiter.run(10, () -> nowNs));
    }

    @Test
    void noticeThrows_nextOneRuns() {
        HandlerArbiter arbiter = arbiter(ProcessorPolicy.defaults());
        arbiter.notice(() -> {
            throw new IllegalStateException("on purpose");
        });
        arbiter.notice(() -> order.add("next"));
        assertEquals(2, arbiter.run(10, () -> nowNs));
        assertEquals(List.of("on purpose", "next"), order);
        arbiter.close();
        arbiter.notice(() -> order.add("never"));
        assertEquals(2, order.size());
    }

    @Test
    void manyClasses_comeAndGo_accountsStayFew() {
        HandlerArbiter arbiter = arbiter(ProcessorPolicy.defaults());
        for (int i = 0; i < 10_000; i++) {
            attach(arbiter, new Source("a", 1, 1), "class " + i, i).detach();
            assertEquals(1, arbiter.run(10, () -> nowNs));
        }
        assertEquals(10_000, order.size());
    }

    @Test
    void classChangedInTheMiddleAndAtTheEndOfItsQueue_theOthersKeepTheirOrder() {
        for (int changed = 0; changed < 4; changed++) {
            order.clear();
            HandlerArbiter arbiter = arbiter(ProcessorPolicy.defaults());
            List<EventAddress> addresses = new ArrayList<>();
            List<String> others = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                addresses.add(attach(arbiter, new Source("s" + i, 1, 1), "x", 1));
                if (i != changed) {
                    others.add("s" + i);
                }
            }
            assertEquals(4, arbiter.waiting(nowNs));
            addresses.get(changed).options(new HandlerOptions("y", 0));
            attach(arbiter, new Source("last", 1, 1), "x", 1);
            assertEquals(5, arbiter.waiting(nowNs));
            assertEquals(5, arbiter.run(100, () -> nowNs));
            others.add("last");
            others.add("s" + changed);
            assertEquals(others, order);
            assertTrue(arbiter.idle());
        }
    }

    @Test
    void idleAndRung_followTheSignals() {
        HandlerArbiter arbiter = arbiter(ProcessorPolicy.defaults());
        assertTrue(arbiter.idle());
        assertFalse(arbiter.rung());
        attach(arbiter, new Source("a", 1, 1), "x", 0);
        assertFalse(arbiter.idle());
        assertTrue(arbiter.rung());
        assertEquals(1, arbiter.waiting(nowNs));
        assertFalse(arbiter.idle());
        assertFalse(arbiter.rung());
        arbiter.run(100, () -> nowNs);
        assertTrue(arbiter.idle());
    }

    @Test
    void noticeAfterTheEnd_isDropped_thoseBeforeToo() {
        HandlerArbiter arbiter = arbiter(ProcessorPolicy.defaults());
        arbiter.notice(() -> order.add("before"));
        assertEquals(1, wakes);
        assertFalse(arbiter.closed());
        arbiter.close();
        assertTrue(arbiter.closed());
        arbiter.notice(() -> order.add("after"));
        assertEquals(1, wakes);
        assertEquals(0, arbiter.run(100, () -> nowNs));
        assertEquals(List.of(), order);
    }
}
