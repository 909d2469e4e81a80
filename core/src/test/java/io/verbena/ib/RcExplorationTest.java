package io.verbena.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.Digest;
import io.verbena.memory.Region;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * All orders of a few steps of a reliable connection: a Write of two packets, a Read and a Send are posted, the
 * receive of it before or after, and packets arrive, overtake others, are lost or come twice, or come after a
 * timeout. Each state is reached by its steps from the beginning; after each, everything that is left arrives, and
 * all work completes once, in order, with the right bytes.
 */
class RcExplorationTest {

    private static final int MOST_STEPS = 5;
    private static final int BYTES = 1_500;

    private enum Step {
        WRITE,
        READ,
        SEND,
        RECEIVE,
        ARRIVES,
        OVERTAKES,
        LOST,
        TWICE,
        TIMEOUT;

        /** How often one side can take it. */
        int most() {
            return this == ARRIVES ? Integer.MAX_VALUE : 1;
        }

        boolean ofPackets() {
            return this == ARRIVES || this == OVERTAKES || this == LOST || this == TWICE;
        }
    }

    private record Move(boolean ofA, Step step) {}

    /** How the connection repeats what was lost. */
    enum Repeats {
        FROM_THE_LOST_ONE,
        SELECTIVELY
    }

    private static final class Scene {
        final RcPair pair;
        final Region from;
        final Region to;
        final Region read;
        final Map<Step, Integer> taken = new EnumMap<>(Step.class);
        final List<String> completions = new ArrayList<>();
        final List<String> received = new ArrayList<>();

        Scene(Repeats repeats) {
            pair = repeats == Repeats.SELECTIVELY ? RcPair.selective() : RcPair.plain();
            from = pair.a.region(2 * BYTES);
            to = pair.b.region(4 * BYTES);
            read = pair.a.region(BYTES);
            RcPair.fill(from, 1);
        }

        boolean possible(Move move) {
            RcPair.End end = move.ofA() ? pair.a : pair.b;
            return (move.ofA() || move.step().ofPackets())
                    && taken.getOrDefault(move.step(), 0) < move.step().most()
                    && switch (move.step()) {
                        case WRITE, READ, SEND, RECEIVE -> true;
                        case ARRIVES, LOST, TWICE -> !end.wire.isEmpty();
                        case OVERTAKES -> end.wire.size() > 1;
                        case TIMEOUT -> pair.a.engine.nextDeadlineNs() != Long.MAX_VALUE;
                    };
        }

        void take(Move move) {
            RcPair.End end = move.ofA() ? pair.a : pair.b;
            RcPair.End other = move.ofA() ? pair.b : pair.a;
            taken.merge(move.step(), 1, Integer::sum);
            switch (move.step()) {
                case WRITE -> pair.a.write(1, from, to, BYTES);
                case READ -> pair.a.read(2, read, to, BYTES);
                case SEND -> pair.a.send(3, from, 100);
                case RECEIVE -> pair.b.postReceive(4, to, 100);
                case ARRIVES -> other.receive(end.wire.removeFirst(), pair.nowNs);
                case OVERTAKES -> other.receive(end.wire.removeLast(), pair.nowNs);
                case LOST -> end.wire.removeFirst();
                case TWICE -> {
                    byte[] packet = end.wire.removeFirst();
                    other.receive(packet, pair.nowNs);
                    other.receive(packet.clone(), pair.nowNs);
                }
                case TIMEOUT -> pair.nextDeadline();
            }
            pair.a.transmit(pair.nowNs);
            pair.b.transmit(pair.nowNs);
            completions.addAll(pair.a.completions());
            received.addAll(pair.b.completions());
        }

        long key() {
            long d = Digest.mix(pair.a.engine.stateDigest(), pair.b.engine.stateDigest());
            for (RcPair.End end : List.of(pair.a, pair.b)) {
                d = Digest.mix(d, end.send.posted() << 16 | end.send.retired());
                d = Digest.mix(d, end.receive.posted() << 16 | end.receive.retired());
                for (byte[] packet : end.wire) {
                    d = Digest.mix(d, Arrays.hashCode(packet));
                }
            }
            return Digest.mix(Digest.mix(d, pair.nowNs), taken.hashCode());
        }

        void finish(List<Move> before) {
            if (taken.containsKey(Step.SEND) && !taken.containsKey(Step.RECEIVE)) {
                take(new Move(true, Step.RECEIVE));
            }
            for (int step = 0; step < 200; step++) {
                pair.run();
                completions.addAll(pair.a.completions());
                received.addAll(pair.b.completions());
                if (pair.a.send.posted() == pair.a.send.retired()) {
                    check(before);
                    return;
                }
                assertTrue(pair.nextDeadline(), () -> "nothing moves after " + before);
            }
            throw new AssertionError("no end after " + before);
        }

        private void check(List<Move> before) {
            List<String> expected = new ArrayList<>();
            for (Move move : before) {
                switch (move.step()) {
                    case WRITE -> expected.add("1 WRITE SUCCESS " + BYTES);
                    case READ -> expected.add("2 READ SUCCESS " + BYTES);
                    case SEND -> expected.add("3 SEND SUCCESS 100");
                    default -> {}
                }
            }
            assertEquals(expected, completions, () -> "after " + before);
            boolean sent = taken.containsKey(Step.SEND);
            assertEquals(sent ? List.of("4 RECEIVE SUCCESS 100") : List.of(), received, () -> "after " + before);
            assertTrue(
                    !taken.containsKey(Step.WRITE) || RcPair.same(from, to, 100), () -> "other bytes after " + before);
        }
    }

    private final Set<Long> seen = new HashSet<>();
    private final Deque<List<Move>> todo = new ArrayDeque<>();

    private static Scene replay(Repeats repeats, List<Move> moves) {
        Scene scene = new Scene(repeats);
        moves.forEach(scene::take);
        return scene;
    }

    @ParameterizedTest
    @EnumSource
    void allOrders_completeOnceInOrder(Repeats repeats) {
        todo.add(List.of());
        while (!todo.isEmpty()) {
            List<Move> moves = todo.removeFirst();
            replay(repeats, moves).finish(moves);
            if (moves.size() == MOST_STEPS) {
                continue;
            }
            Scene now = replay(repeats, moves);
            for (Step step : Step.values()) {
                for (boolean ofA : new boolean[] {true, false}) {
                    Move move = new Move(ofA, step);
                    if (now.possible(move)) {
                        List<Move> longer = new ArrayList<>(moves);
                        longer.add(move);
                        if (seen.add(replay(repeats, longer).key())) {
                            todo.add(longer);
                        }
                    }
                }
            }
        }
        assertTrue(seen.size() > 1_000, () -> "states: " + seen.size());
    }
}
