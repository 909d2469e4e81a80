package io.verbena.iwarp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.queue.CompletionRing;
import io.verbena.queue.ReceiveQueue;
import io.verbena.queue.WorkQueue;
import io.verbena.queue.WorkQueues;
import io.verbena.queue.Wqe;
import io.verbena.survival.ExecutionRecord;
import io.verbena.survival.RecordedResult;
import io.verbena.survival.RequestKind;
import io.verbena.survival.ResumePoint;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What outlives a stream: which elements are executed, sent again or recovered. {@code SurvivalWorldTest} has whole
 * connections.
 */
class SurvivingWorkTest {

    private static final long ACKNOWLEDGMENT = 0x56424e4bL << 32;

    private final WorkQueue send = new WorkQueue(64, Wqe.strideBytes(1, 0));
    private final WorkQueue receive = new WorkQueue(4, Wqe.strideBytes(1, 0));
    private final CompletionRing ring = new CompletionRing(64);
    private final ExecutionRecord executions = new ExecutionRecord(SurvivingWork.DEPTH);
    private final SurvivingWork work =
            new SurvivingWork(new WorkQueues(1, true, send, new ReceiveQueue(receive), ring, ring), executions);
    private final Wqe wqe = new Wqe();

    private void post(WorkOpcode... opcodes) {
        for (WorkOpcode opcode : opcodes) {
            assertTrue(send.claim(wqe));
            wqe.clear(opcode, WrFlags.SIGNALLED);
            send.written();
        }
        send.publish();
    }

    private void sent(long index) {
        work.onSent(index, send.at(index, wqe), false);
    }

    private static ResumePoint executed(long count, RecordedResult... results) {
        return new ResumePoint(0, count, List.of(results));
    }

    @Test
    void acknowledged_oldestIsExecuted_butNoMoreThanWasSent() {
        post(WorkOpcode.SEND, WorkOpcode.WRITE);
        assertFalse(work.onAcknowledged(ACKNOWLEDGMENT | 1), "nothing was sent");
        sent(0);
        assertFalse(work.oldestExecuted());
        assertTrue(work.onAcknowledged(ACKNOWLEDGMENT | 1));
        assertTrue(work.oldestExecuted());
        assertFalse(work.onAcknowledged(ACKNOWLEDGMENT), "counts do not decrease");
        assertFalse(work.onAcknowledged(ACKNOWLEDGMENT | 2), "the second one was not sent");
    }

    @Test
    void answered_everythingBeforeIsExecuted() {
        post(WorkOpcode.SEND, WorkOpcode.READ, WorkOpcode.SEND);
        for (int i = 0; i < 3; i++) {
            sent(i);
        }
        work.onAnswered(1);
        assertTrue(work.oldestExecuted());
        assertFalse(work.agreesWith(executed(1)), "the peer has answered the second request");
        assertTrue(work.agreesWith(executed(2)));
    }

    @Test
    void resumed_executedIsRecovered_readsAndTheRestAreRepeated() {
        post(WorkOpcode.WRITE, WorkOpcode.READ, WorkOpcode.FETCH_AND_ADD, WorkOpcode.LOCAL_INVALIDATE, WorkOpcode.SEND);
        for (int i = 0; i < 5; i++) {
            if (i == 3) {
                work.onSkipped(i);
            } else {
                sent(i);
            }
        }
        assertFalse(work.agreesWith(executed(3)), "the result of the atomic is missing");
        assertFalse(work.agreesWith(executed(5, new RecordedResult(3, 9))), "only four messages were sent");
        ResumePoint point = executed(3, new RecordedResult(3, 9));
        assertTrue(work.agreesWith(point));
        work.resume(point);
        boolean[] recovered = {true, false, true, true, false};
        for (int i = 0; i < 5; i++) {
            assertEquals(recovered[i], work.executedEarlier(send.at(i, wqe)), "element " + i);
        }
        assertEquals(9, work.result(send.at(2, wqe)));
        assertEquals(2, work.recovered());
        assertEquals(2, work.repeated());
    }

    @Test
    void writeWithImmediate_isTwoMessages_andResumesInItsMiddle() {
        post(WorkOpcode.WRITE_WITH_IMMEDIATE, WorkOpcode.WRITE_WITH_IMMEDIATE);
        sent(0);
        work.onSent(1, send.at(1, wqe), true);
        assertTrue(work.agreesWith(executed(3)));
        assertFalse(work.agreesWith(executed(4)));
        work.resume(executed(3));
        assertTrue(work.executedEarlier(send.at(0, wqe)));
        assertTrue(work.halfExecutedEarlier(send.at(1, wqe)));
        sent(1);
        assertTrue(work.agreesWith(executed(4)), "the second half counts once");
        assertFalse(work.agreesWith(executed(5)));
    }

    @Test
    void writeWithImmediate_ofWhichNothingWasExecuted_isSentAgainAndCountsOnce() {
        post(WorkOpcode.WRITE_WITH_IMMEDIATE);
        work.onSent(0, send.at(0, wqe), true);
        work.resume(executed(0));
        assertFalse(work.halfExecutedEarlier(send.at(0, wqe)));
        work.onSent(0, send.at(0, wqe), true);
        sent(0);
        assertTrue(work.agreesWith(executed(2)));
        assertFalse(work.agreesWith(executed(3)));
    }

    @Test
    void readsAndAtomics_areLimitedToWhatThePeerRemembers() {
        for (int i = 0; i < SurvivingWork.DEPTH; i++) {
            post(WorkOpcode.FETCH_AND_ADD);
            assertTrue(work.mayAsk(i));
            sent(i);
        }
        assertFalse(work.mayAsk(SurvivingWork.DEPTH));
        assertTrue(work.mayAsk(0), "what was sent already may be sent again");
    }

    @Test
    void executed_isStatedUnlessAnAnswerSaysIt() {
        assertTrue(work.onExecuted(RequestKind.READ, 0));
        assertFalse(work.counts().owes(0));
        assertTrue(work.onExecuted(RequestKind.WRITE, 0));
        assertTrue(work.counts().owes(0));
        assertEquals(ACKNOWLEDGMENT | 2, work.acknowledgment());
        assertFalse(work.counts().owes(2), "it is in the list already");
        work.counts().onStated(2, 0);
        assertFalse(work.counts().owes(0));
    }

    @Test
    void repetition_thatIsNoRead_isAViolation() {
        assertTrue(work.onExecuted(RequestKind.READ, 0));
        executions.resume(new ResumePoint(0, 0, List.of()));
        assertFalse(work.onExecuted(RequestKind.WRITE, 0));
        assertTrue(work.onExecuted(RequestKind.READ, 0));
        assertTrue(work.onExecuted(RequestKind.WRITE, 0));
    }
}
