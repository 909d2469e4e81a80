package io.verbena.bench;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.Progress;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The processor time of a Write, both ends together, over {@code roce} and over {@code iwarp} with CRC. For each provider a thread
 * drives two INLINE RNICs and measures its own processor time, so that other programs on the machine disturb little. A thread drives
 * all its RNICs in each poll, so that those of both providers in one thread would pay for each other. Run:
 * {@code bench/launch io.verbena.bench.MessageCost [BYTES [BATCH [QUEUE_PAIRS]]]}
 */
public final class MessageCost {

    private static final int ROUNDS = 7;
    private static final int WARM_UP_ROUNDS = 5;
    private static final long ROUND_NS = 500_000_000;
    private static final int EXCHANGES = 64;
    private static final int REGION_BYTES = 1 << 20;
    private static final int COMPLETIONS = 4096;
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final Rnic near;
    private final Rnic far;
    private final CompletionCursor completions;
    private final MemoryRegion source;
    private final MemoryRegion target;
    private final List<QueuePair> queuePairs = new ArrayList<>();

    private MessageCost(String provider, int count) throws IOException {
        RnicOptions options = RnicOptions.defaults()
                .withProvider(provider)
                .withProgress(Progress.INLINE)
                .withCrc(true);
        near = Rnic.open(options);
        far = Rnic.open(options);
        CompletionQueue cq = near.createCompletionQueue(COMPLETIONS);
        CompletionQueue farCq = far.createCompletionQueue(COMPLETIONS);
        completions = cq.cursor();
        ProtectionDomain domain = near.allocateProtectionDomain();
        ProtectionDomain farDomain = far.allocateProtectionDomain();
        source = domain.allocate(REGION_BYTES, AccessRight.LOCAL_WRITE);
        target = farDomain.allocate(REGION_BYTES, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE);
        try (Listener listener = far.listen(new InetSocketAddress(0))) {
            SocketAddress to = reachable((InetSocketAddress) listener.localAddress());
            for (int i = 0; i < count; i++) {
                QueuePair queuePair = domain.createQueuePair(QueuePairOptions.of(cq));
                Connection opening = near.startConnect(queuePair, to, ConnectionOptions.defaults());
                Connection accepted = listener.nextRequest(PATIENCE)
                        .orElseThrow()
                        .startAccept(
                                farDomain.createQueuePair(QueuePairOptions.of(farCq)), ConnectionOptions.defaults());
                while (opening.state() != ConnectionState.ESTABLISHED
                        || accepted.state() != ConnectionState.ESTABLISHED) {
                    near.progress();
                    far.progress();
                }
                queuePairs.add(queuePair);
            }
        }
    }

    /** A listener of iWARP at every address is reached over the loopback interface. */
    private static SocketAddress reachable(InetSocketAddress listener) {
        return listener.getAddress().isAnyLocalAddress()
                ? new InetSocketAddress(InetAddress.getLoopbackAddress(), listener.getPort())
                : listener;
    }

    public static void main(String[] arguments) throws Exception {
        int bytes = argument(arguments, 0, 8);
        int batch = argument(arguments, 1, 16);
        int count = argument(arguments, 2, 1);
        double[] ratios = new double[ROUNDS];
        try (Side roce = new Side("roce", count);
                Side iwarp = new Side("iwarp", count)) {
            for (int round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
                double roceNs = roce.costNs(bytes, batch);
                double iwarpNs = iwarp.costNs(bytes, batch);
                ratios[Math.max(0, round)] = roceNs / iwarpNs;
                if (round >= 0) {
                    System.out.printf("roce %.0f ns, iwarp %.0f ns, ratio %.2f%n", roceNs, iwarpNs, roceNs / iwarpNs);
                }
            }
        }
        Arrays.sort(ratios);
        System.out.printf(
                "Write of %d bytes, %d per doorbell, %d queue pairs: median ratio %.2f (%.2f to %.2f)%n",
                bytes, batch, count, ratios[ROUNDS / 2], ratios[0], ratios[ROUNDS - 1]);
    }

    /** One provider in a thread of its own. */
    private static final class Side implements AutoCloseable {
        private final ExecutorService thread = Executors.newSingleThreadExecutor();
        private final MessageCost cost;

        Side(String provider, int count) throws Exception {
            cost = thread.submit(() -> new MessageCost(provider, count)).get();
        }

        double costNs(int bytes, int batch) throws Exception {
            return thread.submit(() -> cost.costNs(bytes, batch)).get();
        }

        @Override
        public void close() throws Exception {
            thread.submit(cost::close).get();
            thread.close();
        }
    }

    private static int argument(String[] arguments, int index, int otherwise) {
        return index < arguments.length ? Integer.parseInt(arguments[index]) : otherwise;
    }

    private void close() {
        near.close();
        far.close();
    }

    /** Processor time per message. */
    private double costNs(int bytes, int batch) {
        long startNs = THREADS.getCurrentThreadCpuTime();
        long usedNs = 0;
        long messages = 0;
        while (usedNs < ROUND_NS) {
            for (int i = 0; i < EXCHANGES; i++) {
                exchange(bytes, batch);
            }
            messages += (long) EXCHANGES * batch * queuePairs.size();
            usedNs = THREADS.getCurrentThreadCpuTime() - startNs;
        }
        return (double) usedNs / messages;
    }

    /** A batch of Writes on each queue pair, until all are complete. */
    private void exchange(int bytes, int batch) {
        for (QueuePair each : queuePairs) {
            each.startBatch();
            for (int i = 1; i <= batch; i++) {
                each.postWrite(
                        i, source, 0, bytes, target.remote(), 0, i == batch ? WrFlags.SIGNALLED : WrFlags.UNSIGNALLED);
            }
            each.ringDoorbell();
        }
        for (int open = queuePairs.size(); open > 0; ) {
            far.progress();
            near.progress();
            while (completions.next()) {
                if (!completions.ok()) {
                    throw new IllegalStateException(completions.status() + ": " + completions.reason());
                }
                open--;
            }
        }
    }
}
