package io.verbena.examples;

import io.verbena.verbs.*;
import java.lang.foreign.ValueLayout;
import java.net.*;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Participants that wait for each other after every round, through one word of memory. A participant adds 1 when it arrives and
 * reads the word until all have arrived.
 */
final class Barrier {

    private static final int PARTICIPANTS = 4;
    private static final int ROUNDS = 25;

    private Barrier() {}

    public static void main(String... args) throws Exception {
        AtomicIntegerArray finished = new AtomicIntegerArray(ROUNDS);
        try (Rnic rnic = Rnic.open();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            ProtectionDomain domain = rnic.allocateProtectionDomain();
            CompletionQueue cq = rnic.createCompletionQueue(64);
            MemoryRegion arrived = domain.allocate(
                    Long.BYTES, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_READ, AccessRight.REMOTE_ATOMIC);
            Listener listener = rnic.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            List<Future<?>> participants = new ArrayList<>();
            for (int i = 0; i < PARTICIPANTS; i++) {
                participants.add(threads.submit(() -> participate(listener.localAddress(), finished)));
                listener.nextRequest(Duration.ofMinutes(1))
                        .orElseThrow()
                        .accept(domain.createQueuePair(cq), arrived.remote().toBytes());
            }
            for (Future<?> each : participants) {
                each.get();
            }
            System.out.println(PARTICIPANTS + " participants passed the barrier " + ROUNDS + " times together.");
        }
    }

    private static Void participate(SocketAddress address, AtomicIntegerArray finished) throws Exception {
        try (RdmaPeer peer = RdmaPeer.open(Long.BYTES, AccessRight.LOCAL_WRITE)) {
            peer.connect(address);
            for (int round = 0; round < ROUNDS; round++) {
                finished.incrementAndGet(round); // the work of this round
                await(peer, (round + 1L) * PARTICIPANTS);
                Check.that(finished.get(round) == PARTICIPANTS, "a participant passed before all had arrived");
            }
        }
        return null;
    }

    private static void await(RdmaPeer peer, long all) {
        long arrived = peer.fetchAndAdd(0, 1).join() + 1;
        while (arrived < all) {
            peer.read(0, Long.BYTES, 0).join();
            arrived = peer.memory().segment().get(ValueLayout.JAVA_LONG, 0);
        }
    }
}
