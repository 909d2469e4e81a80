package io.verbena.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Seeds;
import io.verbena.messaging.channel.MessagingException;
import io.verbena.messaging.collective.Call;
import io.verbena.messaging.collective.CollectiveKind;
import io.verbena.messaging.collective.Combining;
import io.verbena.messaging.collective.ElementType;
import io.verbena.messaging.collective.PredefinedReduction;
import io.verbena.sim.Medium;
import io.verbena.sim.Profile;
import io.verbena.sim.World;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Random collective operations in virtual time: several at once, over media that lose packets, and with a rank that dies in between. */
class CollectiveWorldTest {

    private static final int SEEDS = 2;
    private static final int DEATH_SEEDS = 8;
    private static final int OPERATIONS = 8;
    private static final int[] INTS = {0, 1, 20, 700, 5000};
    private static final CollectiveKind[] KINDS = {
        CollectiveKind.ALLREDUCE,
        CollectiveKind.BCAST,
        CollectiveKind.ALLTOALL,
        CollectiveKind.BARRIER,
        CollectiveKind.SCAN
    };
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final long STEP_NS = 20_000;
    private static final long LONG_STEP_NS = 2_000_000;

    /** The steps after which a waiting rank connects to all others, in place of its waiter's second. */
    private static final int CONNECT_AFTER = 200;

    private static final int MOST_STEPS = 200_000;

    /** One operation of all ranks. */
    private record Drawn(Call call, int ints) {}

    private static final class Job implements AutoCloseable {
        final Random random;
        final int size;
        final VirtualRanks ranks;
        final World world;
        final List<CollectiveEngine> engines = new ArrayList<>();
        final List<Drawn> operations = new ArrayList<>();

        /** By rank. */
        final List<List<CollectiveRun>> own = new ArrayList<>();

        final List<List<MemorySegment>> found = new ArrayList<>();
        int dead = -1;

        Job(long seed, Medium medium, Profile profile) throws IOException {
            random = new Random(seed);
            size = 2 + random.nextInt(4);
            world = medium.in(new World(seed, profile, Optional.empty()));
            RendezvousMode mode = random.nextBoolean() ? RendezvousMode.READ : RendezvousMode.WRITE;
            MessagingOptions options = MessagingOptions.defaults().withRendezvous(mode);
            ranks = new VirtualRanks(world, size, RnicOptions.defaults(), options);
            for (int i = 0; i < size; i++) {
                engines.add(ranks.rank(i).engines().create(0, Group.all(size), i));
                own.add(new ArrayList<>());
                found.add(new ArrayList<>());
            }
        }

        /** Draws operations that each rank starts in this order. */
        void draw() {
            for (int i = 0; i < OPERATIONS; i++) {
                CollectiveKind kind = KINDS[random.nextInt(KINDS.length)];
                int ints = kind == CollectiveKind.BARRIER ? 0 : INTS[random.nextInt(INTS.length)];
                int root = kind == CollectiveKind.BCAST ? random.nextInt(size) : 0;
                Call call = new Call(
                        kind,
                        root,
                        false,
                        Call.Volume.of(4L * ints),
                        new Combining(ElementType.INT, PredefinedReduction.SUM));
                operations.add(new Drawn(call, ints));
            }
        }

        /** A rank starts its next operation. */
        private void start(int rank, Drawn next) {
            int count = next.call().kind() == CollectiveKind.ALLTOALL ? next.ints() * size : next.ints();
            MemorySegment sent = Arena.ofAuto().allocate(INT, Math.max(1, count));
            MemorySegment result = Arena.ofAuto().allocate(INT, Math.max(1, count));
            for (int i = 0; i < count; i++) {
                sent.setAtIndex(INT, i, rank * 1000 + i);
            }
            if (next.call().kind() == CollectiveKind.BCAST
                    && rank == next.call().root()) {
                result.copyFrom(sent);
            }
            found.get(rank).add(result);
            CollectiveRun run = engines.get(rank).prepare(next.call(), sent, result);
            own.get(rank).add(run);
            engines.get(rank).start(run);
        }

        /** All ranks start all operations, in random interleaving, up to two of them at once. */
        void run(int deathStep) {
            int[] started = new int[size];
            for (int step = 0; ; step++) {
                assertTrue(step < MOST_STEPS, () -> "not done: " + operations);
                if (step == deathStep) {
                    dead = random.nextInt(size);
                    ranks.kill(dead);
                }
                boolean all = true;
                for (int i = 0; i < size; i++) {
                    if (i == dead) {
                        continue;
                    }
                    if (started[i] < OPERATIONS && pending(i) < 2 && random.nextInt(3) == 0) {
                        Drawn next = operations.get(started[i]++);
                        start(i, next);
                    }
                    all &= started[i] == OPERATIONS && pending(i) == 0;
                    if (step % CONNECT_AFTER == CONNECT_AFTER - 1 && pending(i) > 0) {
                        engines.get(i).connectAll();
                    }
                }
                if (all) {
                    return;
                }
                for (int i = 0; i < size; i++) {
                    if (i != dead) {
                        ranks.rank(i).progress();
                    }
                }
                world.runFor(step < 5000 ? STEP_NS : LONG_STEP_NS);
            }
        }

        private int pending(int rank) {
            return (int) own.get(rank).stream().filter(run -> !run.isDone()).count();
        }

        /** The results of a rank are right up to the first operation that has failed. */
        void check(int rank, boolean mayFail) {
            for (int i = 0; i < OPERATIONS; i++) {
                CollectiveRun run = own.get(rank).get(i);
                if (mayFail && failed(run)) {
                    continue;
                }
                assertTrue(run.test());
                expect(rank, operations.get(i), found.get(rank).get(i));
            }
        }

        private static boolean failed(CollectiveRun run) {
            try {
                run.test();
                return false;
            } catch (RankFailedException e) {
                return true;
            }
        }

        private void expect(int rank, Drawn of, MemorySegment result) {
            for (int i = 0; i < of.ints(); i++) {
                int value = result.getAtIndex(INT, i);
                int expected = switch (of.call().kind()) {
                    case ALLREDUCE -> sum(size, i);
                    case SCAN -> sum(rank + 1, i);
                    case BCAST -> of.call().root() * 1000 + i;
                    default -> rank * of.ints() + i; // the block of rank 0
                };
                if (value != expected) {
                    assertEquals(expected, value, of.call() + ", element " + i + " of rank " + rank);
                }
            }
        }

        private static int sum(int count, int index) {
            return 1000 * (count * (count - 1) / 2) + count * index;
        }

        @Override
        public void close() {
            ranks.close();
        }
    }

    @Tag(Seeds.TAG)
    @ParameterizedTest
    @EnumSource
    void everyMedium_resultsAreRight(Medium medium) {
        Seeds.each(SEEDS, seed -> {
            try (Job job = new Job(seed, medium, Profile.CALM)) {
                job.draw();
                job.run(-1);
                for (int i = 0; i < job.size; i++) {
                    job.check(i, false);
                }
            }
        });
    }

    @Tag(Seeds.TAG)
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void rankDiesAtAnyStep_allOthersEndEveryOperation(boolean early) {
        Seeds.each(early ? 1 : 1000, DEATH_SEEDS, seed -> {
            try (Job job = new Job(seed, Medium.STREAMS, Profile.CALM)) {
                job.draw();
                job.run(job.random.nextInt(early ? 60 : 400));
                for (int i = 0; i < job.size; i++) {
                    if (i != job.dead) {
                        job.check(i, job.dead >= 0);
                    }
                }
                if (job.dead >= 0) {
                    int witness = (job.dead + 1) % job.size;
                    CollectiveRun later =
                            job.engines.get(witness).prepare(Call.BARRIER, MemorySegment.NULL, MemorySegment.NULL);
                    job.engines.get(witness).start(later);
                    job.ranks.until(later::isDone);
                    assertThrows(RankFailedException.class, later::test);
                }
            } catch (MessagingException e) {
                throw new AssertionError("a failure that does not name the dead rank: " + e.getMessage(), e);
            }
        });
    }
}
