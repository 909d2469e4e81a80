package io.verbena.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The one place where work ends. */
class WorkQueuesTest {

    private static final int NUMBER = 77;

    private final WorkQueue send = new WorkQueue(16, Wqe.strideBytes(1, 0));
    private final WorkQueue receive = new WorkQueue(16, Wqe.strideBytes(1, 0));
    private CompletionRing sends = new CompletionRing(16);
    private CompletionRing receives = new CompletionRing(16);
    private final WorkQueues queues = new WorkQueues(NUMBER, false, send, new ReceiveQueue(receive), sends, receives);
    private final Wqe wqe = new Wqe();
    private final Cqe cqe = new Cqe();

    private void post(long id, WorkOpcode opcode, WrFlags flags) {
        WorkQueue queue = opcode == WorkOpcode.RECEIVE ? receive : send;
        assertTrue(queue.claim(wqe));
        wqe.clear(opcode, flags).wrId(id).addElement(1, 0, 100 + (int) id);
        queue.written();
        queue.publish();
    }

    private void post(long id) {
        post(id, WorkOpcode.SEND, WrFlags.SIGNALLED);
    }

    private void postReceive(long id) {
        post(id, WorkOpcode.RECEIVE, WrFlags.SIGNALLED);
    }

    private List<String> taken(CompletionRing ring) {
        List<String> all = new ArrayList<>();
        while (ring.peek(cqe)) {
            assertEquals(NUMBER, cqe.queuePairNumber());
            all.add(cqe.wrId() + " " + cqe.opcode() + " " + cqe.status() + " " + cqe.byteCount()
                    + (cqe.hasImmediate() ? " imm " + cqe.immediate() : "")
                    + (cqe.hasInvalidatedKey() ? " key " + cqe.invalidatedKey() : "")
                    + (cqe.solicited() ? " solicited" : ""));
            ring.release();
        }
        return all;
    }

    @Test
    void sends_complete_inOrderOnTheirRing() {
        post(1);
        post(2);
        assertTrue(queues.completeSend(CompletionStatus.SUCCESS));
        assertEquals(List.of("1 SEND SUCCESS 101"), taken(sends));
        assertTrue(queues.completeSend(CompletionStatus.REMOTE_ACCESS));
        assertEquals(List.of("2 SEND REMOTE_ACCESS 102"), taken(sends));
        assertEquals(List.of(), taken(receives));
        assertEquals(2, send.retired());
        assertEquals(NUMBER, queues.queuePairNumber());
        assertTrue(queues.isEmpty());
    }

    @Test
    void unsignalled_succeeds_isNotReported_failsIs() {
        post(1, WorkOpcode.SEND, WrFlags.UNSIGNALLED);
        post(2, WorkOpcode.SEND, WrFlags.UNSIGNALLED);
        assertTrue(queues.completeSend(CompletionStatus.SUCCESS));
        assertEquals(1, send.retired());
        assertEquals(List.of(), taken(sends));
        assertEquals(0, sends.published());
        assertTrue(queues.completeSend(CompletionStatus.FLUSHED));
        assertEquals(List.of("2 SEND FLUSHED 102"), taken(sends));
    }

    @Test
    void signalAll_unsignalled_isReported() {
        WorkQueues all = new WorkQueues(NUMBER, true, send, new ReceiveQueue(receive), sends, receives);
        post(1, WorkOpcode.SEND, WrFlags.UNSIGNALLED);
        assertTrue(all.completeSend(CompletionStatus.SUCCESS));
        assertEquals(List.of("1 SEND SUCCESS 101"), taken(sends));
    }

    @ParameterizedTest
    @EnumSource
    void everyWork_completes_withItsOpcode(WorkOpcode opcode) {
        post(1, opcode, WrFlags.SIGNALLED);
        if (opcode == WorkOpcode.RECEIVE) {
            Arrival arrival = new Arrival().of(CompletionOpcode.RECEIVE, 5, false);
            assertTrue(queues.completeReceive(CompletionStatus.SUCCESS, arrival));
            assertEquals(List.of("1 RECEIVE SUCCESS 5"), taken(receives));
            return;
        }
        assertTrue(queues.completeSend(CompletionStatus.SUCCESS));
        String expected = switch (opcode) {
            case SEND_WITH_INVALIDATE, SEND_WITH_IMMEDIATE -> "SEND";
            case WRITE_WITH_IMMEDIATE -> "WRITE";
            case READ_WITH_INVALIDATE -> "READ";
            case UNBIND -> "BIND";
            default -> opcode.name();
        };
        assertEquals(List.of("1 " + expected + " SUCCESS 101"), taken(sends));
        assertEquals(CompletionRing.type(CompletionOpcode.valueOf(expected)), sends.takeCauses());
    }

    @Test
    void receiveFailed_cqFullAtFirst_completesBeforeFlushedWorkWithItsStatus() {
        receives = new CompletionRing(1);
        queues.rings(sends, receives);
        postReceive(1);
        postReceive(2);
        postReceive(3);
        assertTrue(queues.completeReceive(CompletionStatus.SUCCESS, new Arrival()));
        receive.at(receive.retired(), wqe).fail(CompletionStatus.LOCAL_LENGTH);
        post(9);
        assertFalse(queues.flush(CompletionStatus.PROTOCOL));
        assertEquals(List.of(), taken(sends), "the failed receive is the first");
        assertEquals(List.of("1 RECEIVE SUCCESS 0"), taken(receives));
        assertFalse(queues.flush(CompletionStatus.PROTOCOL));
        assertEquals(List.of("2 RECEIVE LOCAL_LENGTH 0"), taken(receives));
        assertTrue(queues.flush(CompletionStatus.PROTOCOL));
        assertEquals(List.of("9 SEND FLUSHED 109"), taken(sends));
        assertEquals(List.of("3 RECEIVE FLUSHED 0"), taken(receives));
    }

    @Test
    void receives_complete_withAllThatArrived() {
        postReceive(1);
        postReceive(2);
        postReceive(3);
        Arrival arrival = new Arrival();
        arrival.of(CompletionOpcode.RECEIVE_WRITE_IMMEDIATE, 1L << 33, true).immediate(-5);
        assertTrue(queues.completeReceive(CompletionStatus.SUCCESS, arrival));
        assertEquals(
                CompletionRing.SOLICITED | CompletionRing.type(CompletionOpcode.RECEIVE_WRITE_IMMEDIATE),
                receives.takeCauses());
        arrival.of(CompletionOpcode.RECEIVE, 8, false).invalidatedKey(-6);
        assertTrue(queues.completeReceive(CompletionStatus.SUCCESS, arrival));
        arrival.of(CompletionOpcode.RECEIVE, 9, false);
        assertTrue(queues.completeReceive(CompletionStatus.LOCAL_MEMORY, arrival));
        assertEquals(
                List.of(
                        "1 RECEIVE_WRITE_IMMEDIATE SUCCESS 8589934592 imm -5 solicited",
                        "2 RECEIVE SUCCESS 8 key -6",
                        "3 RECEIVE LOCAL_MEMORY 9"),
                taken(receives));
        assertEquals(3, receive.retired());
        assertEquals(CompletionRing.FAILED | CompletionRing.type(CompletionOpcode.RECEIVE), receives.takeCauses());
    }

    @Test
    void causes_requested_areReportedForBothQueues() {
        post(1, WorkOpcode.WRITE, WrFlags.SIGNALLED.withNotify());
        assertTrue(queues.completeSend(CompletionStatus.SUCCESS));
        assertEquals(CompletionRing.REQUESTED | CompletionRing.type(CompletionOpcode.WRITE), sends.takeCauses());
        post(2, WorkOpcode.WRITE, WrFlags.SIGNALLED.withSolicited());
        assertTrue(queues.completeSend(CompletionStatus.FLUSHED));
        assertEquals(CompletionRing.FAILED | CompletionRing.type(CompletionOpcode.WRITE), sends.takeCauses());
        post(3, WorkOpcode.RECEIVE, WrFlags.SIGNALLED.withNotify());
        assertTrue(
                queues.completeReceive(CompletionStatus.SUCCESS, new Arrival().of(CompletionOpcode.RECEIVE, 0, false)));
        assertEquals(CompletionRing.REQUESTED | CompletionRing.type(CompletionOpcode.RECEIVE), receives.takeCauses());
    }

    @Test
    void ringIsFull_workStaysAndCompletesLater() {
        sends = new CompletionRing(1);
        receives = new CompletionRing(1);
        queues.rings(sends, receives);
        post(1);
        post(2);
        postReceive(3);
        postReceive(4);
        assertTrue(queues.completeSend(CompletionStatus.SUCCESS));
        assertFalse(queues.overflowed());
        assertFalse(queues.completeSend(CompletionStatus.SUCCESS));
        assertTrue(queues.overflowed());
        assertEquals(1, send.retired());
        queues.restart();
        assertFalse(queues.overflowed());
        Arrival arrival = new Arrival().of(CompletionOpcode.RECEIVE, 1, false);
        assertTrue(queues.completeReceive(CompletionStatus.SUCCESS, arrival));
        assertFalse(queues.completeReceive(CompletionStatus.SUCCESS, arrival));
        assertTrue(queues.overflowed());
        assertEquals(1, receive.retired());
        assertEquals(List.of("1 SEND SUCCESS 101"), taken(sends));
        assertEquals(List.of("3 RECEIVE SUCCESS 1"), taken(receives));
        assertTrue(queues.completeSend(CompletionStatus.SUCCESS));
        assertEquals(List.of("2 SEND SUCCESS 102"), taken(sends));
    }

    @Test
    void flush_noCulprit_theOldestSendGetsTheReason() {
        for (int i = 1; i <= 3; i++) {
            post(i, WorkOpcode.SEND, WrFlags.UNSIGNALLED);
            postReceive(10 + i);
        }
        assertFalse(queues.isEmpty());
        assertTrue(queues.flush(CompletionStatus.CONNECTION_LOST));
        assertEquals(List.of("1 SEND CONNECTION_LOST 101", "2 SEND FLUSHED 102", "3 SEND FLUSHED 103"), taken(sends));
        assertEquals(List.of("11 RECEIVE FLUSHED 0", "12 RECEIVE FLUSHED 0", "13 RECEIVE FLUSHED 0"), taken(receives));
        assertTrue(queues.isEmpty());
        post(4);
        assertTrue(queues.flush(CompletionStatus.CONNECTION_LOST), "work that is posted after it is flushed");
        assertEquals(List.of("4 SEND FLUSHED 104"), taken(sends));
        queues.restart();
        post(5);
        assertTrue(queues.flush(CompletionStatus.CRC), "another connection");
        assertEquals(List.of("5 SEND CRC 105"), taken(sends));
    }

    @Test
    void flush_nothingPending_whatComesLaterIsFlushed() {
        assertTrue(queues.flush(CompletionStatus.CONNECTION_LOST));
        post(1);
        assertTrue(queues.flush(CompletionStatus.CONNECTION_LOST));
        assertEquals(List.of("1 SEND FLUSHED 101"), taken(sends));
    }

    @Test
    void flush_aCulprit_getsItsStatusAndTheOthersAreFlushed() {
        for (int i = 1; i <= 3; i++) {
            post(i);
        }
        send.at(1, wqe).fail(CompletionStatus.REMOTE_ACCESS);
        assertTrue(queues.flush(CompletionStatus.CONNECTION_LOST));
        assertEquals(List.of("1 SEND FLUSHED 101", "2 SEND REMOTE_ACCESS 102", "3 SEND FLUSHED 103"), taken(sends));
    }

    @Test
    void flush_ringsAreFull_goesOnWhereItStopped() {
        sends = new CompletionRing(1);
        receives = new CompletionRing(1);
        queues.rings(sends, receives);
        post(1);
        post(2);
        postReceive(3);
        postReceive(4);
        assertFalse(queues.flush(CompletionStatus.CRC));
        assertEquals(List.of("1 SEND CRC 101"), taken(sends));
        assertFalse(queues.flush(CompletionStatus.CRC));
        assertEquals(List.of("2 SEND FLUSHED 102"), taken(sends));
        assertEquals(List.of("3 RECEIVE FLUSHED 0"), taken(receives));
        assertFalse(queues.isEmpty());
        assertTrue(queues.flush(CompletionStatus.CRC));
        assertEquals(List.of("4 RECEIVE FLUSHED 0"), taken(receives));
        assertTrue(queues.isEmpty());
    }

    @Test
    void isEmpty_eitherQueueHasWork_isFalse() {
        assertTrue(queues.isEmpty());
        post(1);
        assertFalse(queues.isEmpty());
        assertTrue(queues.completeSend(CompletionStatus.SUCCESS));
        postReceive(2);
        assertFalse(queues.isEmpty());
        assertEquals(send, queues.send());
        assertEquals(1, queues.receive().posted());
    }
}
