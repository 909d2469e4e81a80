package io.verbena.messaging;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.messaging.channel.MessagingException;
import io.verbena.messaging.collective.Blocks;
import io.verbena.messaging.collective.ElementType;
import io.verbena.messaging.collective.PredefinedReduction;
import io.verbena.messaging.collective.Reduction;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Collective operations of ranks that are threads. */
class CollectivesTest {

    private static final MessagingOptions OPTIONS = MessagingOptions.defaults().withTimeout(Duration.ofSeconds(60));
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final PredefinedReduction SUM = PredefinedReduction.SUM;

    @ParameterizedTest
    @CsvSource({"1,iwarp", "2,iwarp", "3,shm", "4,iwarp", "5,shm", "6,iwarp", "7,shm", "8,shm"})
    void everyOperation_everyLength_resultIsRight(int size, String provider) {
        MessagingOptions options = OPTIONS.withRnic(OPTIONS.rnic().withProvider(provider));
        Ranks.run(size, options, world -> {
            CollectiveChecks checks = new CollectiveChecks(world);
            for (int root = 0; root < size; root++) {
                checks.all(root, root);
            }
            checks.all(1000, size / 2);
            checks.all(5001, size - 1);
        });
    }

    @Test
    void largeVectors_goAroundTheRing() {
        Ranks.run(4, OPTIONS, world -> {
            MemorySegment buffer = Arena.ofAuto().allocate(INT, 300_000);
            buffer.setAtIndex(INT, 299_999, world.rank());
            world.collectives().allreduce(Collectives.IN_PLACE, buffer, ElementType.INT, SUM);
            assertEquals(6, buffer.getAtIndex(INT, 299_999));
            world.collectives().bcast(buffer, 3);
            assertEquals(6, buffer.getAtIndex(INT, 299_999));
        });
    }

    @Test
    void manyAtOnce_endInAnyOrder() {
        Ranks.run(3, OPTIONS, world -> {
            List<Request> requests = new ArrayList<>();
            List<MemorySegment> results = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                MemorySegment result = Arena.ofAuto().allocate(INT, 1 + i * 200);
                result.setAtIndex(INT, i * 200L, world.rank() + i);
                results.add(result);
                requests.add(world.nonBlocking().allreduce(Collectives.IN_PLACE, result, ElementType.INT, SUM));
                requests.add(world.nonBlocking().barrier());
            }
            for (int i = requests.size() - 1; i >= 0; i--) {
                requests.get(i).await();
                assertTrue(requests.get(i).test());
            }
            for (int i = 0; i < 40; i++) {
                assertEquals(3 + 3 * i, results.get(i).getAtIndex(INT, i * 200L));
            }
        });
    }

    @Test
    void heapMemory_isReducedToo() {
        Ranks.run(3, OPTIONS, world -> {
            int[] own = {world.rank(), 10 * world.rank(), 5};
            int[] result = new int[3];
            world.collectives()
                    .allreduce(MemorySegment.ofArray(own), MemorySegment.ofArray(result), ElementType.INT, SUM);
            assertArrayEquals(new int[] {3, 30, 15}, result);
            int[] large = new int[50_000];
            large[49_999] = world.rank();
            world.collectives()
                    .allreduce(
                            Collectives.IN_PLACE,
                            MemorySegment.ofArray(large),
                            ElementType.INT,
                            PredefinedReduction.MAX);
            assertEquals(2, large[49_999]);
        });
    }

    @Test
    void persistent_isStartedManyTimes_withTheBytesOfThatTime() {
        Ranks.run(3, OPTIONS, world -> {
            MemorySegment own = Arena.ofAuto().allocate(INT);
            MemorySegment sum = Arena.ofAuto().allocate(INT);
            PersistentRequest request = world.persistent().allreduce(own, sum, ElementType.INT, SUM);
            for (int i = 0; i < 100; i++) {
                own.set(INT, 0, world.rank() * i);
                request.start();
                if (i == 0) {
                    world.progress();
                }
                request.await();
                assertEquals(3 * i, sum.get(INT, 0));
            }
        });
    }

    @Test
    void split_ranksOfAColor_talkAmongThemselves() {
        Ranks.run(5, OPTIONS, world -> {
            Optional<Communicator> created =
                    world.split(world.rank() == 4 ? Communicator.NO_COLOR : world.rank() % 2, -world.rank());
            if (world.rank() == 4) {
                assertTrue(created.isEmpty());
                return;
            }
            try (Communicator half = created.orElseThrow()) {
                assertEquals(2, half.size());
                assertEquals(world.rank() < 2 ? 1 : 0, half.rank(), "ordered by the key");
                MemorySegment word = Arena.ofAuto().allocate(INT);
                word.set(INT, 0, world.rank());
                half.collectives().allreduce(Collectives.IN_PLACE, word, ElementType.INT, SUM);
                assertEquals(world.rank() % 2 == 0 ? 2 : 4, word.get(INT, 0));
                if (half.rank() == 0) {
                    half.send(word, 1, 7);
                } else {
                    Status found = half.probe(Communicator.ANY_SOURCE, 7);
                    assertEquals(0, found.source());
                    assertFalse(world.iprobe(Communicator.ANY_SOURCE, Communicator.ANY_TAG, new Status()));
                    assertEquals(0, half.recv(word, Communicator.ANY_SOURCE, 7).source());
                }
                half.barrier();
                half.bcast(word, 1);
                new CollectiveChecks(half).all(100, 1);
            }
        });
    }

    @Test
    void communicatorsCreatedAndClosed_numbersAreUsedAgain() {
        Ranks.run(2, OPTIONS, world -> {
            for (int i = 0; i < 20; i++) {
                try (Communicator copy = world.dup()) {
                    copy.barrier();
                    assertThrows(IllegalArgumentException.class, () -> copy.send(MemorySegment.NULL, 2, 0));
                }
            }
            assertEquals(1, world.create(Group.of(1)).map(Communicator::size).orElse(1));
        });
    }

    @Test
    void pairs_extremesAndTheirPlaces() {
        Ranks.run(4, OPTIONS, world -> {
            MemorySegment pair = Arena.ofAuto().allocate(16, 8);
            pair.set(ValueLayout.JAVA_DOUBLE, 0, world.rank() % 2);
            pair.set(INT, 8, world.rank());
            MemorySegment least = Arena.ofAuto().allocate(16, 8);
            world.collectives().allreduce(pair, least, ElementType.DOUBLE_INT, PredefinedReduction.MINLOC);
            assertEquals(0, least.get(INT, 8));
            world.collectives().allreduce(pair, least, ElementType.DOUBLE_INT, PredefinedReduction.MAXLOC);
            assertEquals(1, least.get(ValueLayout.JAVA_DOUBLE, 0));
            assertEquals(1, least.get(INT, 8));
        });
    }

    // Ranks that disagree.

    /** Runs what each rank calls; returns the sentence of the failure of each rank. */
    private static List<String> disagreement(int size, Ranks.Program program) {
        String[] sentences = new String[size];
        Ranks.run(size, OPTIONS, world -> {
            MessagingException failure = assertThrows(MessagingException.class, () -> {
                program.run(world);
                world.collectives().barrier();
                world.collectives().barrier();
            });
            sentences[world.rank()] = String.valueOf(failure.getMessage());
            assertThrows(MessagingException.class, () -> world.collectives().barrier());
            MemorySegment word = Arena.ofAuto().allocate(INT);
            world.sendrecv(word, (world.rank() + 1) % size, 1, word, Communicator.ANY_SOURCE, 1);
        });
        return List.of(sentences);
    }

    private static void names(List<String> sentences, String part) {
        assertTrue(sentences.stream().anyMatch(sentence -> sentence.contains(part)), sentences.toString());
    }

    @Test
    void otherOperation_isDetectedAndNamed() {
        names(
                disagreement(3, world -> {
                    MemorySegment word = Arena.ofAuto().allocate(INT);
                    if (world.rank() == 2) {
                        world.collectives().bcast(word, 0);
                    } else {
                        world.collectives().allreduce(Collectives.IN_PLACE, word, ElementType.INT, SUM);
                    }
                }),
                "bcast");
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5})
    void otherRoot_isDetectedAndNamed(int size) {
        names(
                disagreement(size, world -> {
                    MemorySegment word = Arena.ofAuto().allocate(INT);
                    world.collectives().bcast(word, world.rank() == 1 ? 1 : 0);
                }),
                "root");
    }

    @Test
    void otherReduction_isDetectedAndNamed() {
        names(
                disagreement(2, world -> {
                    MemorySegment word = Arena.ofAuto().allocate(INT);
                    PredefinedReduction reduction = world.rank() == 1 ? PredefinedReduction.MAX : SUM;
                    world.collectives().allreduce(Collectives.IN_PLACE, word, ElementType.INT, reduction);
                }),
                "the operation");
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 1_000_000})
    void otherLength_isDetected(int bytes) {
        names(
                disagreement(3, world -> {
                    MemorySegment buffer = Arena.ofAuto().allocate(world.rank() == 1 ? bytes + 4L : bytes, 8);
                    world.collectives().allreduce(Collectives.IN_PLACE, buffer, ElementType.INT, SUM);
                }),
                "another length");
    }

    @Test
    void blocksOfOtherLengths_areDetected() {
        names(
                disagreement(2, world -> {
                    MemorySegment buffer = Arena.ofAuto().allocate(100);
                    long[] lengths = {10, world.rank() == 1 ? 20 : 10};
                    Blocks blocks = Blocks.of(lengths);
                    MemorySegment own = buffer.asSlice(50, world.rank() == 1 ? 20 : 10);
                    world.collectives().gatherv(own, buffer.asSlice(0, 40), blocks, 0);
                }),
                "bytes");
    }

    @Test
    void reductionOfTheProgramThrows_allRanksFail() {
        names(
                disagreement(3, world -> {
                    Reduction bad = Reduction.of(
                            (in, inout, type) -> {
                                throw new IllegalStateException("no sum today");
                            },
                            true);
                    MemorySegment word = Arena.ofAuto().allocate(INT);
                    world.collectives().allreduce(Collectives.IN_PLACE, word, ElementType.INT, bad);
                }),
                "no sum today");
    }

    @Test
    void argumentsThatCannotBe_areRefused() {
        Ranks.run(2, OPTIONS, world -> {
            MemorySegment buffer = Arena.ofAuto().allocate(100);
            Collectives<Communicator> calls = world.collectives();
            assertThrows(IllegalArgumentException.class, () -> calls.bcast(buffer, 2));
            assertThrows(IllegalArgumentException.class, () -> calls.allreduce(buffer, buffer, ElementType.INT, SUM));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> calls.allreduce(Collectives.IN_PLACE, buffer, ElementType.LONG, SUM));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> calls.allreduce(Collectives.IN_PLACE, buffer, ElementType.FLOAT, PredefinedReduction.BAND));
            assertThrows(IllegalArgumentException.class, () -> calls.allgather(buffer, buffer.asSlice(0, 50)));
            assertThrows(IllegalArgumentException.class, () -> calls.bcast(buffer.asReadOnly(), 1 - world.rank()));
        });
    }
}
