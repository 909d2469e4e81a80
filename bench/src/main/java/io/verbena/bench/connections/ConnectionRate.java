package io.verbena.bench.connections;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Connections set up, used for a message and its answer, and closed gracefully, at a rate, between two JVMs on loopback; then
 * many open at the same time. {@code -Dio.verbena.provider=roce} chooses the provider of both. Both processes' memory, descriptors and
 * threads are printed every five seconds. Descriptors, threads and the live heap of the client must stay flat; the resident memory
 * grows until the heap has its full size ({@code -Xmx}).
 *
 * <pre>{@code java -cp bench/target/quick/verbena-bench.jar io.verbena.bench.connections.ConnectionRate [RATE [SECONDS [OPEN]]]}</pre>
 */
public final class ConnectionRate {

    private static final int MESSAGE = 64;
    private static final int WORKERS = 16;
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final ConnectionOptions OPTIONS =
            ConnectionOptions.defaults().withTimeout(PATIENCE);

    private final Rnic rnic;
    private final ProtectionDomain domain;
    private final InetSocketAddress server;
    private final AtomicLong done = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private volatile String firstFailure = "";

    ConnectionRate(Rnic rnic, InetSocketAddress server) {
        this.rnic = rnic;
        this.domain = rnic.allocateProtectionDomain();
        this.server = server;
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        int rate = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 1000;
        int seconds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 60;
        int open = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 9000;
        try (OtherProcess other = OtherProcess.start(RateServer.class);
                Rnic rnic = Rnic.open(RnicOptions.defaults())) {
            ConnectionRate run = new ConnectionRate(rnic, other.address());
            boolean ok = run.atRate(rate, seconds, other.pid());
            ok &= open == 0 || run.manyAtOnce(open, other.pid());
            System.out.println(ok ? "all went well" : "NOT all went well: " + run.firstFailure());
            System.exit(ok ? 0 : 1);
        }
    }

    /** Why the first connection failed; empty if none did. */
    String firstFailure() {
        return firstFailure;
    }

    /** Connects and closes this number as fast as possible; returns the number per second. */
    double mostPerSecond(long count) throws InterruptedException {
        long startNs = System.nanoTime();
        AtomicLong next = new AtomicLong();
        List<Thread> workers = new ArrayList<>();
        for (int i = 0; i < WORKERS; i++) {
            workers.add(Thread.ofPlatform().start(() -> work(next, count, Integer.MAX_VALUE, startNs)));
        }
        for (Thread each : workers) {
            each.join();
        }
        return count * 1e9 / (System.nanoTime() - startNs);
    }

    /** Opens this number per second, evenly; true if all were closed gracefully. */
    boolean atRate(int rate, int seconds, long otherPid) throws IOException, InterruptedException {
        long startNs = System.nanoTime();
        AtomicLong next = new AtomicLong();
        long count = (long) rate * seconds;
        List<Thread> workers = new ArrayList<>();
        for (int i = 0; i < WORKERS; i++) {
            workers.add(Thread.ofPlatform().start(() -> work(next, count, rate, startNs)));
        }
        for (long printNs = startNs; anyAlive(workers); ) {
            workers.getFirst().join(Duration.ofMillis(500));
            if (System.nanoTime() - printNs >= 5_000_000_000L) {
                printNs = System.nanoTime();
                print("at " + (printNs - startNs) / 1_000_000_000L + " s: " + done.get() + " connections", otherPid);
            }
        }
        double took = (System.nanoTime() - startNs) / 1e9;
        System.out.printf(
                "%d connections in %.1f s, %.0f a second, %d failed%n",
                done.get(), took, done.get() / took, failed.get());
        return failed.get() == 0 && done.get() == count;
    }

    private static boolean anyAlive(List<Thread> threads) {
        return threads.stream().anyMatch(Thread::isAlive);
    }

    private void work(AtomicLong next, long count, int rate, long startNs) {
        CompletionQueue cq = rnic.createCompletionQueue(64);
        CompletionCursor cursor = cq.cursor();
        MemoryRegion memory = domain.allocate(4096, AccessRight.LOCAL_WRITE);
        try {
            for (long n = next.getAndIncrement(); n < count; n = next.getAndIncrement()) {
                long dueNs = startNs + n * 1_000_000_000L / rate;
                for (long left = dueNs - System.nanoTime(); left > 0; left = dueNs - System.nanoTime()) {
                    Thread.sleep(Duration.ofNanos(left));
                }
                one(cq, cursor, memory);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            memory.close();
            cq.close();
        }
    }

    private void one(CompletionQueue cq, CompletionCursor cursor, MemoryRegion memory) {
        try (QueuePair queuePair =
                domain.createQueuePair(QueuePairOptions.of(cq).withDepths(4, 4))) {
            Connection connection = use(queuePair, cq, cursor, memory);
            connection.disconnect();
            if (!connection.awaitClosed(PATIENCE) || connection.state() != ConnectionState.CLOSED) {
                throw new ConnectionException(
                        ConnectionException.Kind.FAILED,
                        "it ended " + connection.state() + ": " + connection.reason(),
                        new byte[0]);
            }
            done.incrementAndGet();
        } catch (ConnectionException e) {
            failed.incrementAndGet();
            firstFailure = firstFailure.isEmpty() ? String.valueOf(e.getMessage()) : firstFailure;
        }
        while (cursor.next()) {
            cursor.wrId();
        }
    }

    /** Connects, sends and hears the answer. */
    private Connection use(QueuePair queuePair, CompletionQueue cq, CompletionCursor cursor, MemoryRegion memory)
            throws ConnectionException {
        queuePair.postReceive(1, memory, 1024, MESSAGE);
        Connection connection = rnic.connect(queuePair, server, OPTIONS);
        queuePair.postSend(2, memory, 0, MESSAGE, WrFlags.UNSIGNALLED);
        long endNs = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() - endNs < 0) {
            if (cursor.next()) {
                if (!cursor.ok()) {
                    throw new ConnectionException(
                            ConnectionException.Kind.FAILED, cursor.status() + ": " + cursor.reason(), new byte[0]);
                }
                return connection;
            }
            cq.await(Duration.ofSeconds(1));
        }
        throw new ConnectionException(ConnectionException.Kind.TIMED_OUT, "no answer", new byte[0]);
    }

    /** Opens this number of connections, uses each once while all are open, then closes all. */
    boolean manyAtOnce(int count, long otherPid) throws IOException {
        CompletionQueue cq = rnic.createCompletionQueue(64);
        CompletionCursor cursor = cq.cursor();
        MemoryRegion memory = domain.allocate(4096, AccessRight.LOCAL_WRITE);
        List<QueuePair> open = new ArrayList<>();
        List<Connection> connections = new ArrayList<>();
        boolean inTime;
        boolean graceful;
        long startNs = System.nanoTime();
        try {
            for (int i = 0; i < count; i++) {
                QueuePair queuePair =
                        domain.createQueuePair(QueuePairOptions.of(cq).withDepths(4, 4));
                open.add(queuePair);
                connections.add(use(queuePair, cq, cursor, memory));
            }
            System.out.printf("%d open at the same time after %.1f s%n", count, (System.nanoTime() - startNs) / 1e9);
            print("with all open", otherPid);
        } catch (ConnectionException e) {
            firstFailure = open.size() + " open: " + e.getMessage();
            return false;
        } finally {
            connections.forEach(Connection::disconnect);
            inTime = connections.stream().allMatch(c -> c.awaitClosed(PATIENCE));
            graceful = connections.stream().allMatch(c -> c.state() == ConnectionState.CLOSED);
            open.forEach(QueuePair::close);
            memory.close();
            open.clear();
            connections.clear();
            print(inTime ? "with all closed" : "with some NOT closed in time", otherPid);
        }
        return graceful;
    }

    private static void print(String when, long otherPid) throws IOException {
        System.out.println(
                when + ": client " + Vitals.of(ProcessHandle.current().pid()) + ", live heap " + liveHeapKb()
                        + " KiB; server " + Vitals.of(otherPid));
    }

    private static long liveHeapKb() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / 1024;
    }
}
