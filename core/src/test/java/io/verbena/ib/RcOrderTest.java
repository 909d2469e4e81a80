package io.verbena.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.OrderedPosts;
import io.verbena.fixture.OrderedWork;
import io.verbena.memory.Region;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The order of work on a reliable connection, pair by pair, while the peer does not answer. */
class RcOrderTest {

    private final RcPair pair = RcPair.plain();
    private final Region remote = pair.b.region(64);
    private final OrderedPosts posts = new OrderedPosts(pair.a.regions, remote, RcPair.A_QP, pair.a::post);

    private static Stream<OrderedWork.Pair> pairs() {
        return OrderedWork.pairs();
    }

    private boolean begun(OrderedWork.Pair order) {
        return posts.begun(order, pair.a.wire.size(), pair.a.engine.nextDeadlineNs(), pair.nowNs);
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void firstUnanswered_secondWaitsOrPasses_bothCompleteInOrder(OrderedWork.Pair order) {
        pair.b.postReceive(8, remote, 8);
        pair.b.postReceive(9, remote, 8);
        posts.post(order);
        pair.a.transmit(pair.nowNs);
        assertEquals(order.waits(), !begun(order), order::toString);
        complete(order);
    }

    /** The request of the earlier operation is lost: the later one waits or passes as before, and all is repeated. */
    @ParameterizedTest
    @MethodSource("pairs")
    void firstLost_secondWaitsOrPasses_bothCompleteInOrder(OrderedWork.Pair order) {
        pair.b.postReceive(8, remote, 8);
        pair.b.postReceive(9, remote, 8);
        posts.post(order);
        pair.a.transmit(pair.nowNs);
        pair.a.wire.pollFirst();
        pair.run();
        if (order.waits() && !order.first().local()) {
            assertFalse(begunUnlessSent(order), order::toString);
        }
        complete(order);
    }

    private boolean begunUnlessSent(OrderedWork.Pair order) {
        return order.second().local() && begun(order);
    }

    private void complete(OrderedWork.Pair order) {
        List<String> completed = new ArrayList<>();
        pair.run();
        completed.addAll(pair.a.completions());
        for (int i = 0; i < 8 && completed.size() < 2; i++) {
            pair.nextDeadline();
            pair.run();
            completed.addAll(pair.a.completions());
        }
        assertEquals(2, completed.size(), () -> order + ": " + completed);
        assertTrue(completed.get(0).startsWith("1 ") && completed.get(0).contains(" SUCCESS"), completed::toString);
        assertTrue(completed.get(1).startsWith("2 ") && completed.get(1).contains(" SUCCESS"), completed::toString);
    }
}
