package io.verbena.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.messaging.channel.ChannelOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Ranks that compute for long between their calls. */
class ProgressTest {

    private static final MessagingOptions OPTIONS = MessagingOptions.defaults().withTimeout(Duration.ofSeconds(60));
    private static final int LARGE = 3_000_000;

    private final CountDownLatch computed = new CountDownLatch(1);

    /** Returns when the other rank says so: no call of messaging is made meanwhile. */
    private void compute() throws InterruptedException {
        assertTrue(computed.await(60, TimeUnit.SECONDS));
    }

    @ParameterizedTest
    @EnumSource
    void progressThread_largeMessageIsReceivedWhileTheRankComputes(RendezvousMode mode) {
        Ranks.run(2, OPTIONS.withRendezvous(mode).withProgressThread(), world -> {
            if (world.rank() == 0) {
                world.recv(MemorySegment.NULL, 1, 1);
                world.send(Payloads.segment(LARGE, 1), 1, 0);
                computed.countDown();
            } else {
                MemorySegment into = Arena.ofAuto().allocate(LARGE);
                Request receive = world.irecv(into, 0, 0);
                world.send(MemorySegment.NULL, 0, 1);
                compute();
                receive.await();
                assertEquals(-1, into.mismatch(Payloads.segment(LARGE, 1)));
            }
        });
    }

    @Test
    void progressThread_firstConnectionIsEstablishedWhileTheRankComputes() {
        Ranks.run(2, OPTIONS.withProgressThread(), world -> {
            if (world.rank() == 0) {
                world.send(Payloads.segment(100, 1), 1, 0);
                computed.countDown();
            } else {
                // It ends when rank 0 has sent, which it can only once the connection is there.
                compute();
                world.recv(Arena.ofAuto().allocate(100), 0, 0);
            }
        });
    }

    @Test
    void progressThread_messagesOfAllSizesBothWays_arrive() {
        Ranks.run(3, OPTIONS.withProgressThread(), world -> {
            for (int i = 0; i < 60; i++) {
                int length = i * i * 23;
                int next = (world.rank() + 1) % 3;
                int before = (world.rank() + 2) % 3;
                MemorySegment into = Arena.ofAuto().allocate(length + 1);
                Request receive = world.irecv(into, before, i);
                world.isend(Payloads.segment(length, i), 0, length, next, i).await();
                assertEquals(length, receive.await().count());
                assertEquals(-1, MemorySegment.mismatch(into, 0, length, Payloads.segment(length, i), 0, length));
                if (i % 10 == 0) {
                    world.barrier();
                }
            }
        });
    }

    @Test
    void progressThread_withAnInlineRnic_isRefused() {
        assertThrows(
                IllegalArgumentException.class,
                () -> OPTIONS.withProgressThread().withRnic(OPTIONS.rnic()));
    }

    /** The keep-alive bound passes more than twice while rank 1 makes no call. */
    @Test
    void rankComputesForLongerThanTheKeepAliveBound_isNotDeclaredDead() {
        MessagingOptions options =
                OPTIONS.withChannel(ChannelOptions.defaults().withKeepAlive(Duration.ofMillis(1500)));
        Ranks.run(2, options, world -> {
            MemorySegment word = Arena.ofAuto().allocate(8);
            if (world.rank() == 0) {
                world.send(word, 1, 0);
                world.recv(word, 1, 1);
            } else {
                world.recv(word, 0, 0);
                assertFalse(computed.await(4, TimeUnit.SECONDS), "no thread ends it");
                world.send(word, 0, 1);
            }
        });
    }

    @Test
    void keepAlive_tooShort_isRefused() {
        for (Duration bad : new Duration[] {Duration.ofMillis(7), Duration.ofMillis(-1)}) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> ChannelOptions.defaults().withKeepAlive(bad));
        }
        assertEquals(
                Duration.ZERO,
                ChannelOptions.defaults().withKeepAlive(Duration.ZERO).keepAlive());
    }
}
