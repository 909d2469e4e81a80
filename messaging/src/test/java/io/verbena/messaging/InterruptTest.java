package io.verbena.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.messaging.channel.MessagingException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Waits that are interrupted: the message of an interrupted receive goes to the next receive, that of an interrupted send is not sent. */
class InterruptTest {

    private static final MessagingOptions OPTIONS = MessagingOptions.defaults().withTimeout(Duration.ofMinutes(2));
    private static final int LENGTH = 100;

    private static void interrupted(Runnable call) {
        Thread.currentThread().interrupt();
        assertThrows(MessagingException.class, call::run);
        assertTrue(Thread.interrupted(), "the flag must stay set");
    }

    @Test
    void blockingReceive_isWithdrawn_itsMessageIsReceivedLater() {
        CountDownLatch interrupted = new CountDownLatch(1);
        Ranks.run(2, OPTIONS, world -> {
            if (world.rank() == 0) {
                MemorySegment first = Arena.ofAuto().allocate(LENGTH);
                interrupted(() -> world.recv(first, 1, 0));
                interrupted.countDown();
                MemorySegment second = Arena.ofAuto().allocate(LENGTH);
                assertEquals(LENGTH, world.recv(second, 1, 0).count());
                assertEquals(-1, second.mismatch(Payloads.segment(LENGTH, 3)));
                assertEquals(-1, first.mismatch(Arena.ofAuto().allocate(LENGTH)), "the buffer was free");
            } else {
                interrupted.await();
                world.send(Payloads.segment(LENGTH, 3), 0, 0);
            }
        });
    }

    @Test
    void blockingSend_beforeItIsConnected_isWithdrawn() {
        CountDownLatch interrupted = new CountDownLatch(1);
        Ranks.run(2, OPTIONS, world -> {
            if (world.rank() == 0) {
                interrupted(() -> world.send(Payloads.segment(LENGTH, 3), 1, 0));
                interrupted.countDown();
                world.send(Payloads.segment(LENGTH, 4), 1, 0);
            } else {
                interrupted.await();
                MemorySegment into = Arena.ofAuto().allocate(LENGTH);
                world.recv(into, 0, 0);
                assertEquals(-1, into.mismatch(Payloads.segment(LENGTH, 4)));
            }
        });
    }

    @Test
    void requestAwait_continues_andCanBeRepeated() {
        CountDownLatch interrupted = new CountDownLatch(1);
        Ranks.run(2, OPTIONS, world -> {
            if (world.rank() == 0) {
                MemorySegment into = Arena.ofAuto().allocate(LENGTH);
                Request receive = world.irecv(into, 1, 0);
                interrupted(receive::await);
                assertFalse(receive.done());
                interrupted.countDown();
                assertEquals(LENGTH, receive.await().count());
            } else {
                interrupted.await();
                world.send(Payloads.segment(LENGTH, 3), 0, 0);
            }
        });
    }

    @Test
    void sendrecv_bothHalvesAreWithdrawn() {
        CountDownLatch interrupted = new CountDownLatch(1);
        Ranks.run(2, OPTIONS, world -> {
            MemorySegment into = Arena.ofAuto().allocate(LENGTH);
            MemorySegment segment = Payloads.segment(LENGTH, world.rank());
            int other = 1 - world.rank();
            if (world.rank() == 0) {
                interrupted(() -> world.sendrecv(segment, 1, 0, Arena.ofAuto().allocate(LENGTH), 1, 0));
                interrupted.countDown();
            } else {
                interrupted.await();
            }
            assertEquals(
                    LENGTH, world.sendrecv(segment, other, 0, into, other, 0).count());
            assertEquals(-1, into.mismatch(Payloads.segment(LENGTH, other)));
        });
    }
}
