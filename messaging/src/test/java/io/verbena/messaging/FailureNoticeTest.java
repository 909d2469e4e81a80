package io.verbena.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.messaging.channel.MessagingException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Ranks that die, and the notification of the others. */
class FailureNoticeTest {

    /** Much longer than a test may take. */
    private static final MessagingOptions OPTIONS = MessagingOptions.defaults().withTimeout(Duration.ofMinutes(30));

    private static final int ANY = Communicator.ANY_SOURCE;

    /** The death of a rank; what the others do counts. */
    private static final class Death extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private static void run(int size, int survivors, Ranks.Program program) {
        AtomicInteger ended = new AtomicInteger();
        MessagingException failure = assertThrows(
                MessagingException.class,
                () -> Ranks.run(size, OPTIONS, world -> {
                    program.run(world);
                    ended.incrementAndGet();
                }));
        if (!(failure.getCause() instanceof Death)) {
            throw failure;
        }
        if (failure.getSuppressed().length > 0) {
            throw failure;
        }
        assertEquals(survivors, ended.get());
    }

    private static MemorySegment word() {
        return Arena.ofAuto().allocate(8, 8);
    }

    @Test
    void connectedRankDies_receiveFromAny_failsAndNamesIt() {
        run(2, 1, world -> {
            if (world.rank() == 1) {
                world.send(word(), 0, 0);
                throw new Death();
            }
            world.recv(word(), 1, 0);
            RankFailedException failure = assertThrows(RankFailedException.class, () -> world.recv(word(), ANY, 0));
            assertEquals(List.of(1), failure.ranks());
            assertEquals(List.of(1), world.failedRanks());
        });
    }

    @Test
    void unconnectedRankDies_receiveFromAny_fails() {
        run(2, 1, world -> {
            if (world.rank() == 1) {
                throw new Death();
            }
            assertEquals(
                    List.of(1),
                    assertThrows(RankFailedException.class, () -> world.recv(word(), ANY, 0))
                            .ranks());
            assertThrows(RankFailedException.class, () -> world.probe(ANY, 0));
        });
    }

    @Test
    void unconnectedRankDies_receiveFromIt_fails() {
        run(2, 1, world -> {
            if (world.rank() == 1) {
                throw new Death();
            }
            assertThrows(RankFailedException.class, () -> world.recv(word(), 1, 0));
            assertThrows(RankFailedException.class, () -> world.probe(1, 0));
        });
    }

    @Test
    void deathThatOneRankSees_othersAreNotified() {
        run(3, 2, world -> {
            switch (world.rank()) {
                case 0 -> {
                    world.send(word(), 1, 0); // 0 and 1 are connected, 0 and 2 never
                    assertEquals(
                            List.of(2),
                            assertThrows(RankFailedException.class, () -> world.recv(word(), ANY, 0))
                                    .ranks());
                    assertEquals(
                            List.of(2),
                            assertThrows(RankFailedException.class, () -> world.send(word(), 2, 0))
                                    .ranks());
                }
                case 1 -> {
                    world.recv(word(), 0, 0);
                    world.send(word(), 2, 0);
                    assertThrows(RankFailedException.class, () -> world.recv(word(), 2, 0));
                }
                default -> {
                    world.recv(word(), 1, 0);
                    throw new Death();
                }
            }
        });
    }

    @Test
    void failureAcknowledged_receiveFromAny_takesFromTheOthers() {
        run(3, 2, world -> {
            MemorySegment word = word();
            switch (world.rank()) {
                case 0 -> {
                    Request pending = world.irecv(word, ANY, 1);
                    world.send(word, 2, 0);
                    assertThrows(RankFailedException.class, pending::await);
                    assertThrows(
                            RankFailedException.class,
                            () -> world.irecv(word, ANY, 1).await());
                    world.acknowledgeFailures();
                    Request again = world.irecv(word, ANY, 1);
                    world.send(word, 1, 0);
                    assertEquals(1, again.await().source());
                    assertThrows(RankFailedException.class, world::barrier);
                }
                case 1 -> {
                    world.recv(word, 0, 0);
                    world.send(word, 0, 1);
                    assertThrows(RankFailedException.class, world::barrier);
                }
                default -> {
                    world.recv(word, 0, 0);
                    throw new Death();
                }
            }
        });
    }

    @Test
    void messageThatCameBefore_isReceivedFromAny_thoughItsSenderDied() {
        run(2, 1, world -> {
            if (world.rank() == 1) {
                world.send(word(), 0, 5);
                world.send(word(), 0, 6);
                throw new Death();
            }
            world.recv(word(), 1, 6);
            assertThrows(RankFailedException.class, () -> world.recv(word(), 1, 7));
            assertEquals(1, world.recv(word(), ANY, 5).source());
        });
    }

    @Test
    void barrierUnderWay_rankDies_allOthersLeaveIt() {
        run(5, 4, world -> {
            if (world.rank() == 3) {
                world.recv(word(), 0, 0);
                throw new Death();
            }
            if (world.rank() == 0) {
                world.send(word(), 3, 0);
            }
            assertTrue(assertThrows(RankFailedException.class, world::barrier)
                    .ranks()
                    .contains(3));
        });
    }

    @Test
    void ranksThatLeaveAfterADeath_haveNotDied() {
        CountDownLatch leaving = new CountDownLatch(3);
        run(5, 4, world -> {
            if (world.rank() == 3) {
                world.recv(word(), 0, 0);
                throw new Death();
            }
            if (world.rank() == 0) {
                world.send(word(), 3, 0);
            }
            if (world.rank() == 4) {
                assertTrue(leaving.await(60, TimeUnit.SECONDS));
            }
            RankFailedException failure = assertThrows(RankFailedException.class, world::barrier);
            leaving.countDown();
            assertEquals(List.of(3), failure.ranks());
        });
    }

    @Test
    void ranksEndInGoodOrder_nobodyDied() {
        Ranks.run(4, OPTIONS, world -> {
            for (int i = 0; i < 4; i++) {
                if (i != world.rank()) {
                    world.sendrecv(word(), i, 0, word(), i, 0);
                }
            }
            world.close();
            assertEquals(List.of(), world.failedRanks());
        });
    }
}
