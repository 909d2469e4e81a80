package io.verbena.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.verbena.messaging.channel.MessagingException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Broadcasts in which a rank dies. The tree of root 0: 0 sends to 4, 2 and 1; 2 sends to 3; 4 sends to 6 and 5; 6 sends to 7. */
class BroadcastFailureTest {

    /** Much longer than a test may take. */
    private static final MessagingOptions OPTIONS = MessagingOptions.defaults().withTimeout(Duration.ofMinutes(30));

    private static final int EAGER = 100;
    private static final int RENDEZVOUS = 200_000;

    /** The death of a rank; the results of the others count. */
    private static final class Death extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private static void run(int size, Ranks.Program program) {
        Survivors survivors = new Survivors(size - 1);
        MessagingException failure = assertThrows(
                MessagingException.class,
                () -> Ranks.run(size, OPTIONS, world -> {
                    program.run(world);
                    survivors.arriveAndAwait(world);
                }));
        if (!(failure.getCause() instanceof Death)) {
            throw failure;
        }
        assertEquals(0, survivors.missing());
    }

    private static void fails(Communicator world, MemorySegment buffer, int root, int dead) {
        RankFailedException failure = assertThrows(RankFailedException.class, () -> world.bcast(buffer, root));
        assertEquals(List.of(dead), failure.ranks());
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 5, 8})
    void rootIsDead_allRanksFail(int size) {
        run(size, world -> {
            if (world.rank() == 0) {
                throw new Death();
            }
            fails(world, Arena.ofAuto().allocate(EAGER), 0, 0);
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {EAGER, RENDEZVOUS})
    void rankInTheTreeIsDead_ranksBelowAndAboveItFail_allOthersReceive(int length) {
        run(8, world -> {
            MemorySegment buffer = world.rank() == 0
                    ? Payloads.segment(length, 7)
                    : Arena.ofAuto().allocate(length);
            switch (world.rank()) {
                case 4 -> throw new Death();
                case 0, 5, 6, 7 -> fails(world, buffer, 0, 4);
                default -> {
                    world.bcast(buffer, 0);
                    assertEquals(-1, buffer.mismatch(Payloads.segment(length, 7)));
                }
            }
        });
    }

    @Test
    void leafIsDead_onlyItsParentFails() {
        run(4, world -> {
            MemorySegment buffer = world.rank() == 0
                    ? Payloads.segment(EAGER, 7)
                    : Arena.ofAuto().allocate(EAGER);
            switch (world.rank()) {
                case 3 -> throw new Death();
                case 2 -> fails(world, buffer, 0, 3);
                default -> world.bcast(buffer, 0);
            }
        });
    }

    /** Rank 2 sends to rank 3 when that has already failed. */
    @ParameterizedTest
    @CsvSource({"100,100", "100,200000", "200000,100", "200000,200000"})
    void abandonedBroadcast_itsBytesAreNotTakenForTheNextOne(int first, int second) {
        CountDownLatch abandoned = new CountDownLatch(1);
        run(4, world -> {
            MemorySegment word = Arena.ofAuto().allocate(8);
            MemorySegment buffer = Arena.ofAuto().allocate(first);
            MemorySegment next = world.rank() == 2
                    ? Payloads.segment(second, 9)
                    : Arena.ofAuto().allocate(second);
            switch (world.rank()) {
                case 0 -> {
                    world.recv(word, 3, 0); // 0 and 3 are connected: 3 detects the death at once
                    throw new Death();
                }
                case 1 -> fails(world, buffer, 0, 0);
                case 2 -> {
                    abandoned.await();
                    // Stands for the forwarding of bytes that the root had sent before it died: it has the tag of the
                    // abandoned broadcast.
                    assertThrows(RankFailedException.class, () -> world.bcast(Payloads.segment(first, 7), 2));
                    assertThrows(RankFailedException.class, () -> world.bcast(next, 2));
                }
                default -> {
                    world.send(word, 0, 0);
                    fails(world, buffer, 0, 0);
                    abandoned.countDown();
                    world.bcast(next, 2);
                    assertEquals(-1, next.mismatch(Payloads.segment(second, 9)));
                    assertFalse(world.iprobe(Communicator.ANY_SOURCE, Communicator.ANY_TAG, new Status()));
                }
            }
        });
    }
}
