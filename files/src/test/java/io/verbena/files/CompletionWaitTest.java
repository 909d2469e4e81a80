package io.verbena.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.files.CompletionWait.Result;
import io.verbena.files.failure.WorkFailure;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Waits for completions of one end of a connection within a process, and the sentences about failed work. */
class CompletionWaitTest {

    private static final Duration MOMENT = Duration.ofMillis(1);

    private final Rnic rnic = Rnic.open(RnicOptions.defaults());
    private final ProtectionDomain pd = rnic.allocateProtectionDomain();
    private final CompletionQueue cq = rnic.createCompletionQueue(8);
    private final CompletionQueue theirCq = rnic.createCompletionQueue(8);
    private final QueuePair local = pd.createQueuePair(QueuePairOptions.of(cq));
    private final QueuePair remote = pd.createQueuePair(QueuePairOptions.of(theirCq));
    private final MemoryRegion memory = pd.allocate(64);
    private final AtomicBoolean stop = new AtomicBoolean();
    private final CompletionWait wait = new CompletionWait(cq, Duration.ZERO, stop::get);

    @BeforeEach
    void connect() throws IOException {
        try (Listener listener = rnic.listen(FileSite.ANY)) {
            Connection connection = rnic.startConnect(local, listener.localAddress(), ConnectionOptions.defaults());
            listener.nextRequest(FileSite.LONGEST).orElseThrow().accept(remote);
            connection.awaitEstablished(FileSite.LONGEST);
        }
    }

    @AfterEach
    void close() {
        rnic.close();
    }

    @Test
    void workSucceeds_isCompleted_alsoWhenTheEndIsRequested() {
        assertTrue(local.postWrite(7, memory, 0, 0, 0, 0, WrFlags.SIGNALLED));
        assertTrue(wait.ready(FileSite.LONGEST));
        stop.set(true);
        assertEquals(Result.COMPLETED, wait.next(MOMENT));
        assertEquals(7, wait.cursor().wrId());
        assertFalse(wait.stalled());
    }

    @Test
    void nothingCompletes_expires_andTheWaitIsStalled() {
        assertEquals(Result.EXPIRED, wait.next(MOMENT));
        assertTrue(wait.stalled());
    }

    @Test
    void endRequested_isStoppedAtOnce_andNotStalled() {
        stop.set(true);
        assertEquals(Result.STOPPED, wait.next(FileSite.LONGEST));
        assertFalse(wait.stalled());
    }

    @Test
    void endRequestedWithGrace_completionOfThatTimeIsTaken() {
        CompletionWait patient = new CompletionWait(cq, FileSite.LONGEST, () -> {
            // The request and the work come together: the work completes within the grace time.
            if (stop.compareAndSet(false, true)) {
                assertTrue(local.postWrite(8, memory, 0, 0, 0, 0, WrFlags.SIGNALLED));
            }
            return true;
        });
        assertEquals(Result.COMPLETED, patient.next(FileSite.LONGEST));
        assertEquals(8, patient.cursor().wrId());
    }

    @Test
    void peerCloses_pendingReceiveFails_andTheSentenceSaysSo() {
        assertTrue(local.postReceive(9, memory, 0, 0));
        remote.connection().orElseThrow().disconnect();
        assertEquals(Result.FAILED, wait.next(FileSite.LONGEST));
        WorkFailure failure = WorkFailure.of(wait.cursor());
        assertEquals(new WorkFailure(WorkFailure.Kind.PEER_CLOSED, ""), failure);
        assertEquals(
                "The server closed the connection while the client waited for an answer",
                failure.sentence("The server", "the client", "an answer"));
    }

    @Test
    void peerIsGone_connectionKnowsTheReason() {
        assertTrue(local.postReceive(9, memory, 0, 0));
        remote.close();
        assertEquals(Result.FAILED, wait.next(FileSite.LONGEST));
        WorkFailure failure = WorkFailure.of(wait.cursor());
        assertEquals(WorkFailure.Kind.CONNECTION_ENDED, failure.kind());
        assertEquals(local.connection().orElseThrow().reason(), failure.reason());
        assertEquals(
                "The connection ended while this side waited for an answer: " + failure.reason(),
                failure.sentence("The peer", "this side", "an answer"));
    }

    @Test
    void workItselfFails_itsReasonIsReported() {
        assertTrue(local.postRead(8, memory, 0, 8, memory.address(), memory.rkey() ^ 1, WrFlags.SIGNALLED));
        assertEquals(Result.FAILED, wait.next(FileSite.LONGEST));
        WorkFailure failure = WorkFailure.of(wait.cursor());
        assertEquals(WorkFailure.Kind.WORK_FAILED, failure.kind());
        assertEquals(wait.cursor().reason(), failure.reason());
        assertEquals(
                "Work failed while this side waited for bytes: " + failure.reason(),
                failure.sentence("The peer", "this side", "bytes"));
    }
}
