package io.verbena.iwarp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.Slab;
import io.verbena.fixture.OrderedPosts;
import io.verbena.fixture.OrderedWork;
import io.verbena.memory.Region;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The order of work on a stream, pair by pair, before the earlier operation has left and while the peer does not answer. */
class StreamOrderTest {

    private static final int QUEUE_PAIR = 1;

    private final StreamPair pair = StreamPair.plain();
    private final Region remote = pair.b.region(64);
    private final OrderedPosts posts = new OrderedPosts(pair.a.regions, remote, QUEUE_PAIR, pair.a::post);
    private int sent;
    private int leaving;

    private static Stream<OrderedWork.Pair> pairs() {
        return OrderedWork.pairs();
    }

    private boolean begun(OrderedWork.Pair order) {
        return posts.begun(order, sent, pair.a.stream.nextDeadlineNs(), pair.nowNs);
    }

    /** The stream frames what it can; nothing leaves. */
    private void frameOnly() {
        if (pair.a.stream.hasTransmitWork(pair.nowNs)) {
            pair.a.list.reset();
            pair.a.stream.fillTransmit(pair.a.list, 64 * 1024, pair.nowNs);
            sent = pair.a.list.units();
        }
    }

    private void leave() {
        while (pair.a.stream.hasTransmitWork(pair.nowNs)) {
            pair.a.list.reset();
            pair.a.stream.fillTransmit(pair.a.list, 64 * 1024, pair.nowNs);
            if (pair.a.list.units() == 0) {
                return;
            }
            sent = leaving + pair.a.list.units();
            leaving = sent;
            Slab out = new Slab(pair.a.list.bytes());
            pair.a.list.copyOut(0, pair.a.list.bytes(), out, 0);
            pair.a.append(out.segment().toArray(ValueLayout.JAVA_BYTE));
            pair.a.stream.onTransmitted(pair.a.list, pair.a.list.units(), false, pair.nowNs);
        }
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void firstIncomplete_secondWaitsOrPasses_bothCompleteInOrder(OrderedWork.Pair order) {
        pair.b.postReceive(8, remote, 0, 8);
        pair.b.postReceive(9, remote, 0, 8);
        posts.post(order);
        frameOnly();
        if (order.waits()) {
            assertFalse(begun(order), () -> order + ": before the first has left");
        }
        leave();
        boolean firstComplete = !order.first().answered() && order.first() != OrderedWork.DELAY;
        assertEquals(order.waits() && !firstComplete, !begun(order), order::toString);
        pair.run();
        List<String> completed = new ArrayList<>(pair.a.completions());
        for (int i = 0; i < 3 && completed.size() < 2; i++) {
            pair.nowNs += OrderedPosts.FIRST_DELAY_NS;
            pair.a.stream.onDeadline(pair.nowNs);
            pair.run();
            completed.addAll(pair.a.completions());
        }
        assertEquals(2, completed.size(), () -> order + ": " + completed);
        assertTrue(completed.get(0).startsWith("1 ") && completed.get(0).contains(" SUCCESS"), completed::toString);
        assertTrue(completed.get(1).startsWith("2 ") && completed.get(1).contains(" SUCCESS"), completed::toString);
    }
}
