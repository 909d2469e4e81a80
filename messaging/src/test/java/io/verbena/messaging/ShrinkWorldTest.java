package io.verbena.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Rounds;
import io.verbena.fixture.Seeds;
import io.verbena.messaging.collective.Call;
import io.verbena.messaging.collective.CollectiveKind;
import io.verbena.messaging.collective.Combining;
import io.verbena.messaging.collective.ElementType;
import io.verbena.messaging.collective.PredefinedReduction;
import io.verbena.messaging.protocol.Agreement;
import io.verbena.sim.Medium;
import io.verbena.sim.Profile;
import io.verbena.sim.World;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Ranks that die at random steps of random collective operations, in virtual time: every other rank leaves all operations within the keep-alive
 * and a second, then the living ranks shrink their communicator, although a further one may die meanwhile, and continue.
 */
class ShrinkWorldTest {

    private static final int OPERATIONS = 4;
    private static final int[] INTS = {0, 1, 700, 5000};
    private static final CollectiveKind[] KINDS = {
        CollectiveKind.ALLREDUCE,
        CollectiveKind.BCAST,
        CollectiveKind.ALLGATHER,
        CollectiveKind.ALLTOALL,
        CollectiveKind.REDUCE,
        CollectiveKind.BARRIER,
        CollectiveKind.SCAN
    };
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final Combining SUM = new Combining(ElementType.INT, PredefinedReduction.SUM);
    private static final Duration KEEP_ALIVE = Duration.ofMillis(500);
    /** A rank that died before any other was connected to it is found by an attempt to connect, which starts after a second. */
    private static final Duration CONNECT_TIMEOUT = Duration.ofMillis(300);

    private static final long LONGEST_NS = KEEP_ALIVE.toNanos() + 1_000_000_000;
    private static final long STEP_NS = 20_000;
    private static final long LONG_STEP_NS = 500_000;
    private static final int SHORT_STEPS = 500;

    /** What a waiting rank does after a second: it connects to all others. */
    private static final long CONNECT_NS = 1_000_000_000;

    private static final int MOST_STEPS = 100_000;

    private static final class Job implements AutoCloseable {
        final Random random;
        final int size;
        final World world;
        final VirtualRanks ranks;
        final BitSet dead = new BitSet();
        final List<Call> calls = new ArrayList<>();

        /** By rank of the job. */
        final List<CollectiveEngine> engines = new ArrayList<>();

        final List<List<CollectiveRun>> runs = new ArrayList<>();
        private int steps;

        Job(long seed) throws IOException {
            random = new Random(seed);
            size = 3 + random.nextInt(3);
            world = Medium.STREAMS.in(new World(seed, Profile.CALM, Optional.empty()));
            MessagingOptions options = MessagingOptions.defaults()
                    .withRendezvous(random.nextBoolean() ? RendezvousMode.READ : RendezvousMode.WRITE);
            ranks = new VirtualRanks(
                    world,
                    size,
                    RnicOptions.defaults(),
                    options.withChannel(options.channel().toBuilder()
                            .keepAlive(KEEP_ALIVE)
                            .connectTimeout(CONNECT_TIMEOUT)
                            .build()));
            for (int i = 0; i < size; i++) {
                engines.add(ranks.rank(i).engines().create(0, Group.all(size), i));
                runs.add(new ArrayList<>());
            }
            for (int i = 0; i < OPERATIONS; i++) {
                CollectiveKind kind = KINDS[random.nextInt(KINDS.length)];
                int ints = kind == CollectiveKind.BARRIER ? 0 : INTS[random.nextInt(INTS.length)];
                int root = kind == CollectiveKind.BCAST || kind == CollectiveKind.REDUCE ? random.nextInt(size) : 0;
                calls.add(new Call(kind, root, false, Call.Volume.of(4L * ints), SUM));
            }
        }

        private boolean lives(int rank) {
            return !dead.get(rank);
        }

        private MemorySegment ints(long bytes) {
            return Arena.ofAuto().allocate(Math.max(4, bytes * size), 4);
        }

        private void startNext(int rank) {
            Call call = calls.get(runs.get(rank).size());
            long bytes = call.volume().bytes();
            CollectiveRun run = engines.get(rank).prepare(call, ints(bytes), ints(bytes));
            runs.get(rank).add(run);
            engines.get(rank).start(run);
        }

        private void step() {
            for (int i = 0; i < size; i++) {
                if (lives(i)) {
                    ranks.rank(i).progress();
                }
            }
            world.runFor(steps++ < SHORT_STEPS ? STEP_NS : LONG_STEP_NS);
        }

        private void kill() {
            int victim = random.nextInt(size);
            if (lives(victim) && dead.cardinality() < size - 2) {
                dead.set(victim);
                if (random.nextInt(3) == 0) {
                    ranks.silence(victim);
                } else {
                    ranks.kill(victim);
                }
            }
        }

        /** All ranks start their operations, one dies at a random step, and the others end all of theirs. */
        void runAndKill() {
            int killStep = random.nextInt(120);
            long killedNs = 0;
            for (int i = 0; ; i++) {
                if (i == killStep) {
                    kill();
                    killedNs = world.nowNs();
                }
                boolean all = i > killStep;
                for (int rank = 0; rank < size; rank++) {
                    List<CollectiveRun> own = runs.get(rank);
                    if (!lives(rank)) {
                        continue;
                    }
                    boolean idle = own.isEmpty() || own.getLast().isDone();
                    if (idle && own.size() < OPERATIONS && random.nextInt(3) == 0) {
                        startNext(rank);
                    }
                    all &= idle && own.size() == OPERATIONS;
                }
                if (all) {
                    return;
                }
                step();
                long sinceNs = i < killStep ? 0 : world.nowNs() - killedNs;
                assertTrue(sinceNs < LONGEST_NS, () -> "not all ranks have left " + calls);
                if (sinceNs > CONNECT_NS) {
                    eachLiving(rank -> engines.get(rank).connectAll());
                }
            }
        }

        private void eachLiving(IntConsumer action) {
            for (int rank = 0; rank < size; rank++) {
                if (lives(rank)) {
                    action.accept(rank);
                }
            }
        }

        private void until(BooleanSupplier condition) {
            for (int i = 0; !condition.getAsBoolean(); i++) {
                assertTrue(i < MOST_STEPS, "not done in time");
                step();
            }
        }

        private boolean allLiving(IntPredicate condition) {
            for (int rank = 0; rank < size; rank++) {
                if (lives(rank) && !condition.test(rank)) {
                    return false;
                }
            }
            return true;
        }

        /** The living ranks agree on who they are, while another one may die; returns the ranks of the new communicator. */
        Group shrink(boolean withKill) {
            steps = 0;
            BitSet started = new BitSet();
            int killStep = withKill ? random.nextInt(60) : -1;
            int[] step = {0};
            until(() -> {
                if (step[0]++ == killStep) {
                    kill();
                }
                eachLiving(rank -> {
                    if (!started.get(rank) && random.nextInt(3) == 0) {
                        started.set(rank);
                        engines.get(rank)
                                .agreements()
                                .start(ranks.rank(rank).engines().unusedAfter(-1));
                    }
                });
                return step[0] > killStep
                        && allLiving(rank -> started.get(rank)
                                && engines.get(rank).agreements().isDone());
            });
            Agreement.Value value = null;
            Group before = engines.get(dead.nextClearBit(0)).group();
            for (int rank = 0; rank < size; rank++) {
                if (lives(rank)) {
                    Agreement.Value own = engines.get(rank).agreements().value();
                    value = value == null ? own : value;
                    assertEquals(value.dead(), own.dead());
                }
            }
            assertTrue(value != null && value.words()[0] == -1);
            Group after = before.exclude(value.dead().stream().toArray());
            int number = CollectiveEngines.firstUnused(value.words(), 1);
            eachLiving(rank -> {
                assertTrue(after.contains(rank));
                engines.set(rank, ranks.rank(rank).engines().create(number, after, after.rankOf(rank)));
            });
            return after;
        }

        /** All living ranks combine their numbers; returns whether it succeeded, which it does if all ranks of the communicator live. */
        boolean sum(Group group) {
            steps = 0;
            Call call = new Call(CollectiveKind.ALLREDUCE, 0, false, Call.Volume.of(4), SUM);
            List<CollectiveRun> own = new ArrayList<>();
            List<MemorySegment> results = new ArrayList<>();
            int expected = 0;
            for (int i = 0; i < group.size(); i++) {
                expected += group.world(i) + 1;
            }
            eachLiving(rank -> {
                MemorySegment sent = ints(4);
                sent.set(INT, 0, rank + 1);
                results.add(ints(4));
                CollectiveRun run = engines.get(rank).prepare(call, sent, results.getLast());
                own.add(run);
                engines.get(rank).start(run);
            });
            until(() -> own.stream().allMatch(CollectiveRun::isDone));
            boolean complete = group.size() == size - dead.cardinality();
            for (int i = 0; i < own.size(); i++) {
                if (complete) {
                    assertTrue(own.get(i).test());
                    assertEquals(expected, results.get(i).get(INT, 0));
                }
            }
            return complete;
        }

        @Override
        public void close() {
            ranks.close();
        }
    }

    @Tag(Seeds.TAG)
    @Test
    void ranksDieAtAnyStepOfAnyOperation_othersLeaveInTime_shrinkAndContinue() {
        Seeds.each(Rounds.of(40, 1000), seed -> {
            try (Job job = new Job(seed)) {
                job.runAndKill();
                boolean again = job.random.nextInt(3) == 0;
                Group left = job.shrink(again);
                if (!job.sum(left)) {
                    assertTrue(job.sum(job.shrink(false)));
                }
            }
        });
    }
}
