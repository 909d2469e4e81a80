package io.verbena.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.messaging.channel.MessagingException;
import io.verbena.messaging.collective.ElementType;
import io.verbena.messaging.collective.PredefinedReduction;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Collective operations of which a rank dies, or that are interrupted. */
class CollectiveFailureTest {

    /** Much longer than a test may take. */
    private static final MessagingOptions OPTIONS = MessagingOptions.defaults().withTimeout(Duration.ofMinutes(30));

    /** The death of a rank; the results of the others count. */
    private static final class Death extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private static void run(int size, Ranks.Program program) {
        run(size, OPTIONS, program);
    }

    private static void run(int size, MessagingOptions options, Ranks.Program program) {
        Survivors survivors = new Survivors(size - 1);
        MessagingException failure = assertThrows(
                MessagingException.class,
                () -> Ranks.run(size, options, world -> {
                    program.run(world);
                    survivors.arriveAndAwait(world);
                }));
        if (!(failure.getCause() instanceof Death) || failure.getSuppressed().length > 0) {
            throw failure;
        }
        assertEquals(0, survivors.missing());
    }

    private static void allreduce(Communicator world, int bytes) {
        MemorySegment buffer = Arena.ofAuto().allocate(bytes, 8);
        world.collectives().allreduce(Collectives.IN_PLACE, buffer, ElementType.LONG, PredefinedReduction.SUM);
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 100_000, 2_000_000})
    void rankDies_allOthersLeaveWithItsNumber(int bytes) {
        CountDownLatch connected = new CountDownLatch(4);
        run(4, world -> {
            allreduce(world, bytes);
            connected.countDown();
            if (world.rank() == 2) {
                connected.await();
                throw new Death();
            }
            for (int i = 0; i < 3; i++) {
                assertEquals(
                        List.of(2),
                        assertThrows(RankFailedException.class, () -> allreduce(world, bytes))
                                .ranks());
            }
            assertThrows(
                    RankFailedException.class,
                    () -> world.nonBlocking().barrier().await());
        });
    }

    @ParameterizedTest
    @CsvSource({
        "auto,100000,false",
        "auto,2000000,false",
        "auto,100000,true",
        "auto,2000000,true",
        "iwarp,100000,false",
        "iwarp,2000000,true",
        "roce,2000000,false"
    })
    void rankDies_survivorDoesNotWaitForOneThatComputes(String provider, int bytes, boolean allocated) {
        MessagingOptions options = OPTIONS.withRnic(OPTIONS.rnic().withProvider(provider));
        CountDownLatch connected = new CountDownLatch(3);
        CountDownLatch left = new CountDownLatch(1);
        run(3, options, world -> {
            allreduce(world, bytes);
            connected.countDown();
            if (world.rank() == 2) {
                connected.await();
                throw new Death();
            }
            if (world.rank() == 1) {
                left.await(); // rank 0 has offered it a long message, and this rank does not call the library
            }
            MemorySegment vector =
                    allocated ? world.allocate(bytes) : Arena.ofAuto().allocate(bytes, 8);
            assertEquals(
                    List.of(2),
                    assertThrows(
                                    RankFailedException.class,
                                    () -> world.collectives()
                                            .allreduce(
                                                    Collectives.IN_PLACE,
                                                    vector,
                                                    ElementType.LONG,
                                                    PredefinedReduction.SUM))
                            .ranks());
            vector.fill((byte) -1);
            left.countDown();
        });
    }

    @Test
    void rankDies_communicatorsWithoutIt_continue() {
        CountDownLatch created = new CountDownLatch(4);
        run(4, world -> {
            Communicator half = world.split(world.rank() / 2, 0).orElseThrow();
            created.countDown();
            if (world.rank() == 3) {
                created.await();
                throw new Death();
            }
            if (world.rank() == 2) {
                assertThrows(RankFailedException.class, () -> allreduce(half, 8));
            } else {
                assertThrows(RankFailedException.class, () -> allreduce(world, 8));
                allreduce(half, 100_000);
            }
        });
    }

    @Test
    void waitInterrupted_allRanksLeave() {
        CountDownLatch interrupted = new CountDownLatch(1);
        Ranks.run(3, OPTIONS, world -> {
            if (world.rank() == 1) {
                Thread.currentThread().interrupt();
                assertThrows(MessagingException.class, () -> allreduce(world, 8));
                assertTrue(Thread.interrupted());
                interrupted.countDown();
            } else {
                if (world.rank() == 0) {
                    interrupted.await(); // so that rank 1 has to wait, and rank 2 as well
                }
                String sentence = String.valueOf(assertThrows(MessagingException.class, () -> allreduce(world, 8))
                        .getMessage());
                assertTrue(sentence.contains("Rank 1 has given up"), sentence);
            }
            world.barrier();
        });
    }

    @Test
    void timeout_endsTheOperation() {
        Ranks.run(2, OPTIONS.withTimeout(Duration.ofMillis(200)), world -> {
            MemorySegment word = Arena.ofAuto().allocate(8, 8);
            if (world.rank() == 0) {
                String sentence = String.valueOf(assertThrows(MessagingException.class, () -> allreduce(world, 8))
                        .getMessage());
                assertTrue(sentence.contains("allreduce of 8 bytes"), sentence);
                world.send(word, 1, 0);
            } else {
                boolean came = false;
                while (!came) {
                    came = world.iprobe(0, 0, new Status());
                }
                world.recv(word, 0, 0);
            }
        });
    }
}
