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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Windows of which a rank dies, and waits that are interrupted. */
class WindowFailureTest {

    /** Much longer than a test may take. */
    private static final MessagingOptions OPTIONS = MessagingOptions.defaults().withTimeout(Duration.ofMinutes(30));

    /** The death of a rank; the results of the others count. */
    private static final class Death extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    @ParameterizedTest
    @ValueSource(strings = {"iwarp", "shm"})
    void holderOfALockDies_waitersAndAccessesFail_freeLocksAreTaken(String provider) {
        Survivors survivors = new Survivors(2);
        CountDownLatch waiting = new CountDownLatch(2);
        MessagingOptions options = OPTIONS.withRnic(OPTIONS.rnic().withProvider(provider));
        MessagingException failure = assertThrows(
                MessagingException.class,
                () -> Ranks.run(3, options, world -> {
                    Window window = world.window(Arena.ofAuto().allocate(64, 8));
                    if (world.rank() == 2) {
                        window.lock(0, true);
                        world.barrier();
                        waiting.await();
                        throw new Death();
                    }
                    world.barrier();
                    waiting.countDown();
                    assertEquals(
                            List.of(2),
                            assertThrows(RankFailedException.class, () -> window.lock(0, false))
                                    .ranks());
                    window.put(Arena.ofAuto().allocate(8, 8), 2, 0);
                    assertThrows(RankFailedException.class, () -> window.flush(2));
                    window.lock(1, false);
                    window.put(Arena.ofAuto().allocate(8, 8), 1, 0);
                    window.unlock(1);
                    survivors.arriveAndAwait(world);
                    window.close();
                }));
        if (!(failure.getCause() instanceof Death) || failure.getSuppressed().length > 0) {
            throw failure;
        }
    }

    @Test
    void waitForALock_interrupted_fails_andTheNextOneSucceeds() {
        Ranks.run(2, OPTIONS, world -> {
            Window window = world.window(Arena.ofAuto().allocate(8, 8));
            if (world.rank() == 0) {
                window.lock(0, true);
            }
            world.barrier();
            if (world.rank() == 1) {
                Thread.currentThread().interrupt();
                assertThrows(MessagingException.class, () -> window.lock(0, true));
                assertTrue(Thread.interrupted());
            }
            world.barrier();
            if (world.rank() == 0) {
                window.unlock(0);
            }
            window.lock(0, true);
            window.unlock(0);
            window.close();
        });
    }

    @Test
    void accessesBeyondTheWindow_areRejected() {
        Ranks.run(2, OPTIONS, world -> {
            Window window = world.window(Arena.ofAuto().allocate(8 * world.rank() + 8, 8));
            MemorySegment word = Arena.ofAuto().allocate(8, 8);
            assertThrows(IllegalArgumentException.class, () -> window.put(word, 0, 1));
            assertThrows(IllegalArgumentException.class, () -> window.get(word, 1, 16));
            assertThrows(IllegalArgumentException.class, () -> window.get(word, 2, 0));
            assertThrows(IllegalStateException.class, () -> window.unlock(0));
            assertThrows(IllegalArgumentException.class, () -> world.window(MemorySegment.ofArray(new byte[8])));
            window.close();
            assertThrows(IllegalStateException.class, () -> window.put(word, 1, 0));
        });
    }
}
