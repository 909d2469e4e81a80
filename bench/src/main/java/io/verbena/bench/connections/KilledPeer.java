package io.verbena.bench.connections;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.ListenOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * One of two processes is killed (SIGKILL) under full load, again and again: every pending request of the other completes,
 * the first one or more in error, within the keep-alive bound, and nothing leaks.
 *
 * <pre>{@code java -cp bench/target/quick/verbena-bench.jar io.verbena.bench.connections.KilledPeer [TIMES]}</pre>
 */
public final class KilledPeer {

    private static final int BYTES = 64 * 1024;
    private static final int QUEUE_PAIRS = 4;
    private static final int DEPTH = 16;
    private static final Duration BOUND = Duration.ofSeconds(5);
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final Rnic rnic;
    private final SplittableRandom random = new SplittableRandom(6);
    private long posted;
    private long completed;
    private long failed;

    KilledPeer(Rnic rnic) {
        this.rnic = rnic;
    }

    public static void main(String[] arguments) throws IOException {
        int times = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 100;
        try (Rnic rnic = Rnic.open(RnicOptions.defaults())) {
            KilledPeer run = new KilledPeer(rnic);
            Vitals before = Vitals.of(ProcessHandle.current().pid());
            double worst = 0;
            for (int i = 1; i <= times; i++) {
                double seconds = run.once();
                worst = Math.max(worst, seconds);
                if (i == Math.min(5, times)) {
                    before = settled();
                }
                if (i % 10 == 0 || i == times) {
                    System.out.printf(
                            "%d kills, %d requests, %d in error, slowest end %.3f s, now %s%n",
                            i, run.completed, run.failed, worst, settled());
                }
            }
            System.out.println("at first: " + before);
        }
    }

    /** What is held once the garbage is gone, queues outside the heap included. */
    private static Vitals settled() throws IOException {
        System.gc();
        System.gc();
        return Vitals.of(ProcessHandle.current().pid());
    }

    /** One peer, started, loaded and killed; seconds from the kill until the last request had completed. */
    double once() throws IOException {
        try (OtherProcess other = OtherProcess.start(Victim.class);
                ProtectionDomain domain = rnic.allocateProtectionDomain();
                CompletionQueue cq = rnic.createCompletionQueue(4096);
                MemoryRegion memory = domain.allocate(2 * BYTES, AccessRight.LOCAL_WRITE)) {
            InetSocketAddress server = new InetSocketAddress(InetAddress.getLoopbackAddress(), other.port());
            QueuePair[] loaded = new QueuePair[QUEUE_PAIRS];
            Connection[] connections = new Connection[QUEUE_PAIRS];
            try {
                for (int i = 0; i < QUEUE_PAIRS; i++) {
                    loaded[i] = domain.createQueuePair(QueuePairOptions.of(cq).withDepths(DEPTH, DEPTH));
                    connections[i] = rnic.connect(
                            loaded[i],
                            server,
                            ConnectionOptions.defaults().withTimeout(PATIENCE).withKeepAlive(BOUND));
                }
                return load(other, cq, memory, loaded, connections);
            } finally {
                for (QueuePair each : loaded) {
                    if (each != null) {
                        each.close();
                    }
                }
            }
        }
    }

    private double load(
            OtherProcess other, CompletionQueue cq, MemoryRegion memory, QueuePair[] loaded, Connection[] connections)
            throws IOException {
        CompletionCursor cursor = cq.cursor();
        RemoteRegion target = Victim.target(connections[0].privateData());
        long killNs = System.nanoTime() + random.nextLong(5_000_000, 100_000_000);
        boolean killed = false;
        long pending = 0;
        long errors = 0;
        long endNs = killNs + BOUND.toNanos() + 2_000_000_000L;
        while (errors == 0 || pending > 0) {
            if (!killed && System.nanoTime() - killNs >= 0) {
                other.kill();
                killed = true;
            }
            // The load continues until the kill is detected: what is pending then was pending at the kill or was posted
            // later.
            if (errors == 0) {
                pending += post(loaded, memory, target);
            }
            while (cursor.next()) {
                pending--;
                completed++;
                errors += cursor.ok() ? 0 : 1;
            }
            if (System.nanoTime() - endNs > 0) {
                throw new IOException(pending + " requests are still pending after the keep-alive bound");
            }
            if (errors > 0 && pending > 0) {
                cq.await(Duration.ofMillis(50));
            }
        }
        failed += errors;
        double seconds = (System.nanoTime() - killNs) / 1e9;
        for (Connection each : connections) {
            if (!each.awaitClosed(BOUND.plusSeconds(2))) {
                throw new IOException("a connection has not ended within the keep-alive bound");
            }
        }
        return seconds;
    }

    private long post(QueuePair[] loaded, MemoryRegion memory, RemoteRegion target) {
        long count = 0;
        for (int i = 0; i < loaded.length; i++) {
            boolean took = i % 2 == 0
                    ? loaded[i].postWrite(posted, memory, 0, BYTES, target, 0, WrFlags.SIGNALLED)
                    : loaded[i].postRead(posted, memory, BYTES, BYTES, target, 0, WrFlags.SIGNALLED);
            if (took) {
                posted++;
                count++;
            }
        }
        return count;
    }

    /** The process that is killed: memory that others write and read. */
    static final class Victim {

        private Victim() {}

        static RemoteRegion target(byte[] privateData) {
            ByteBuffer word = ByteBuffer.wrap(privateData);
            return new RemoteRegion(word.getLong(), BYTES, word.getInt());
        }

        public static void main(String[] arguments) throws IOException {
            try (Rnic rnic = Rnic.open(RnicOptions.defaults());
                    ProtectionDomain domain = rnic.allocateProtectionDomain();
                    MemoryRegion memory = domain.allocate(
                            BYTES, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE);
                    CompletionQueue cq = rnic.createCompletionQueue(64);
                    Listener listener = rnic.listen(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), ListenOptions.defaults())) {
                System.out.println(((InetSocketAddress) listener.localAddress()).getPort());
                byte[] word = ByteBuffer.allocate(12)
                        .putLong(memory.address())
                        .putInt(memory.rkey())
                        .array();
                long endNs = System.nanoTime() + 60_000_000_000L;
                while (System.nanoTime() - endNs < 0) {
                    Optional<ConnectionRequest> request = listener.nextRequest(Duration.ofSeconds(1));
                    if (request.isPresent()) {
                        QueuePair queuePair = domain.createQueuePair(QueuePairOptions.of(cq));
                        request.get()
                                .startAccept(
                                        queuePair, ConnectionOptions.defaults().withPrivateData(word));
                    }
                }
            }
        }
    }
}
