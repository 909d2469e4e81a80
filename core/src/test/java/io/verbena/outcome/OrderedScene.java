package io.verbena.outcome;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.OrderedWork;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.InfinibandQueuePairState;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.WindowOptions;
import io.verbena.verbs.WorkRequest;
import io.verbena.verbs.WrFlags;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Two operations on one word of the peer, posted together. A Read or atomic that is first puts its result into the word that the second
 * operation brings to the peer, so that each order of their effects leaves other values.
 */
final class OrderedScene {

    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final WindowOptions SHARED = WindowOptions.defaults().withScope(WindowOptions.Scope.DOMAIN);

    // Words of this side: sources of the two operations, and results of Reads and atomics.
    private static final int SOURCE = 0;
    private static final int SECOND_SOURCE = 8;
    private static final int RESULT = 16;
    private static final int SECOND_RESULT = 24;

    /** The word of the peer. */
    private static final int TARGET = 0;

    private static final int ARRIVAL = 8;

    private static final long AT_FIRST = 1;
    private static final long FROM_SOURCE = 20;
    private static final long FROM_SECOND_SOURCE = 300;
    private static final long ADDED = 4_000;

    /** The word in which the first operation leaves its result, before that. */
    private static final long NO_RESULT = 50_000;

    private final Side a;
    private final Side b;
    private final OrderedRoute route;
    private final Ordered first;
    private final Ordered second;
    private final OrderedWork.Pair order;
    private final MemoryWindow firstWindow;
    private final MemoryWindow secondWindow;

    OrderedScene(Scene scene, OrderedRoute route, Ordered first, Ordered second, boolean fenced) {
        this.route = route;
        a = scene.a;
        b = scene.b;
        this.first = first;
        this.second = second;
        order = new OrderedWork.Pair(first.work(), second.work(), fenced);
        firstWindow = window(first);
        secondWindow = window(second);
    }

    private MemoryWindow window(Ordered operation) {
        MemoryWindow window = a.pd.allocateWindow(SHARED);
        if (operation == Ordered.INVALIDATE || operation == Ordered.UNBIND) {
            window.bind(a.memory, 0, 8, AccessRight.REMOTE_READ);
        }
        return window;
    }

    private void set(Side side, int offset, long value) {
        side.memory.segment().set(JAVA_LONG, offset, value);
    }

    private long word(Side side, int offset) {
        return (long) JAVA_LONG.varHandle().getAcquire(side.memory.segment(), (long) offset);
    }

    /** Runs the operations, and checks the order of their completions and effects. */
    void run() {
        set(a, SOURCE, FROM_SOURCE);
        set(a, SECOND_SOURCE, FROM_SECOND_SOURCE);
        set(a, RESULT, NO_RESULT);
        set(a, SECOND_RESULT, NO_RESULT);
        set(b, TARGET, AT_FIRST);
        int receives = 0;
        for (Ordered each : List.of(first, second)) {
            if (each.received()) {
                receives++;
                b.qp.postReceive(receives, b.memory, TARGET, 8);
            }
        }
        WrFlags fence = order.fenced() ? WrFlags.SIGNALLED.withFence() : WrFlags.SIGNALLED;
        assertTrue(a.qp.post(addressed(first, true).id(1).flags(WrFlags.SIGNALLED)));
        assertTrue(a.qp.post(addressed(second, false).id(2).flags(fence)));
        List<String> completions = new ArrayList<>();
        if (second.work().local() && order.waits()) {
            awaitEffect();
            assertTrue(a.cursor.next(), () -> order + ": the effect is visible before the first operation is complete");
            completions.add(a.completion());
        }
        completions.add(a.takes(2 - completions.size()));
        assertEquals(expected(1, first) + ", " + expected(2, second), String.join(", ", completions), order::toString);
        receives++;
        arrive(receives);
        for (int id = 1; id <= receives; id++) {
            assertTrue(b.takes(1).startsWith(id + " "), () -> order + ": order of receives");
            assertTrue(b.cursor.ok(), order::toString);
        }
        Words found = new Words(word(a, RESULT), word(a, SECOND_RESULT), word(b, TARGET));
        assertTrue(permitted().contains(found), () -> order + ": " + found + ", permitted " + permitted());
        firstWindow.close();
        secondWindow.close();
    }

    /**
     * Runs the operations where the service does not have the second one: it fails when the first one is complete, it has no effect, and
     * what follows is flushed until the send queue is recovered.
     */
    void runRefused() {
        int receives = first.received() ? 1 : 0;
        if (first.received()) {
            b.qp.postReceive(receives, b.memory, TARGET, 8);
        }
        boolean bound = secondWindow.bound();
        a.post(addressed(first, true), 1);
        a.post(addressed(second, false), 2);
        a.post(addressed(first, true), 3);
        String refused = expected(2, second).replace("SUCCESS", "LOCAL_OPERATION");
        String flushed = expected(3, first).replace("SUCCESS", "FLUSHED");
        assertEquals(expected(1, first) + ", " + refused + ", " + flushed, a.takes(3), order::toString);
        assertEquals(bound, secondWindow.bound(), order::toString);
        a.qp.modify(QueuePairChange.to(InfinibandQueuePairState.RTS));
        receives++;
        arrive(receives);
        assertTrue(b.takes(receives).endsWith(receives + " RECEIVE SUCCESS"), order::toString);
        // The refused request holds no key.
        firstWindow.close();
        secondWindow.close();
    }

    /** Sends a message after which everything has arrived: a Write can be complete before (iWARP). */
    private void arrive(int receive) {
        b.qp.postReceive(receive, b.memory, ARRIVAL, 8);
        WorkRequest message = a.qp.newWorkRequest().send().gather(a.memory, SOURCE, 8);
        a.post(route.addressed().apply(message), receive);
        assertEquals(receive + " SEND SUCCESS", a.takes(1), order::toString);
    }

    /** Waits until the effect of the second operation, which is local, is visible. */
    private void awaitEffect() {
        long endNs = System.nanoTime() + PATIENCE.toNanos();
        while (secondWindow.bound() != (second == Ordered.BIND)) {
            assertTrue(System.nanoTime() - endNs < 0, () -> order + ": no effect");
            a.rnic.progress();
        }
    }

    private static String expected(int id, Ordered operation) {
        String opcode = switch (operation) {
            case WRITE_IMMEDIATE -> "WRITE";
            case ATOMIC -> "FETCH_AND_ADD";
            case INVALIDATE -> "LOCAL_INVALIDATE";
            case UNBIND -> "BIND";
            default -> operation.name();
        };
        return id + " " + opcode + " SUCCESS";
    }

    private WorkRequest addressed(Ordered operation, boolean isFirst) {
        return route.addressed().apply(request(operation, isFirst));
    }

    private WorkRequest request(Ordered operation, boolean isFirst) {
        WorkRequest request = a.qp.newWorkRequest();
        long address = b.memory.address() + TARGET;
        int rkey = b.memory.rkey();
        MemoryWindow window = isFirst ? firstWindow : secondWindow;
        return switch (operation) {
            case SEND -> request.send().gather(a.memory, source(isFirst), 8);
            case WRITE -> request.write(address, rkey).gather(a.memory, source(isFirst), 8);
            case WRITE_IMMEDIATE -> request.writeWithImmediate(address, rkey, 7).gather(a.memory, source(isFirst), 8);
            case READ -> request.read(address, rkey).scatter(a.memory, isFirst ? RESULT : SECOND_RESULT, 8);
            case ATOMIC ->
                request.fetchAndAdd(address, rkey, ADDED).scatter(a.memory, isFirst ? RESULT : SECOND_RESULT, 8);
            case INVALIDATE -> request.localInvalidate(window.rkey());
            case BIND -> request.bind(window, a.memory, 0, 8, AccessRight.REMOTE_READ);
            case UNBIND -> request.unbind(window);
        };
    }

    private int source(boolean isFirst) {
        if (isFirst) {
            return SOURCE;
        }
        return first.work().answered() ? RESULT : SECOND_SOURCE;
    }

    /** The two results and the word of the peer. */
    private record Words(long result, long secondResult, long target) {

        Words withTarget(long value) {
            return new Words(result, secondResult, value);
        }

        Words withResult(boolean isFirst, long value) {
            return isFirst ? new Words(value, secondResult, target) : new Words(result, value, target);
        }
    }

    /** The words that the order of the two operations permits. */
    private Set<Words> permitted() {
        Set<Words> all = new HashSet<>();
        Words start = new Words(NO_RESULT, NO_RESULT, AT_FIRST);
        all.add(effect(second, false, effect(first, true, start)));
        if (route.oneAtATime()) {
            return all;
        }
        if (first.work().answered() && second.brings() && !order.waits()) {
            // The second operation may take its data before the answer to the first one arrives.
            Words executed = effect(first, true, start);
            all.add(new Words(executed.result(), NO_RESULT, NO_RESULT));
        }
        if (first == Ordered.READ && !order.waits()) {
            // The peer may execute the second operation before it reads for the first one.
            all.add(effect(first, true, effect(second, false, start)));
        }
        return all;
    }

    private Words effect(Ordered operation, boolean isFirst, Words words) {
        return switch (operation) {
            case SEND, WRITE, WRITE_IMMEDIATE -> words.withTarget(sourceValue(isFirst, words));
            case READ -> words.withResult(isFirst, words.target());
            case ATOMIC -> words.withResult(isFirst, words.target()).withTarget(words.target() + ADDED);
            case INVALIDATE, BIND, UNBIND -> words;
        };
    }

    private long sourceValue(boolean isFirst, Words words) {
        if (isFirst) {
            return FROM_SOURCE;
        }
        return first.work().answered() ? words.result() : FROM_SECOND_SOURCE;
    }
}
