package io.verbena.bench;

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

/** One side of a benchmark: an RNIC with one of everything. */
final class Endpoint implements AutoCloseable {

    static final Duration TIMEOUT = Duration.ofSeconds(10);

    final Rnic rnic;
    final ProtectionDomain domain;
    final CompletionQueue cq;
    final CompletionCursor cursor;
    final MemoryRegion region;
    final QueuePair queuePair;

    Endpoint(RnicOptions options, int regionBytes, int depth) {
        rnic = Rnic.open(options);
        domain = rnic.allocateProtectionDomain();
        cq = rnic.createCompletionQueue(4 * depth);
        cursor = cq.cursor();
        region = domain.allocate(
                regionBytes,
                AccessRight.LOCAL_WRITE,
                AccessRight.REMOTE_READ,
                AccessRight.REMOTE_WRITE,
                AccessRight.REMOTE_ATOMIC);
        queuePair = domain.createQueuePair(QueuePairOptions.of(cq).withDepths(depth, depth));
    }

    /** Takes completions that are there; returns how many. Fails on one in error. */
    int poll() {
        int count = 0;
        while (cursor.next()) {
            if (!cursor.ok()) {
                throw new IllegalStateException("work " + cursor.wrId() + ": " + cursor.reason());
            }
            count++;
        }
        return count;
    }

    /** Waits for one more completion. */
    void awaitOne() {
        while (poll() == 0) {
            if (!cq.await(TIMEOUT)) {
                throw new IllegalStateException("no completion within " + TIMEOUT);
            }
        }
    }

    @Override
    public void close() {
        rnic.close();
    }

    /** Connects two endpoints over loopback TCP; each may be INLINE in the calling thread or have its engine thread. */
    static void connect(Endpoint client, Endpoint server) throws IOException {
        Listener listener = server.rnic.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        Connection connecting =
                client.rnic.startConnect(client.queuePair, listener.localAddress(), ConnectionOptions.defaults());
        ConnectionRequest request = listener.nextRequest(TIMEOUT).orElseThrow();
        Connection accepted = request.startAccept(server.queuePair, ConnectionOptions.defaults());
        accepted.awaitEstablished(TIMEOUT);
        connecting.awaitEstablished(TIMEOUT);
        listener.close();
    }
}
