package io.verbena.examples;

import io.verbena.verbs.*;
import java.lang.foreign.ValueLayout;
import java.net.*;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.*;
import java.util.stream.IntStream;

/** A counter and a maximum in the memory of one program, which others change by atomics. That program executes nothing for them. */
final class Counter {

    private static final int CLIENTS = 4;
    private static final int ADDITIONS = 250;

    private Counter() {}

    public static void main(String... args) throws Exception {
        try (Rnic rnic = Rnic.open();
                ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
            ProtectionDomain domain = rnic.allocateProtectionDomain();
            CompletionQueue cq = rnic.createCompletionQueue(64);
            MemoryRegion words = domain.allocate(16, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_ATOMIC);
            Listener listener = rnic.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            SocketAddress address = listener.localAddress();
            List<Future<?>> running = IntStream.range(0, CLIENTS)
                    .<Future<?>>mapToObj(client -> clients.submit(() -> count(address, client)))
                    .toList();
            for (int i = 0; i < CLIENTS; i++) {
                listener.nextRequest(Duration.ofMinutes(1))
                        .orElseThrow()
                        .accept(domain.createQueuePair(cq), words.remote().toBytes());
            }
            for (Future<?> each : running) {
                each.get();
            }
            long sum = words.segment().get(ValueLayout.JAVA_LONG, 0);
            long most = words.segment().get(ValueLayout.JAVA_LONG, 8);
            Check.that(sum == CLIENTS * ADDITIONS, "the counter is " + sum);
            Check.that(most == (CLIENTS - 1) * 1000 + ADDITIONS, "the maximum is " + most);
            System.out.println(CLIENTS + " clients counted to " + sum + "; the largest value was " + most + ".");
        }
    }

    private static Void count(SocketAddress address, int client) throws Exception {
        try (RdmaPeer peer = RdmaPeer.open(8)) {
            peer.connect(address);
            for (int i = 1; i <= ADDITIONS; i++) {
                peer.fetchAndAdd(0, 1).join();
                raise(peer, client * 1000L + i);
            }
        }
        return null;
    }

    /** Replaces the maximum, unless it is as large already: a compare-and-swap that finds another value shows which. */
    private static void raise(RdmaPeer peer, long value) {
        long expected = 0;
        while (expected < value) {
            long found = peer.compareAndSwap(8, expected, value).join();
            if (found == expected) {
                return;
            }
            expected = found;
        }
    }
}
