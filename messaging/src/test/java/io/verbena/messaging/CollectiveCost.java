package io.verbena.messaging;

import io.verbena.messaging.collective.ElementType;
import io.verbena.messaging.collective.PredefinedReduction;
import io.verbena.verbs.Rnic;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntFunction;

/**
 * Processor time of collective operations, all ranks in one thread, with direct access to shared memory and without, in
 * turn; the least of many batches. It hardly depends on what else the machine does, and says nothing
 * about how long ranks wait for each other. Not a test:
 *
 * <pre>
 * ./mvnw -Pquick -pl messaging -am test-compile
 * export VERBENA_CLASSES=messaging/target/quick/test-classes
 * bench/launch io.verbena.messaging.CollectiveCost [PROVIDER [RANKS [ROW]]]
 * </pre>
 */
final class CollectiveCost {

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final int ROUNDS = 12;
    private static final long ROUND_NS = 150_000_000;
    private static final long JOB = 7;

    /** How the names of the rows begin that are measured. */
    private static String row = "";

    private CollectiveCost() {}

    /** Makes the same operation of each rank. */
    private interface Operation {
        PersistentRequest of(Job job, int rank);
    }

    /** What a rank sends and receives in a barrier or a short allreduce of two ranks. */
    private record Exchange(Communicator ranks, MemorySegment sent, MemorySegment received, Status status)
            implements PersistentRequest {

        Exchange(Communicator ranks, MemorySegment sent, MemorySegment received) {
            this(ranks, sent, received, new Status());
        }

        @Override
        public void start() {
            ranks.send(sent, 0, sent.byteSize(), 1 - ranks.rank(), 0);
        }

        @Override
        public boolean test() {
            await();
            return true;
        }

        @Override
        public Status await() {
            ranks.recv(received, 0, received.byteSize(), 1 - ranks.rank(), 0, status);
            return status;
        }

        @Override
        public boolean done() {
            return false;
        }
    }

    /** The ranks of a job in a thread of their own. */
    private static final class Job {
        final List<Communicator> ranks = new ArrayList<>();
        final List<MemorySegment> sent = new ArrayList<>();
        final List<MemorySegment> received = new ArrayList<>();
        private final ExecutorService thread = Executors.newSingleThreadExecutor(task -> {
            Thread daemon = new Thread(task);
            daemon.setDaemon(true);
            return daemon;
        });

        Job(int size, String provider, boolean direct) throws Exception {
            MessagingOptions defaults = MessagingOptions.defaults();
            MessagingOptions options = defaults.withRnic(
                    defaults.rnic().withProvider(provider).withIwarp(iwarp -> iwarp.withDirect(direct)));
            in(() -> open(size, options));
        }

        private boolean open(int size, MessagingOptions options) throws IOException {
            List<Messenger> messengers = new ArrayList<>();
            List<SocketAddress> addresses = new ArrayList<>();
            for (int rank = 0; rank < size; rank++) {
                Rnic rnic = Rnic.open(options.rnic());
                Messenger messenger = new Messenger(rank, size, rnic, options, System::nanoTime, new Random(rank));
                addresses.add(messenger.endpoint().listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)));
                messengers.add(messenger);
                ranks.add(new Communicator(rank, size, rnic, messenger, options));
                sent.add(ranks.getLast().allocate(1 << 20));
                received.add(ranks.getLast().allocate(1 << 20));
            }
            messengers.forEach(messenger -> messenger.members().join(addresses, JOB));
            return true;
        }

        /** Nanoseconds of an operation, the least of the batches of a round. */
        double leastNs(IntFunction<PersistentRequest> operation) throws Exception {
            return in(() -> {
                List<PersistentRequest> all = new ArrayList<>();
                for (int rank = 0; rank < ranks.size(); rank++) {
                    all.add(operation.apply(rank));
                }
                double least = Double.MAX_VALUE;
                int count = 1;
                long usedNs = 0;
                while (usedNs < ROUND_NS) {
                    long startNs = THREADS.getCurrentThreadCpuTime();
                    for (int i = 0; i < count; i++) {
                        execute(all);
                    }
                    long tookNs = THREADS.getCurrentThreadCpuTime() - startNs;
                    least = Math.min(least, (double) tookNs / count);
                    usedNs += tookNs;
                    count = tookNs < ROUND_NS / 20 ? 2 * count : count;
                }
                return least;
            });
        }

        private static void execute(List<PersistentRequest> all) {
            all.forEach(PersistentRequest::start);
            boolean done = false;
            while (!done) {
                done = true;
                for (PersistentRequest request : all) {
                    done &= request.test();
                }
            }
        }

        private <T> T in(Callable<T> work) throws Exception {
            return thread.submit(work).get();
        }
    }

    public static void main(String[] arguments) throws Exception {
        String provider = arguments.length > 0 ? arguments[0] : "shm";
        int size = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 2;
        row = arguments.length > 2 ? arguments[2] : "";
        Job direct = new Job(size, provider, true);
        Job engines = new Job(size, provider, false);
        System.out.println(
                provider + ", " + size + " ranks in one thread, processor time: direct access, without, ratio");
        print(
                "barrier",
                direct,
                engines,
                (job, rank) -> job.ranks.get(rank).persistent().barrier());
        print(
                "allreduce, 8 B",
                direct,
                engines,
                (job, rank) -> job.ranks
                        .get(rank)
                        .persistent()
                        .allreduce(
                                part(job.sent, rank, 8),
                                part(job.received, rank, 8),
                                ElementType.FLOAT,
                                PredefinedReduction.SUM));
        print( // the ranks are connected now
                "send and receive",
                direct,
                engines,
                (job, rank) -> new Exchange(job.ranks.get(rank), part(job.sent, rank, 8), part(job.received, rank, 8)));
        long blocks = (64L << 10) * size;
        print(
                "alltoall, 64 KiB",
                direct,
                engines,
                (job, rank) -> job.ranks
                        .get(rank)
                        .persistent()
                        .alltoall(part(job.sent, rank, blocks), part(job.received, rank, blocks)));
        print(
                "bcast, 1 MiB",
                direct,
                engines,
                (job, rank) -> job.ranks.get(rank).persistent().bcast(job.received.get(rank), 0));
        print(
                "allreduce, 1 MiB",
                direct,
                engines,
                (job, rank) -> job.ranks
                        .get(rank)
                        .persistent()
                        .allreduce(
                                job.sent.get(rank),
                                job.received.get(rank),
                                ElementType.FLOAT,
                                PredefinedReduction.SUM));
    }

    private static MemorySegment part(List<MemorySegment> all, int rank, long bytes) {
        return all.get(rank).asSlice(0, bytes);
    }

    private static void print(String name, Job direct, Job engines, Operation operation) throws Exception {
        if (!name.startsWith(row)) {
            return;
        }
        double[] with = new double[ROUNDS];
        double[] without = new double[ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            with[round] = direct.leastNs(rank -> operation.of(direct, rank));
            without[round] = engines.leastNs(rank -> operation.of(engines, rank));
        }
        double least = Arrays.stream(with).min().orElseThrow();
        double other = Arrays.stream(without).min().orElseThrow();
        System.out.printf(Locale.ROOT, "%-18s %10.0f ns %10.0f ns %6.2f%n", name, least, other, least / other);
    }
}
