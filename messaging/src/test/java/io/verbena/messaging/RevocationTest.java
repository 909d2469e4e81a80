package io.verbena.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.messaging.channel.MessagingException;
import io.verbena.messaging.collective.ElementType;
import io.verbena.messaging.collective.PredefinedReduction;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Communicators that are revoked and shrunk, with ranks that die and ranks that do not. */
class RevocationTest {

    private static final MessagingOptions OPTIONS = MessagingOptions.defaults().withTimeout(Duration.ofSeconds(60));
    private static final int ROUNDS = 5;

    private static long sum(Communicator over) {
        MemorySegment one = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG, 1);
        one.set(ValueLayout.JAVA_LONG, 0, 1);
        over.collectives().allreduce(Collectives.IN_PLACE, one, ElementType.LONG, PredefinedReduction.SUM);
        return one.get(ValueLayout.JAVA_LONG, 0);
    }

    @Test
    void agreement_isTheAndOfAllFlags_againAndAgain() {
        Ranks.run(4, OPTIONS, world -> {
            for (int i = 0; i < ROUNDS; i++) {
                assertEquals(~0b1111L, world.agree(~(1L << world.rank())));
            }
            assertEquals(1, world.split(world.rank(), 0).orElseThrow().agree(1));
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 300_000})
    void revocation_endsWhatWaitsForMessages_ofThatCommunicatorOnly(int bytes) {
        Ranks.run(3, OPTIONS, world -> {
            Communicator over = world.dup();
            MemorySegment buffer = Arena.ofAuto().allocate(bytes, 8);
            switch (world.rank()) {
                case 0 -> {
                    Request unmatched = over.issend(buffer, 2, 1);
                    over.send(MemorySegment.ofArray(new byte[1]), 1, 3);
                    assertThrows(RevokedException.class, () -> over.recv(buffer, 1, 7));
                    assertThrows(RevokedException.class, unmatched::await);
                }
                case 1 -> {
                    over.probe(0, 3);
                    over.probe(2, 3);
                    over.revoke();
                }
                default -> {
                    over.send(MemorySegment.ofArray(new byte[1]), 1, 3);
                    assertThrows(RevokedException.class, () -> over.recv(buffer, Communicator.ANY_SOURCE, 2));
                }
            }
            assertTrue(over.isRevoked());
            assertFalse(world.isRevoked());
            assertThrows(RevokedException.class, () -> over.send(buffer, 0, 0));
            assertThrows(RevokedException.class, over::barrier);
            assertThrows(RevokedException.class, () -> sum(over));
            assertEquals(5, over.agree(5));
            Communicator again = over.shrink();
            assertEquals(3, sum(again));
            again.close();
            over.close();
            assertEquals(3, sum(world));
            assertEquals(3, sum(world.dup()));
        });
    }

    @Test
    void world_isRevoked_barriersAndBroadcastsEnd() {
        Ranks.run(3, OPTIONS, world -> {
            switch (world.rank()) {
                case 0 -> assertThrows(RevokedException.class, world::barrier);
                case 1 ->
                    assertThrows(RevokedException.class, () -> world.bcast(MemorySegment.ofArray(new byte[10]), 2));
                default -> world.revoke();
            }
            Communicator again = world.shrink();
            assertEquals(3, sum(again));
        });
    }

    /** The death of a rank; the results of the others count. */
    private static final class Death extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    @Test
    void rankDies_othersShrinkAndContinue_twice() {
        Survivors survivors = new Survivors(2);
        CountDownLatch first = new CountDownLatch(4);
        CountDownLatch second = new CountDownLatch(3);
        MessagingException failure = assertThrows(
                MessagingException.class,
                () -> Ranks.run(4, OPTIONS, world -> {
                    Communicator over = world;
                    for (int left = 4; left > 2; left--) {
                        assertEquals(left, sum(over));
                        CountDownLatch done = left == 4 ? first : second;
                        done.countDown();
                        done.await(); // what a rank has sent before its death may be lost
                        if (over.rank() == left / 2) {
                            throw new Death();
                        }
                        Communicator failing = over;
                        assertThrows(MessagingException.class, () -> {
                            while (true) {
                                sum(failing);
                            }
                        });
                        over.revoke();
                        over = over.shrink();
                        assertEquals(left - 1, over.size());
                    }
                    assertEquals(2, sum(over));
                    assertEquals(List.of(1, 2), world.failedRanks());
                    MemorySegment word = MemorySegment.ofArray(new byte[1]);
                    over.sendrecv(word, 1 - over.rank(), 0, word.asSlice(0), Communicator.ANY_SOURCE, 0);
                    survivors.arriveAndAwait(over);
                }));
        assertTrue(failure.getCause() instanceof Death, () -> String.valueOf(failure.getCause()));
        for (Throwable other : failure.getSuppressed()) {
            assertTrue(other instanceof Death, () -> String.valueOf(other));
        }
    }
}
