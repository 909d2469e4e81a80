package io.verbena.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.OrderedPosts;
import io.verbena.fixture.OrderedWork;
import io.verbena.memory.Region;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.Syndrome;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The order of work of a reliable datagram queue pair, pair by pair. A queue pair has one message in progress, whichever contexts its work
 * names, so that with and without a fence the later one waits until the earlier one is complete. Local work, which the service does not
 * have, is tested through the verbs.
 */
@ParameterizedClass
@EnumSource(RdOrderTest.Route.class)
class RdOrderTest {

    private static final int FIRST_PSN = 100;
    private static final int QUEUE_PAIR = 0x10;
    private static final int RNR_CODE = 20; // 10.24 ms
    private static final long MS = 1_000_000;

    /** The node to which the later operation goes; the earlier one goes to node 1. */
    enum Route {
        SAME_CONTEXT(1),
        OTHER_CONTEXT(2);

        private final int node;

        Route(int node) {
            this.node = node;
        }
    }

    private final Route route;
    private final List<RdNode> nodes =
            Stream.of(0, 1, 2).map(i -> new RdNode(i, 1, 3, FIRST_PSN, 3)).toList();
    private final RdNode node = nodes.getFirst();
    private final RdNode.Pair pair = node.pairs.getFirst();
    private final List<String> completions = new ArrayList<>();
    private long nowNs = Long.MAX_VALUE - 3 * MS;

    RdOrderTest(Route route) {
        this.route = route;
    }

    private static Stream<OrderedWork.Pair> pairs() {
        return OrderedWork.pairs()
                .filter(it -> !it.first().local() && !it.second().local());
    }

    /** Posts both operations. Exactly the earlier one leaves. */
    private void post(OrderedWork.Pair order) {
        for (RdNode each : nodes) {
            Region sink = each.region(64);
            each.pairs.getFirst().postReceive(8, sink, 8);
            each.pairs.getFirst().postReceive(9, sink, 8);
        }
        Region near = nodes.get(1).region(64);
        Region far = nodes.get(route.node).region(64);
        List<Integer> targets = new ArrayList<>(List.of(1, route.node));
        new OrderedPosts(node.regions, near, QUEUE_PAIR, (opcode, flags, details) -> {
                    int to = targets.removeFirst();
                    pair.post(opcode, flags, w -> {
                        details.accept(w);
                        w.destination(QUEUE_PAIR, RdNode.Q_KEY).otherKey(to);
                        if (to != 1) {
                            w.remoteAddress(far.baseAddress()).rkey(far.rkey());
                        }
                    });
                })
                .post(order);
        assertEquals(1, sent(), order::toString);
    }

    /** Number of packets that are on their way. */
    private int sent() {
        node.transmit(nowNs);
        return node.wire(1).size() + node.wire(2).size();
    }

    private void pass(long durationNs) {
        nowNs += durationNs;
        nodes.forEach(each -> each.contexts.values().forEach(context -> context.onDeadline(nowNs)));
    }

    private void exchange() {
        for (int i = 0; i < 4; i++) {
            for (int from = 0; from < nodes.size(); from++) {
                for (int to = 0; to < nodes.size(); to++) {
                    if (from != to) {
                        deliver(from, to);
                    }
                }
            }
        }
        completions.addAll(pair.completions());
    }

    private void deliver(int from, int to) {
        nodes.get(from).transmit(nowNs);
        while (!nodes.get(from).wire(to).isEmpty()) {
            nodes.get(to).receive(from, nodes.get(from).wire(to).removeFirst(), nowNs);
        }
    }

    private void complete(OrderedWork.Pair order) {
        exchange();
        for (int i = 0; i < 20 && completions.size() < 2; i++) {
            pass(MS);
            exchange();
        }
        assertEquals(List.of(success(1, order.first()), success(2, order.second())), completions, order::toString);
    }

    private static String success(int id, OrderedWork work) {
        return id + " " + work.opcode() + " SUCCESS 8";
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void firstUnanswered_secondWaits_bothCompleteInOrder(OrderedWork.Pair order) {
        post(order);
        pass(MS / 2);
        assertEquals(1, sent(), order::toString);
        complete(order);
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void firstLost_onlyTheFirstIsRepeated_bothCompleteInOrder(OrderedWork.Pair order) {
        post(order);
        byte[] lost = node.wire(1).removeFirst();
        assertEquals(0, sent(), order::toString);
        pass(MS);
        assertEquals(1, sent(), order::toString);
        assertEquals(RcPair.text(lost), RcPair.text(node.wire(1).getFirst()));
        complete(order);
    }

    /** The context may send messages of other queue pairs while a refused one waits, but none that was posted after it. */
    @ParameterizedTest
    @MethodSource("pairs")
    void firstRefused_secondWaitsForTheRnrTimer_bothCompleteInOrder(OrderedWork.Pair order) {
        post(order);
        node.wire(1).clear();
        byte[] refusal = Crafted.packet(IbOpcode.RD_ACKNOWLEDGE, FIRST_PSN, 0, p -> {
            p.rdeth().set(1);
            p.aeth().set(Syndrome.rnrNak(RNR_CODE), 0);
        });
        node.receive(1, refusal, nowNs);
        assertEquals(0, node.sentTo(2, nowNs).size(), order::toString);
        // RESYNC skips a refused Send or Write; a Read or atomic keeps its PSN.
        assertTrue(node.sentTo(1, nowNs).stream().allMatch(it -> it.startsWith("RESYNC")), order::toString);
        exchange();
        pass(10 * MS);
        assertEquals(0, sent(), order::toString);
        assertEquals(List.of(), completions);
        complete(order);
    }
}
