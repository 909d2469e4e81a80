package io.verbena.messaging.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Seeds;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Agreements of up to seven ranks of which several die, with messages and notices of deaths in random order. */
class AgreementTest {

    private static final int SEEDS = 2000;
    private static final int MOST_STEPS = 20_000;

    private record Message(int kind, boolean proposed, Agreement.Value value) {}

    private static final class Job {
        final Random random;
        final int size;
        final BitSet dead = new BitSet();
        final boolean[][] noticed; // by observer
        final List<List<ArrayDeque<Message>>> wires = new ArrayList<>(); // by sender and receiver
        final List<Agreement> agreements = new ArrayList<>();
        final long[] inputs;
        final boolean[] started;

        /** The values of those that have decided, also of ranks that died later. */
        final List<Agreement.Value> decisions = new ArrayList<>();

        private final boolean[] recorded;

        Job(long seed) {
            random = new Random(seed);
            size = 1 + random.nextInt(7);
            noticed = new boolean[size][size];
            inputs = random.longs(size).toArray();
            started = new boolean[size];
            recorded = new boolean[size];
            for (int i = 0; i < size; i++) {
                List<ArrayDeque<Message>> out = new ArrayList<>();
                for (int k = 0; k < size; k++) {
                    out.add(new ArrayDeque<>());
                }
                wires.add(out);
            }
            for (int i = 0; i < size; i++) {
                int rank = i;
                agreements.add(new Agreement(
                        rank,
                        size,
                        new Agreement.Network() {
                            @Override
                            public boolean lives(int other) {
                                return !noticed[rank][other];
                            }

                            @Override
                            public void send(int to, int kind, boolean proposed, Agreement.Value value) {
                                wires.get(rank).get(to).addLast(new Message(kind, proposed, value));
                            }
                        },
                        new Agreement.Value(new long[] {inputs[i]}, new BitSet())));
            }
        }

        void step() {
            int rank = random.nextInt(size);
            if (dead.get(rank)) {
                return;
            }
            int other = random.nextInt(size);
            ArrayDeque<Message> wire = wires.get(other).get(rank);
            if (started[rank] && !wire.isEmpty()) {
                Message message = wire.removeFirst();
                agreements.get(rank).arrived(other, message.kind(), message.proposed(), message.value());
            } else if (dead.get(other) && wire.isEmpty()) {
                noticed[rank][other] = true; // nothing arrives from it any more
            }
            started[rank] |= random.nextInt(4) == 0;
            if (started[rank]) {
                agreements.get(rank).advance();
            }
            if (agreements.get(rank).decided() && !recorded[rank]) {
                recorded[rank] = true;
                decisions.add(agreements.get(rank).value());
            }
        }

        /** A rank dies; the last messages that it has sent are lost. */
        void kill() {
            int victim = random.nextInt(size);
            if (dead.cardinality() == size - 1 || dead.get(victim)) {
                return;
            }
            dead.set(victim);
            for (ArrayDeque<Message> wire : wires.get(victim)) {
                for (int i = random.nextInt(3); i > 0; i--) {
                    wire.pollLast();
                }
            }
        }

        boolean done() {
            for (int i = 0; i < size; i++) {
                if (!dead.get(i) && !agreements.get(i).decided()) {
                    return false;
                }
            }
            return true;
        }
    }

    @Tag(Seeds.TAG)
    @Test
    void ranksDieAtAnyStep_allThatDecideHaveTheSameValue() {
        Seeds.each(SEEDS, seed -> {
            Job job = new Job(seed);
            int kills = job.random.nextInt(4);
            for (int step = 0; !job.done(); step++) {
                assertTrue(step < MOST_STEPS, "the ranks do not agree");
                if (kills > 0 && job.random.nextInt(10 * job.size) == 0) {
                    kills--;
                    job.kill();
                }
                job.step();
            }
            for (Agreement.Value each : job.decisions) {
                assertEquals(job.decisions.getFirst().words()[0], each.words()[0]);
                assertEquals(job.decisions.getFirst().dead(), each.dead());
            }
            Agreement.Value value = job.decisions.getFirst();
            assertTrue(job.dead.isEmpty() || value.dead().stream().allMatch(job.dead::get));
            long all = -1;
            for (int i = 0; i < job.size; i++) {
                if (!value.dead().get(i)) {
                    all &= job.inputs[i];
                }
            }
            assertEquals(value.words()[0], value.words()[0] & all, "a living rank's value was ignored");
        });
    }
}
