package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.SocketAddress;
import java.time.Duration;

/** One side of a connection in a test: a domain, a CQ, a queue pair and 1 MiB of memory. */
public final class Site {

    static final int MEMORY = 1 << 20;
    public static final Duration PATIENCE = Duration.ofSeconds(20);

    public final Rnic rnic;
    public final ProtectionDomain domain;
    public final CompletionQueue cq;
    public final QueuePair queuePair;
    public final MemoryRegion memory;
    public final CompletionCursor cursor;

    public Site(Rnic rnic) {
        this.rnic = rnic;
        domain = rnic.allocateProtectionDomain();
        cq = rnic.createCompletionQueue(256);
        queuePair = domain.createQueuePair(QueuePairOptions.of(cq));
        memory = domain.allocate(
                MEMORY,
                AccessRight.LOCAL_WRITE,
                AccessRight.REMOTE_READ,
                AccessRight.REMOTE_WRITE,
                AccessRight.REMOTE_ATOMIC);
        cursor = cq.cursor();
    }

    /** Connects two sites, whichever thread drives them. */
    public static void connect(Site near, Site far) throws IOException {
        connect(near, far, StreamProbe.loopback(0));
    }

    /** Connects two sites; the far one listens at this address. */
    static void connect(Site near, Site far, SocketAddress at) throws IOException {
        connect(near, far, at, ConnectionOptions.defaults());
    }

    /** The same with options of both sides. Returns the connection of the near one. */
    static Connection connect(Site near, Site far, SocketAddress at, ConnectionOptions options) throws IOException {
        try (Listener listener = far.rnic.listen(at)) {
            Connection opening = near.rnic.startConnect(near.queuePair, listener.localAddress(), options);
            ConnectionRequest request = listener.nextRequest(PATIENCE).orElseThrow();
            Connection accepted = request.startAccept(far.queuePair, options);
            opening.awaitEstablished(PATIENCE);
            accepted.awaitEstablished(PATIENCE);
            return opening;
        }
    }

    /** Connects two queue pairs of one RNIC. */
    static void connect(Rnic rnic, QueuePair near, QueuePair far) throws IOException {
        try (Listener listener = rnic.listen(StreamProbe.loopback(0))) {
            Connection opening = rnic.startConnect(near, listener.localAddress(), ConnectionOptions.defaults());
            Connection accepted =
                    listener.nextRequest(PATIENCE).orElseThrow().startAccept(far, ConnectionOptions.defaults());
            opening.awaitEstablished(PATIENCE);
            accepted.awaitEstablished(PATIENCE);
        }
    }

    /** Adds 1 to a word of another site; the result is stored at {@code result}. */
    void add(long id, long result, Site other, long counter) {
        assertTrue(queuePair.postFetchAndAdd(
                id,
                memory,
                result,
                other.memory.remote().address() + counter,
                other.memory.rkey(),
                1,
                WrFlags.SIGNALLED));
    }

    long word(long offset) {
        return memory.segment().get(ValueLayout.JAVA_LONG, offset);
    }

    /** Takes the next completion, which must be a good one. */
    public void complete(long wrId) {
        boolean there = cursor.next() || (cq.await(PATIENCE) && cursor.next());
        assertTrue(there, () -> "no completion for " + wrId + " on " + queuePair);
        assertTrue(cursor.ok(), () -> cursor.status() + ": " + cursor.reason());
        assertEquals(wrId, cursor.wrId());
    }

    public void fill(int offset, int length, int seed) {
        for (int i = 0; i < length; i++) {
            memory.segment().set(ValueLayout.JAVA_BYTE, offset + i, (byte) (seed + i * 7 + (i >> 8)));
        }
    }

    public void expect(int offset, int length, int seed) {
        for (int i = 0; i < length; i++) {
            byte found = memory.segment().get(ValueLayout.JAVA_BYTE, offset + i);
            byte wanted = (byte) (seed + i * 7 + (i >> 8));
            if (found != wanted) {
                assertEquals(wanted, found, "byte " + i);
            }
        }
    }

    /** Send, Write and Read of one length between two connected sites, checked byte by byte. */
    public static void exchange(Site near, Site far, int length, int seed) {
        int half = MEMORY / 2;
        assertTrue(far.queuePair.postReceive(1, far.memory, 0, length));
        near.fill(0, length, seed);
        assertTrue(near.queuePair.postSend(2, near.memory, 0, length, WrFlags.SIGNALLED));
        near.complete(2);
        far.complete(1);
        assertEquals(length, far.cursor.byteCount());
        far.expect(0, length, seed);

        near.fill(0, length, seed + 1);
        near.queuePair.postWrite(3, near.memory, 0, length, far.memory.remote(), half, WrFlags.SIGNALLED);
        near.complete(3);
        near.queuePair.postRead(4, near.memory, half, length, far.memory.remote(), half, WrFlags.SIGNALLED);
        near.complete(4);
        near.expect(half, length, seed + 1);
        far.expect(half, length, seed + 1);
    }
}
