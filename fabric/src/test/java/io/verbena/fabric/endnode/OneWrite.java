package io.verbena.fabric.endnode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.WrFlags;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;

/** A program of two endnodes: one connects to an address of the other and writes to its memory. */
final class OneWrite {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private OneWrite() {}

    static void run(Endnode a, Endnode b, InetSocketAddress to, int bytes) throws Exception {
        ProtectionDomain domainA = a.rnic().allocateProtectionDomain();
        ProtectionDomain domainB = b.rnic().allocateProtectionDomain();
        CompletionQueue cqA = a.rnic().createCompletionQueue(16);
        QueuePair source = domainA.createQueuePair(QueuePairOptions.of(cqA));
        QueuePair target = domainB.createQueuePair(QueuePairOptions.of(b.rnic().createCompletionQueue(16)));
        try (Listener listener = b.rnic().listen(b.address(to.getPort()))) {
            Connection first = a.rnic().startConnect(source, to, ConnectionOptions.defaults());
            Connection second =
                    listener.nextRequest(SECOND).orElseThrow().startAccept(target, ConnectionOptions.defaults());
            first.awaitEstablished(SECOND);
            second.awaitEstablished(SECOND);
        }
        MemoryRegion from = domainA.allocate(bytes, AccessRight.LOCAL_WRITE);
        MemoryRegion into = domainB.allocate(bytes, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE);
        from.segment().fill((byte) 5);
        source.postWrite(1, from, 0, bytes, into.remote(), 0, WrFlags.SIGNALLED);
        CompletionCursor cursor = cqA.cursor();
        assertTrue(cqA.await(SECOND));
        assertTrue(cursor.next());
        assertEquals(CompletionStatus.SUCCESS, cursor.status());
        assertEquals(-1, from.segment().mismatch(into.segment()));
        assertEquals(5, into.segment().get(ValueLayout.JAVA_BYTE, bytes - 1));
    }
}
