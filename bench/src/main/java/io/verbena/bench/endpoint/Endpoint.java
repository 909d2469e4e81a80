package io.verbena.bench.endpoint;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** One side of a benchmark: an RNIC with one CQ, one region, and one or more queue pairs. */
public final class Endpoint implements AutoCloseable {

    public static final Duration TIMEOUT = Duration.ofSeconds(20);

    /** Reads outstanding each way: as deep as the window of a bandwidth test, so that Reads are pipelined like Writes. */
    private static final int READS = 64;

    public final Rnic rnic;
    public final ProtectionDomain domain;
    public final CompletionQueue cq;
    public final CompletionCursor cursor;
    public final MemoryRegion region;
    public final QueuePair queuePair;
    public final List<QueuePair> queuePairs;

    /** With one queue pair. */
    public Endpoint(RnicOptions options, int regionBytes, int depth) {
        this(options, regionBytes, depth, 1);
    }

    /** With several queue pairs on one CQ; the context of each is its index. */
    public Endpoint(RnicOptions options, int regionBytes, int depth, int queuePairCount) {
        rnic = Rnic.open(options);
        domain = rnic.allocateProtectionDomain();
        cq = rnic.createCompletionQueue(2 * depth * queuePairCount + 16);
        cursor = cq.cursor();
        region = domain.allocate(
                regionBytes,
                AccessRight.LOCAL_WRITE,
                AccessRight.REMOTE_READ,
                AccessRight.REMOTE_WRITE,
                AccessRight.REMOTE_ATOMIC);
        queuePairs = new ArrayList<>();
        for (int i = 0; i < queuePairCount; i++) {
            queuePairs.add(domain.createQueuePair(QueuePairOptions.of(cq)
                    .withDepths(depth, depth)
                    .withReads(READS, READS)
                    .withContext(i)));
        }
        queuePair = queuePairs.getFirst();
    }

    /** Takes completions that are there; returns how many. Fails on one in error. */
    public int poll() {
        int count = 0;
        while (cursor.next()) {
            if (!cursor.ok()) {
                throw new IllegalStateException("work " + cursor.wrId() + ": " + cursor.reason());
            }
            count++;
        }
        return count;
    }

    /** Waits until there is one more completion; returns how many it took. */
    public int awaitOne() {
        while (true) {
            int count = poll();
            if (count > 0) {
                return count;
            }
            if (!cq.await(TIMEOUT)) {
                throw new IllegalStateException("no completion within " + TIMEOUT);
            }
        }
    }

    @Override
    public void close() {
        rnic.close();
    }

    /** Connects all queue pairs over loopback TCP; each end may be INLINE in the calling thread or have its engine thread. */
    public static void connect(Endpoint client, Endpoint server) throws IOException {
        connect(client, server, ConnectionOptions.defaults());
    }

    /** The same, with options of both sides. */
    public static void connect(Endpoint client, Endpoint server, ConnectionOptions options) throws IOException {
        try (Listener listener = server.listen()) {
            connect(client, server, listener, options);
        }
    }

    /** The same with a listener of the server, which stays open: a connection that survives is continued there. */
    public static void connect(Endpoint client, Endpoint server, Listener listener, ConnectionOptions options)
            throws IOException {
        for (int i = 0; i < client.queuePairs.size(); i++) {
            Connection connecting =
                    client.rnic.startConnect(client.queuePairs.get(i), listener.localAddress(), options);
            ConnectionRequest request = listener.nextRequest(TIMEOUT).orElseThrow();
            Connection accepted = request.startAccept(server.queuePairs.get(i), options);
            accepted.awaitEstablished(TIMEOUT);
            connecting.awaitEstablished(TIMEOUT);
        }
    }

    /** A listener on this host, until the RNIC is closed. */
    public Listener listen() throws IOException {
        return rnic.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }
}
