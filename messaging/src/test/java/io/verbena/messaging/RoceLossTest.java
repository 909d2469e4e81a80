package io.verbena.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.verbena.host.RoceProvider;
import io.verbena.port.faults.PacketFaults;
import io.verbena.verbs.Progress;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Four ranks over RoCE on real sockets, with one arriving packet in fifty dropped: jobs of messages of all sizes, in all directions.
 * {@code -Dverbena.jobs=N} runs N jobs of each kind.
 */
class RoceLossTest {

    private static final int RANKS = 4;
    private static final int JOBS = Integer.getInteger("verbena.jobs", 1);
    private static final int ROUNDS = 12;
    private static final int[] SIZES = {0, 1, 100, 700, 701, 3_000, 16_384, 40_000, 150_000};
    private static final int MOST_BYTES = 150_000;
    private static final long LIMIT_SECONDS = 120;

    static Stream<Arguments> kinds() {
        return Stream.of(
                arguments(true, RendezvousMode.READ),
                arguments(false, RendezvousMode.READ),
                arguments(true, RendezvousMode.WRITE),
                arguments(false, RendezvousMode.WRITE));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void onePacketInFiftyDropped_everyJobEnds(boolean selectiveRepeat, RendezvousMode mode) throws Exception {
        RnicOptions rnic = RnicOptions.defaults()
                .withProvider("roce")
                .withProgress(Progress.INLINE)
                .withInfiniband(it -> it.withSelectiveRepeat(selectiveRepeat));
        MessagingOptions options = MessagingOptions.defaults().withRendezvous(mode);
        for (int i = 0; i < JOBS; i++) {
            job(rnic, options, i);
        }
    }

    private static void job(RnicOptions rnic, MessagingOptions options, long seed) throws Exception {
        SocketAddress[] addresses = new SocketAddress[RANKS];
        CyclicBarrier listening = new CyclicBarrier(RANKS);
        try (ExecutorService threads = Executors.newFixedThreadPool(RANKS)) {
            List<Future<Integer>> ranks = new ArrayList<>();
            for (int i = 0; i < RANKS; i++) {
                int rank = i;
                Callable<Integer> program = () -> {
                    try (Rnic own = new RoceProvider()
                                    .open(rnic, PacketFaults.none().withLoss(50));
                            Communicator world = join(rank, own, options, addresses, listening)) {
                        return exchange(world, new Random(seed));
                    }
                };
                ranks.add(threads.submit(program));
            }
            for (Future<Integer> rank : ranks) {
                assertEquals(ROUNDS, rank.get(LIMIT_SECONDS, TimeUnit.SECONDS));
            }
        }
    }

    private static Communicator join(
            int rank, Rnic rnic, MessagingOptions options, SocketAddress[] addresses, CyclicBarrier listening)
            throws Exception {
        Messenger messenger = new Messenger(rank, RANKS, rnic, options, System::nanoTime, new Random(rank));
        Communicator world = new Communicator(rank, RANKS, rnic, messenger, options);
        addresses[rank] = messenger.endpoint().listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        listening.await(LIMIT_SECONDS, TimeUnit.SECONDS);
        messenger.members().join(List.of(addresses), 1);
        return world.joined();
    }

    /** In each round every rank sends a message to every other one. All ranks draw the same sizes. */
    private static int exchange(Communicator world, Random sizes) {
        int rounds = 0;
        MemorySegment[] received = new MemorySegment[RANKS];
        for (int i = 0; i < RANKS; i++) {
            received[i] = Arena.ofAuto().allocate(MOST_BYTES);
        }
        for (; rounds < ROUNDS; rounds++) {
            int length = SIZES[sizes.nextInt(SIZES.length)];
            List<Request> pending = new ArrayList<>();
            for (int i = 0; i < RANKS; i++) {
                if (i != world.rank()) {
                    pending.add(world.irecv(received[i], i, rounds));
                    MemorySegment message = Payloads.segment(length, content(world.rank(), i, rounds));
                    pending.add(world.isend(message, 0, length, i, rounds));
                }
            }
            pending.forEach(Request::await);
            for (int i = 0; i < RANKS; i++) {
                if (i != world.rank()) {
                    MemorySegment expected = Payloads.segment(length, content(i, world.rank(), rounds));
                    assertEquals(-1, MemorySegment.mismatch(expected, 0, length, received[i], 0, length));
                }
            }
        }
        return rounds;
    }

    private static int content(int from, int to, int round) {
        return from * 7919 + to * 104_729 + round * 31;
    }
}
