package io.verbena.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.messaging.channel.ChannelFigures;
import io.verbena.messaging.channel.MessagingException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Programs that are correct by the MPI standard end, however little memory there is for messages that no receive wants yet. */
class UnexpectedMessagesTest {

    private static final int MANY = 40;
    private static final int SMALL = 300;
    private static final int LARGE = 100_000;

    private static final MessagingOptions OPTIONS =
            MessagingOptions.defaults().withMaxUnexpectedBytes(1000).withTimeout(Duration.ofSeconds(20));

    private static Request[] sendMany(Communicator world, int dest) {
        Request[] sends = new Request[MANY];
        for (int i = 0; i < MANY; i++) {
            sends[i] = world.isend(Payloads.segment(i % 7 == 3 ? 0 : SMALL, i), 0, i % 7 == 3 ? 0 : SMALL, dest, 1);
        }
        return sends;
    }

    private static void receiveMany(Communicator world, int source) {
        MemorySegment into = Arena.ofAuto().allocate(SMALL);
        for (int i = 0; i < MANY; i++) {
            int length = i % 7 == 3 ? 0 : SMALL;
            assertEquals(length, world.recv(into, source, 1).count());
            assertEquals(-1, MemorySegment.mismatch(into, 0, length, Payloads.segment(length, i), 0, length));
        }
    }

    @ParameterizedTest
    @EnumSource
    void manySmallSendsUnderWay_largeMessageTheOtherWay_isFinished(RendezvousMode mode) {
        Ranks.run(2, OPTIONS.withRendezvous(mode), world -> {
            int other = 1 - world.rank();
            Request[] sends = sendMany(world, other);
            if (world.rank() == 0) {
                MemorySegment large = Arena.ofAuto().allocate(LARGE);
                world.recv(large, 1, 2);
                assertEquals(-1, large.mismatch(Payloads.segment(LARGE, 9)));
            } else {
                world.send(Payloads.segment(LARGE, 9), 0, 2);
            }
            receiveMany(world, other);
            Request.awaitAll(sends);
        });
    }

    @ParameterizedTest
    @EnumSource
    void manySmallSendsUnderWay_barrierBeforeTheReceives_isPassed(RendezvousMode mode) {
        Ranks.run(3, OPTIONS.withRendezvous(mode), world -> {
            Request[] sends = sendMany(world, (world.rank() + 1) % 3);
            world.barrier();
            receiveMany(world, (world.rank() + 2) % 3);
            Request.awaitAll(sends);
        });
    }

    @Test
    void moreAnnouncementsThanGranted_receivedInOrder_allArrive() {
        Ranks.run(2, OPTIONS.withMaxUnexpectedRequests(3), world -> {
            int other = 1 - world.rank();
            Request[] sends = sendMany(world, other);
            receiveMany(world, other);
            Request.awaitAll(sends);
        });
    }

    @Test
    void moreAnnouncementsThanGranted_lastIsReceivedFirst_sendTimesOutAndNamesTheCause() {
        MessagingOptions options =
                MessagingOptions.defaults().withMaxUnexpectedRequests(3).withTimeout(Duration.ofMillis(500));
        Ranks.run(2, options, world -> {
            MemorySegment large = Payloads.segment(LARGE, 1);
            if (world.rank() == 0) {
                world.recv(large, 1, 9);
                for (int i = 0; i < 3; i++) {
                    world.isend(large, 1, 1);
                }
                MessagingException failure = assertThrows(MessagingException.class, () -> world.send(large, 1, 2));
                assertTrue(String.valueOf(failure.getMessage()).contains("3 earlier messages"), failure.getMessage());
            } else {
                world.send(large, 0, 9);
                assertThrows(
                        MessagingException.class,
                        () -> world.recv(Arena.ofAuto().allocate(LARGE), 0, 2));
            }
        });
    }

    @Test
    void lastOfManyIsReceivedFirst_isReceived() {
        Ranks.run(2, OPTIONS, world -> {
            MemorySegment word = Arena.ofAuto().allocate(8, 8);
            if (world.rank() == 0) {
                Request[] sends = sendMany(world, 1);
                word.set(java.lang.foreign.ValueLayout.JAVA_LONG, 0, 77);
                world.send(word, 1, 2);
                Request.awaitAll(sends);
            } else {
                world.recv(word, 0, 2);
                assertEquals(77, word.get(java.lang.foreign.ValueLayout.JAVA_LONG, 0));
                receiveMany(world, 0);
            }
        });
    }

    @Test
    void oneWayStream_creditComesBack_staysEager() {
        Ranks.run(2, OPTIONS.withMaxUnexpectedBytes(20_000), world -> {
            MemorySegment message = Payloads.segment(SMALL, 1);
            for (int i = 0; i < 2000; i++) {
                if (world.rank() == 0) {
                    world.send(message, 1, 0);
                } else {
                    world.recv(message, 0, 0);
                }
            }
            if (world.rank() == 0) {
                ChannelFigures figures = world.figures(1).orElseThrow();
                assertEquals(
                        2000, figures.messages().eager() + figures.messages().rendezvous());
                assertTrue(figures.messages().eager() > 100, figures.toString());
            }
        });
    }

    @Test
    void cycleOfLargeSendsWithoutReceives_endsInTimeWithAMessage() {
        MessagingOptions options = MessagingOptions.defaults().withTimeout(Duration.ofMillis(300));
        Ranks.run(3, options, world -> {
            MemorySegment large = Payloads.segment(LARGE, 1);
            String sentence = String.valueOf(assertThrows(
                            MessagingException.class, () -> world.send(large, (world.rank() + 1) % 3, 0))
                    .getMessage());
            assertTrue(sentence.contains("rank"), sentence);
        });
    }

    @ParameterizedTest
    @EnumSource
    void cycleOfLargeSendsAndReceives_goesRound(RendezvousMode mode) {
        Ranks.run(3, OPTIONS.withRendezvous(mode), world -> {
            MemorySegment into = Arena.ofAuto().allocate(LARGE);
            MemorySegment segment = Payloads.segment(LARGE, world.rank());
            int before = (world.rank() + 2) % 3;
            world.sendrecv(segment, (world.rank() + 1) % 3, 0, into, before, 0);
            assertEquals(-1, into.mismatch(Payloads.segment(LARGE, before)));
        });
    }
}
