package io.verbena.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Rounds;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.WrFlags;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/**
 * What a copy relies on: every Read completes once, in its order, under its own number, and its bytes are there by then. A
 * stale or doubled completion, which once wrote a chunk to a negative position of the file, shows here at once.
 */
class CompletionsTest {

    private static final int CONNECTIONS = 4;
    private static final int DEPTH = 8;

    /** The queues wrap around after 9 and the words after 1,024. */
    private static final int READS = Rounds.of(4_000, 40_000);

    private static final int WORDS = 1 << 10;

    @Test
    void readsOverSeveralConnections_completeOnceInOrderWithTheirBytes() throws Exception {
        try (Rnic server = Rnic.open();
                Rnic client = Rnic.open();
                Listener listener = server.listen(FileSite.ANY);
                ExecutorService threads = Executors.newFixedThreadPool(CONNECTIONS)) {
            ProtectionDomain theirs = server.allocateProtectionDomain();
            MemoryRegion source = theirs.allocate(WORDS * 8L, AccessRight.REMOTE_READ);
            for (int i = 0; i < WORDS; i++) {
                source.segment().setAtIndex(ValueLayout.JAVA_LONG, i, i);
            }
            CompletionQueue unused = server.createCompletionQueue(64);
            List<Future<Long>> readers = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                ProtectionDomain pd = client.allocateProtectionDomain();
                CompletionQueue cq = client.createCompletionQueue(DEPTH + 1); // it wraps all the time
                QueuePair queuePair = pd.createQueuePair(
                        QueuePairOptions.of(cq).withDepths(DEPTH, 1).withReads(1, DEPTH));
                client.startConnect(queuePair, listener.localAddress(), ConnectionOptions.defaults());
                ConnectionRequest request =
                        listener.nextRequest(FileSite.LONGEST).orElseThrow();
                request.accept(
                        theirs.createQueuePair(QueuePairOptions.of(unused).withReads(DEPTH, 1)));
                queuePair.connection().orElseThrow().awaitEstablished(FileSite.LONGEST);
                RemoteRegion remote = source.remote();
                readers.add(threads.submit((Callable<Long>) () -> read(pd, cq, queuePair, remote)));
            }
            for (Future<Long> reader : readers) {
                assertEquals(READS, reader.get());
            }
        }
    }

    private static long read(ProtectionDomain pd, CompletionQueue cq, QueuePair queuePair, RemoteRegion remote)
            throws Exception {
        MemoryRegion sink = pd.allocate(DEPTH * 8L, AccessRight.LOCAL_WRITE);
        CompletionCursor cursor = cq.cursor();
        long posted = 0;
        long completed = 0;
        while (completed < READS) {
            while (posted < READS && posted - completed < DEPTH) {
                long slot = posted % DEPTH;
                sink.segment().setAtIndex(ValueLayout.JAVA_LONG, slot, -1);
                boolean taken =
                        queuePair.postRead(posted, sink, slot * 8, 8, remote, posted % WORDS * 8, WrFlags.SIGNALLED);
                assertTrue(taken, "the queue has no room for Read " + posted + " although " + completed + " are done");
                posted++;
            }
            if (!cursor.next()) {
                assertTrue(cq.await(FileSite.LONGEST), "Read " + completed + " does not complete");
                continue;
            }
            assertTrue(cursor.ok(), cursor.reason());
            assertEquals(completed, cursor.wrId());
            assertEquals(CompletionOpcode.READ, cursor.opcode());
            assertEquals(queuePair.number(), cursor.queuePairNumber());
            assertEquals(8, cursor.byteCount());
            assertEquals(completed % WORDS, sink.segment().getAtIndex(ValueLayout.JAVA_LONG, completed % DEPTH));
            completed++;
        }
        return completed;
    }
}
