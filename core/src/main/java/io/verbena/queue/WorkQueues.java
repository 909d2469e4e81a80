package io.verbena.queue;

import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.WorkOpcode;

/**
 * Both queues of a queue pair and the rings on which their work completes. Only the engine that owns the queue pair calls this.
 *
 * <p>Work completes in order and exactly once. Its slot is returned before its completion is published, so a program that polls
 * a completion can post again at once. A full ring loses nothing: the method returns false, the work stays in its queue, {@link
 * #overflowed} returns true, and the caller tries again later.
 */
public final class WorkQueues {

    private final int queuePairNumber;
    private final boolean signalAll;
    private final WorkQueue send;
    private final ReceiveQueue receive;
    private CompletionRing sendRing;
    private CompletionRing receiveRing;
    private final Wqe wqe = new Wqe();
    private final Cqe cqe = new Cqe();
    private final WorkTally tally = new WorkTally();
    private boolean overflowed;
    private boolean firstFailureReported;

    /** Index of the oldest send element that did not succeed; -1 if there is none. */
    private long firstFailedSend = -1;

    public WorkQueues(
            int queuePairNumber,
            boolean signalAll,
            WorkQueue send,
            ReceiveQueue receive,
            CompletionRing sendRing,
            CompletionRing receiveRing) {
        this.queuePairNumber = queuePairNumber;
        this.signalAll = signalAll;
        this.send = send;
        this.receive = receive;
        this.sendRing = sendRing;
        this.receiveRing = receiveRing;
    }

    /** Number of the queue pair. */
    public int queuePairNumber() {
        return queuePairNumber;
    }

    public WorkQueue send() {
        return send;
    }

    public ReceiveQueue receive() {
        return receive;
    }

    /** Counts of the work that has completed. */
    public WorkTally tally() {
        return tally;
    }

    /** Replaces the rings on which work completes, after a CQ was resized. */
    public void rings(CompletionRing newSendRing, CompletionRing newReceiveRing) {
        sendRing = newSendRing;
        receiveRing = newReceiveRing;
    }

    /** Whether a completion found its ring full. */
    public boolean overflowed() {
        return overflowed;
    }

    /**
     * Completes the oldest send element.
     *
     * @return false if the CQ is full; nothing has changed then
     */
    public boolean completeSend(CompletionStatus status) {
        send.at(send.retired(), wqe);
        CompletionOpcode opcode = completionOf(wqe.opcode());
        boolean visible = signalAll || wqe.signalled() || status != CompletionStatus.SUCCESS;
        if (!visible) {
            tally.add(opcode, status, wqe.length());
            send.retire();
            return true;
        }
        if (!sendRing.claim(cqe)) {
            overflowed = true;
            return false;
        }
        tally.add(opcode, status, wqe.length());
        if (status != CompletionStatus.SUCCESS && firstFailedSend < 0) {
            firstFailedSend = send.retired();
        }
        cqe.fill(wqe.wrId(), status, opcode, queuePairNumber, wqe.length());
        int cause = cause(status, false, wqe.notifies()) | CompletionRing.type(opcode);
        send.retire();
        sendRing.publish(cause);
        return true;
    }

    /** Whether {@link #completePosted} is possible now. */
    public boolean mayComplete(Wqe posted) {
        return !(signalAll || posted.signalled()) || sendRing.claim(cqe);
    }

    /** Completes a request that has succeeded without ever being in the send queue, which is empty, after {@link #mayComplete}. */
    public void completePosted(Wqe posted) {
        CompletionOpcode opcode = completionOf(posted.opcode());
        tally.add(opcode, CompletionStatus.SUCCESS, posted.length());
        if (signalAll || posted.signalled()) {
            cqe.fill(posted.wrId(), CompletionStatus.SUCCESS, opcode, queuePairNumber, posted.length());
            sendRing.publish(cause(CompletionStatus.SUCCESS, false, posted.notifies()) | CompletionRing.type(opcode));
        }
    }

    /** Whether {@link #completeReceive} has space for its entry now. */
    public boolean mayCompleteReceive() {
        return receiveRing.claim(cqe);
    }

    /**
     * Completes the oldest receive element.
     *
     * @return false if the CQ is full; nothing has changed then
     */
    public boolean completeReceive(CompletionStatus status, Arrival arrival) {
        receive.at(receive.retired(), wqe);
        if (!receiveRing.claim(cqe)) {
            overflowed = true;
            return false;
        }
        cqe.fill(wqe.wrId(), status, arrival.opcode, queuePairNumber, arrival.byteCount);
        if (arrival.hasImmediate) {
            cqe.immediate(arrival.immediate);
        }
        if (arrival.hasInvalidatedKey) {
            cqe.invalidatedKey(arrival.invalidatedKey);
        }
        if (arrival.hasSource) {
            cqe.source(arrival.sourceQueuePair, arrival.sourceLid, arrival.datagramDetails, arrival.hasGlobalHeader);
        }
        if (arrival.solicited) {
            cqe.solicitedEvent();
        }
        tally.add(arrival.opcode, status, arrival.byteCount);
        int cause = cause(status, arrival.solicited, wqe.notifies()) | CompletionRing.type(arrival.opcode);
        receive.retire();
        receiveRing.publish(cause);
        return true;
    }

    /**
     * Completes the oldest receive elements, whose Sends arrived after a hole that has closed: publishes one entry for each,
     * which refers to the details in the element.
     *
     * @return false if the CQ is full; the remaining elements are not complete then
     */
    public boolean completeEarlyReceives(int count) {
        EarlyArrivals arrivals = receive.arrivals();
        for (int i = 0; i < count; i++) {
            long index = receive.retired();
            assert arrivals.stored(index);
            if (!receiveRing.claim(cqe)) {
                overflowed = true;
                return false;
            }
            arrivals.publish(index);
            receiveRing.refer(cqe, arrivals, index, queuePairNumber);
            tally.add(CompletionOpcode.RECEIVE, CompletionStatus.SUCCESS, arrivals.lengthBytes(index));
            boolean solicited = arrivals.solicited(index);
            receive.retire();
            receiveRing.publish(cause(CompletionStatus.SUCCESS, solicited, arrivals.notifies(index))
                    | CompletionRing.type(CompletionOpcode.RECEIVE));
        }
        return true;
    }

    /**
     * Completes all remaining work. If the oldest receive has a failure status ({@link Wqe#fail}), it completes first, with this
     * status, and no send is to blame. A send that has one completes with it. If no send has one, the oldest one completes with {@code firstSend} at the
     * first call. All other work is flushed.
     *
     * @return true when no work is left; false when a CQ is full and the method must be called again
     */
    public boolean flush(CompletionStatus firstSend) {
        if (receive.retired() < receive.posted()
                && receive.at(receive.retired(), wqe).failed()) {
            if (!completeReceive(wqe.failure(), Arrival.NONE)) {
                return false;
            }
            firstFailureReported = true;
        }
        while (send.retired() < send.posted()) {
            if (!completeSend(flushStatus(firstSend))) {
                return false;
            }
            firstFailureReported = true;
        }
        firstFailureReported = true;
        while (receive.retired() < receive.posted()) {
            if (!completeReceive(CompletionStatus.FLUSHED, Arrival.NONE)) {
                return false;
            }
        }
        return true;
    }

    private CompletionStatus flushStatus(CompletionStatus firstSend) {
        if (send.at(send.retired(), wqe).failed()) {
            return wqe.failure();
        }
        if (firstFailureReported || failedSendPending()) {
            return CompletionStatus.FLUSHED;
        }
        return firstSend;
    }

    private boolean failedSendPending() {
        for (long i = send.retired(); i < send.posted(); i++) {
            if (send.at(i, wqe).failed()) {
                return true;
            }
        }
        return false;
    }

    private static int cause(CompletionStatus status, boolean solicited, boolean requested) {
        return (status == CompletionStatus.SUCCESS ? 0 : CompletionRing.FAILED)
                | (solicited ? CompletionRing.SOLICITED : 0)
                | (requested ? CompletionRing.REQUESTED : 0);
    }

    /** Whether no work is left in either queue. */
    public boolean isEmpty() {
        return sendsDone() && receive.retired() == receive.posted();
    }

    /** Whether all work of the send queue is complete. */
    public boolean sendsDone() {
        return send.retired() == send.posted();
    }

    /** Number of elements of the send queue that have failed or are not complete. */
    public long unsuccessfulSends() {
        return send.posted() - (firstFailedSend < 0 ? send.retired() : firstFailedSend);
    }

    /** Prepares the queues for another connection. */
    public void restart() {
        overflowed = false;
        firstFailureReported = false;
        firstFailedSend = -1;
    }

    private static CompletionOpcode completionOf(WorkOpcode opcode) {
        return switch (opcode) {
            case SEND, SEND_WITH_INVALIDATE, SEND_WITH_IMMEDIATE -> CompletionOpcode.SEND;
            case WRITE, WRITE_WITH_IMMEDIATE -> CompletionOpcode.WRITE;
            case READ, READ_WITH_INVALIDATE -> CompletionOpcode.READ;
            case COMPARE_AND_SWAP -> CompletionOpcode.COMPARE_AND_SWAP;
            case FETCH_AND_ADD -> CompletionOpcode.FETCH_AND_ADD;
            case BIND, UNBIND -> CompletionOpcode.BIND;
            case LOCAL_INVALIDATE -> CompletionOpcode.LOCAL_INVALIDATE;
            case DELAY -> CompletionOpcode.DELAY;
            case RECEIVE -> CompletionOpcode.RECEIVE;
        };
    }
}
