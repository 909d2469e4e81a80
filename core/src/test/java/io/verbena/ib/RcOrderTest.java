package io.verbena.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.OrderedWork;
import io.verbena.memory.Region;
import io.verbena.memory.RegionTable;
import io.verbena.memory.RemoteKey;
import io.verbena.queue.Wqe;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.WrFlags;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The order of work on a reliable connection, pair by pair, while the peer does not answer. */
class RcOrderTest {

    private static final long FIRST_DELAY_NS = 1_000;
    private static final long SECOND_DELAY_NS = 300;

    private final RcPair pair = RcPair.plain();
    private final Region local = pair.a.region(64, EnumSet.allOf(AccessRight.class));
    private final Region remote = pair.b.region(64);
    private final List<Region> invalidated = new ArrayList<>(List.of(pair.a.region(8), pair.a.region(8)));
    private final Region last = invalidated.get(1);
    private final RemoteKey toBind = key();
    private final List<RemoteKey> bound = new ArrayList<>(List.of(boundKey(), boundKey()));
    private final RemoteKey lastBound = bound.get(1);

    private static Stream<OrderedWork.Pair> pairs() {
        return OrderedWork.pairs();
    }

    private RemoteKey key() {
        return pair.a.regions.keys().allocate(1, false, false, true, false);
    }

    private RemoteKey boundKey() {
        RemoteKey key = key();
        int rights = RegionTable.bits(Set.of(AccessRight.REMOTE_READ));
        pair.a.regions.keys().beginBind(key, local.localKey(), 1, 0, 8, rights);
        pair.a.regions.keys().bind(key, local.localKey(), 0, 0, 8, rights);
        return key;
    }

    private void post(OrderedWork work, long id, boolean fenced, long delayNs) {
        WrFlags flags = fenced ? WrFlags.SIGNALLED.withFence() : WrFlags.SIGNALLED;
        pair.a.post(work.opcode(), flags, w -> {
            w.wrId(id);
            switch (work) {
                case SEND -> w.addElement(local.localKey(), 0, 8);
                case WRITE, READ ->
                    w.remoteAddress(remote.baseAddress()).rkey(remote.rkey()).addElement(local.localKey(), 0, 8);
                case ATOMIC ->
                    w.remoteAddress(remote.baseAddress())
                            .rkey(remote.rkey())
                            .operand1(1)
                            .addElement(local.localKey(), 0, 8);
                case INVALIDATE -> w.rkey(invalidated.remove(0).rkey());
                case BIND -> bind(w);
                case UNBIND -> {
                    RemoteKey key = bound.remove(0);
                    pair.a.regions.keys().promiseUnbind(key, RcPair.A_QP);
                    w.rkey(key.identity());
                }
                case DELAY -> w.operand1(delayNs);
            }
        });
    }

    private void bind(Wqe wqe) {
        int value = pair.a.regions.keys().promise(toBind, RcPair.A_QP, 0, 8);
        wqe.rkey(value)
                .remoteAddress(0)
                .otherKey(local.localKey())
                .operand1(8)
                .operand2(RegionTable.bits(Set.of(AccessRight.REMOTE_READ)));
    }

    /** Whether the later operation has been executed, or its request has left. */
    private boolean begun(OrderedWork.Pair order) {
        return switch (order.second()) {
            case INVALIDATE -> last.rkey() == 0;
            case BIND -> pair.a.regions.keys().isBound(toBind);
            case UNBIND -> !pair.a.regions.keys().isBound(lastBound);
            case DELAY -> pair.a.engine.nextDeadlineNs() == pair.nowNs + SECOND_DELAY_NS;
            default -> requests() > (order.first().local() ? 0 : 1);
        };
    }

    private int requests() {
        return pair.a.wire.size();
    }

    /** Work that is both times the same needs two objects, and the second one shows the effect. */
    private void discardFirst(OrderedWork.Pair order) {
        if (order.first() != OrderedWork.INVALIDATE) {
            invalidated.remove(0);
        }
        if (order.first() != OrderedWork.UNBIND) {
            bound.remove(0);
        }
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void firstUnanswered_secondWaitsOrPasses_bothCompleteInOrder(OrderedWork.Pair order) {
        discardFirst(order);
        pair.b.postReceive(8, remote, 8);
        pair.b.postReceive(9, remote, 8);
        post(order.first(), 1, false, FIRST_DELAY_NS);
        post(order.second(), 2, order.fenced(), SECOND_DELAY_NS);
        pair.a.transmit(pair.nowNs);
        assertEquals(order.waits(), !begun(order), order::toString);
        complete(order);
    }

    /** The request of the earlier operation is lost: the later one waits or passes as before, and all is repeated. */
    @ParameterizedTest
    @MethodSource("pairs")
    void firstLost_secondWaitsOrPasses_bothCompleteInOrder(OrderedWork.Pair order) {
        discardFirst(order);
        pair.b.postReceive(8, remote, 8);
        pair.b.postReceive(9, remote, 8);
        post(order.first(), 1, false, FIRST_DELAY_NS);
        post(order.second(), 2, order.fenced(), SECOND_DELAY_NS);
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
