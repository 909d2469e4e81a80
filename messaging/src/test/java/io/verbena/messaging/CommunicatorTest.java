package io.verbena.messaging;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.messaging.channel.ChannelFigures;
import io.verbena.messaging.channel.MessagingException;
import io.verbena.messaging.policy.EnlargementPolicy;
import io.verbena.messaging.policy.Phase;
import io.verbena.verbs.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Ranks as threads, over real sockets. */
class CommunicatorTest {

    private static final MessagingOptions OPTIONS = MessagingOptions.defaults().withTimeout(Duration.ofSeconds(30));

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 8, 700, 701, 5000, 16_384, 16_385, 100_000, 5_000_000})
    void twoRanks_messageOfAnySize_goesAndComesBack(int length) {
        Ranks.run(2, OPTIONS, world -> {
            MemorySegment local = Payloads.segment(length, 3);
            MemorySegment remote = Arena.ofAuto().allocate(Math.max(1, length));
            if (world.rank() == 0) {
                world.send(local, 0, length, 1, 7);
                Status status = new Status();
                world.recv(remote, 0, length, 1, 8, status);
                assertEquals(length, status.count());
                assertEquals(-1, MemorySegment.mismatch(local, 0, length, remote, 0, length));
            } else {
                Status status = new Status();
                world.recv(remote, 0, length, Communicator.ANY_SOURCE, Communicator.ANY_TAG, status);
                assertEquals(0, status.source());
                assertEquals(7, status.tag());
                world.send(remote, 0, length, 0, 8);
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void rendezvous_eitherWay_manyMessagesOfAllLengthsGoBothWays(RendezvousMode mode) {
        int[] lengths = {0, 1, 5000, 100_000, 9_000_000, 17, 300_000};
        Ranks.run(2, OPTIONS.withRendezvous(mode).withRendezvousThresholdBytes(0), world -> {
            int other = 1 - world.rank();
            Request[] requests = new Request[2 * lengths.length];
            MemorySegment[] into = new MemorySegment[lengths.length];
            for (int i = 0; i < lengths.length; i++) {
                into[i] = Arena.ofAuto().allocate(Math.max(1, lengths[i]));
                requests[i] = world.irecv(into[i], 0, lengths[i], other, i);
                requests[lengths.length + i] = world.isend(Payloads.segment(lengths[i], i), 0, lengths[i], other, i);
            }
            Request.awaitAll(requests);
            for (int i = 0; i < lengths.length; i++) {
                MemorySegment sent = Payloads.segment(lengths[i], i);
                assertEquals(-1, MemorySegment.mismatch(into[i], 0, lengths[i], sent, 0, lengths[i]));
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void heapMemory_largeMessage_isCopiedAndArrives(RendezvousMode mode) {
        Ranks.run(2, OPTIONS.withRendezvous(mode), world -> {
            byte[] bytes = Payloads.bytes(200_000, 5);
            if (world.rank() == 0) {
                world.send(MemorySegment.ofArray(bytes), 1, 0);
            } else {
                byte[] found = new byte[200_000];
                world.recv(MemorySegment.ofArray(found), 0, 0);
                assertArrayEquals(bytes, found);
            }
        });
    }

    @Test
    void fiveRanks_barriersAndBroadcasts_allTakePart() {
        Ranks.run(5, OPTIONS, world -> {
            for (int root = 0; root < 5; root++) {
                world.barrier();
                int length = root * 9000 + 10;
                MemorySegment buffer = world.rank() == root
                        ? Payloads.segment(length, root)
                        : Arena.ofAuto().allocate(length);
                world.bcast(buffer, root);
                assertEquals(-1, buffer.mismatch(Payloads.segment(length, root)));
            }
        });
    }

    @Test
    void tagsAndAnySource_messagesThatCameBefore_matchInOrder() {
        Ranks.run(3, OPTIONS, world -> {
            MemorySegment one = Arena.ofAuto().allocate(4);
            if (world.rank() > 0) {
                for (int i = 0; i < 20; i++) {
                    one.set(ValueLayout.JAVA_INT, 0, i);
                    world.send(one, 0, i % 2);
                }
                world.barrier();
                return;
            }
            for (int i = 1; i < 20; i += 2) {
                world.recv(one, 2, 1);
                assertEquals(i, one.get(ValueLayout.JAVA_INT, 0));
            }
            Status status = world.probe(2, Communicator.ANY_TAG);
            assertEquals(0, status.tag());
            assertEquals(4, status.count());
            int[] next = {0, 0, 0};
            for (int i = 0; i < 30; i++) {
                Status found = world.recv(one, Communicator.ANY_SOURCE, Communicator.ANY_TAG);
                int value = one.get(ValueLayout.JAVA_INT, 0);
                int step = found.source() == 2 ? 2 : 1;
                assertEquals(next[found.source()], value);
                next[found.source()] += step;
            }
            world.barrier();
        });
    }

    @Test
    void manyRequests_bothDirectionsAllSizes_allDone() {
        Ranks.run(2, OPTIONS, world -> {
            int many = 60;
            Request[] requests = new Request[2 * many];
            MemorySegment[] into = new MemorySegment[many];
            for (int i = 0; i < many; i++) {
                int length = i * i * 17;
                into[i] = Arena.ofAuto().allocate(length + 1);
                requests[i] = world.irecv(into[i], 1 - world.rank(), i);
            }
            for (int i = 0; i < many; i++) {
                int length = i * i * 17;
                requests[many + i] = world.isend(Payloads.segment(length, i), 0, length, 1 - world.rank(), i);
            }
            Request.awaitAll(requests);
            for (int i = 0; i < many; i++) {
                int length = i * i * 17;
                assertEquals(-1, MemorySegment.mismatch(into[i], 0, length, Payloads.segment(length, i), 0, length));
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void bufferTooSmall_receive_failsAndSaysSo(RendezvousMode mode) {
        Ranks.run(2, OPTIONS.withRendezvous(mode), world -> {
            if (world.rank() == 0) {
                world.send(Payloads.segment(100, 1), 1, 0);
                world.send(Payloads.segment(100_000, 1), 1, 0);
            } else {
                MemorySegment small = Arena.ofAuto().allocate(50);
                String eager = String.valueOf(assertThrows(MessagingException.class, () -> world.recv(small, 0, 0))
                        .getMessage());
                assertTrue(eager.contains("100 bytes"), eager);
                String large = String.valueOf(assertThrows(MessagingException.class, () -> world.recv(small, 0, 0))
                        .getMessage());
                assertTrue(large.contains("100000 bytes"), large);
                assertEquals(-1, small.mismatch(Payloads.segment(50, 1)));
            }
        });
    }

    @Test
    void unexpectedMemoryUsedUp_largeMessageThatIsAwaited_comesAllTheSame() {
        Ranks.run(2, OPTIONS.withMaxUnexpectedBytes(100), world -> {
            if (world.rank() == 0) {
                world.send(Payloads.segment(60, 1), 1, 1);
                world.send(Payloads.segment(100_000, 2), 1, 2);
            } else {
                world.probe(0, 1);
                MemorySegment large = Arena.ofAuto().allocate(100_000);
                world.recv(large, 0, 2);
                assertEquals(-1, large.mismatch(Payloads.segment(100_000, 2)));
                assertEquals(60, world.recv(large, 0, 1).count());
            }
        });
    }

    @Test
    void peerFails_receiveFromIt_failsWithAReason() {
        MessagingException failure = assertThrows(
                MessagingException.class,
                () -> Ranks.run(2, OPTIONS, world -> {
                    MemorySegment one = Arena.ofAuto().allocate(8);
                    if (world.rank() == 0) {
                        world.send(one, 1, 0);
                        world.recv(one, 1, 0);
                        throw new IllegalStateException("rank 0 breaks");
                    }
                    world.recv(one, 0, 0);
                    world.send(one, 0, 0);
                    MessagingException lost = assertThrows(MessagingException.class, () -> world.recv(one, 0, 0));
                    assertTrue(String.valueOf(lost.getMessage()).contains("rank 0"), lost.getMessage());
                    assertThrows(MessagingException.class, () -> world.send(one, 0, 0));
                }));
        assertTrue(String.valueOf(failure.getMessage()).contains("rank 0 breaks"), failure.getMessage());
    }

    @Test
    void toItself_anySize_arrives() {
        Ranks.run(1, OPTIONS, world -> {
            Request receive = world.irecv(Arena.ofAuto().allocate(10), 0, 1);
            world.send(Payloads.segment(10, 1), 0, 1);
            assertEquals(10, receive.await().count());
            world.send(Payloads.segment(100_000, 2), 0, 2);
            MemorySegment into = Arena.ofAuto().allocate(100_000);
            world.recv(into, Communicator.ANY_SOURCE, Communicator.ANY_TAG);
            assertEquals(-1, into.mismatch(Payloads.segment(100_000, 2)));
        });
    }

    @Test
    void toItself_moreThanAnArrayHolds_staysInItsBufferUntilItIsReceived() {
        Ranks.run(1, OPTIONS, world -> {
            long length = (1L << 30) + 5;
            MemorySegment nowhere = MemorySegment.ofAddress(1).reinterpret(length); // is not touched
            Request send = world.isend(nowhere, 0, 3);
            assertFalse(send.test());
            assertEquals(length, world.probe(0, 3).count());
            assertThrows(IllegalArgumentException.class, () -> world.send(nowhere, 0, 4));

            Request small = world.isend(Payloads.segment(100_000, 1), 0, 5);
            assertFalse(small.test());
            MemorySegment into = Arena.ofAuto().allocate(100_000);
            assertEquals(100_000, world.recv(into, 0, 5).count());
            assertEquals(100_000, small.await().count());
            assertEquals(-1, into.mismatch(Payloads.segment(100_000, 1)));

            Request receive = world.irecv(into, Communicator.ANY_SOURCE, 6);
            assertTrue(world.isend(Payloads.segment(100_000, 2), 0, 6).test());
            assertTrue(receive.test());
            assertEquals(-1, into.mismatch(Payloads.segment(100_000, 2)));
        });
    }

    @Test
    void toItself_givenUp_isNotReceivedAnyMore() {
        Ranks.run(1, OPTIONS.withTimeout(Duration.ofMillis(50)), world -> {
            Request send = world.isend(Payloads.segment(100_000, 1), 0, 5);
            assertThrows(MessagingException.class, send::await);
            assertFalse(world.iprobe(0, 5, new Status()));
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {-2, 2, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void rankThatDoesNotExist_isRefusedWithAMessage(int other) {
        Ranks.run(2, OPTIONS, world -> {
            MemorySegment one = Arena.ofAuto().allocate(8);
            List<Executable> calls = List.of(
                    () -> world.figures(other),
                    () -> world.send(one, other, 0),
                    () -> world.isend(one, other, 0),
                    () -> world.recv(one, other, 0),
                    () -> world.irecv(one, other, 0),
                    () -> world.probe(other, 0),
                    () -> world.iprobe(other, 0, new Status()),
                    () -> world.bcast(one, other),
                    () -> world.sendrecv(one, other, 0, one, 0, 0),
                    () -> world.sendrecv(one, 0, 0, one, other, 0));
            for (Executable call : calls) {
                String sentence = String.valueOf(
                        assertThrows(IllegalArgumentException.class, call).getMessage());
                assertTrue(sentence.contains("ranks are 0 to 1, not " + other), sentence);
            }
        });
        Ranks.run(1, OPTIONS, world -> assertThrows(IllegalArgumentException.class, () -> world.figures(-1)));
    }

    @Test
    void nothingComes_receive_endsInTime() {
        Ranks.run(1, OPTIONS.withTimeout(Duration.ofMillis(50)), world -> {
            MemorySegment one = Arena.ofAuto().allocate(8);
            String sentence = String.valueOf(assertThrows(MessagingException.class, () -> world.recv(one, 0, 0))
                    .getMessage());
            assertTrue(sentence.contains("given up"), sentence);
        });
    }

    @Test
    void thresholdsChangedWhileRanksTalk_countFromTheNextMessage() {
        Ranks.run(2, OPTIONS, world -> {
            MemorySegment buffer = Arena.ofAuto().allocate(50_000);
            int other = 1 - world.rank();
            exchange(world, buffer, 10_000, 0, 1);
            world.rendezvousThreshold(5000);
            exchange(world, buffer, 10_000, 1, 1);
            world.rendezvousThreshold(16_384);
            exchange(world, buffer, 10_000, 1, 2);
            world.policy(EnlargementPolicy.of(Phase.of(700), Phase.of(50_000)));
            exchange(world, buffer, 50_000, 2, 2);
            world.rendezvousThreshold(50_000);
            exchange(world, buffer, 50_000, 2, 3);
            assertEquals(50_000, world.figures(other).orElseThrow().buffers().sendPayloadBytes());
            world.policy(EnlargementPolicy.of(Phase.of(100), Phase.of(1000)));
            exchange(world, buffer, 1001, 3, 3);
            exchange(world, buffer, 1000, 3, 4);
            assertThrows(IllegalArgumentException.class, () -> world.rendezvousThreshold(1001));
            assertThrows(IllegalArgumentException.class, () -> world.rendezvousThreshold(-1));
        });
    }

    private static void exchange(Communicator world, MemorySegment buffer, int length, long rendezvous, long eager) {
        int other = 1 - world.rank();
        Request receive = world.irecv(Arena.ofAuto().allocate(length), other, 0);
        world.send(buffer, 0, length, other, 0);
        receive.await();
        world.barrier();
        ChannelFigures figures = world.figures(other).orElseThrow();
        assertEquals(rendezvous, figures.messages().rendezvous(), figures.toString());
        assertTrue(figures.messages().eager() >= eager, figures.toString());
    }

    @Test
    void thresholds_measured_areWithinTheBuffers() {
        int threshold = Thresholds.measured(OPTIONS).rendezvousThresholdBytes();
        assertTrue(threshold >= 0 && threshold <= 16 << 10, threshold + " bytes");
    }

    @Test
    void rnicCannotBeOpened_runFailsAtOnce() {
        MessagingOptions none = OPTIONS.withRnic(OPTIONS.rnic().withProvider("none"));
        MessagingException failure = assertThrows(MessagingException.class, () -> Ranks.run(3, none, world -> {}));
        assertTrue(failure.getCause() instanceof VerbsException, String.valueOf(failure.getCause()));
    }

    @Test
    void thresholdLargerThanTheBuffers_isRefusedWithAMessage() {
        String sentence = String.valueOf(
                assertThrows(IllegalArgumentException.class, () -> OPTIONS.withRendezvousThresholdBytes(20_000))
                        .getMessage());
        assertTrue(sentence.contains("20000") && sentence.contains("16384"), sentence);
    }
}
