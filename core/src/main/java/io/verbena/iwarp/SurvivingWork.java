package io.verbena.iwarp;

import io.verbena.base.Digest;
import io.verbena.queue.ReceiveQueue;
import io.verbena.queue.WorkQueue;
import io.verbena.queue.WorkQueues;
import io.verbena.queue.Wqe;
import io.verbena.survival.ExecutionRecord;
import io.verbena.survival.RecordedResult;
import io.verbena.survival.RequestKind;
import io.verbena.survival.ResumableRequests;
import io.verbena.survival.ResumePoint;
import io.verbena.verbs.WorkOpcode;
import io.verbena.work.OutlivingWork;
import java.util.List;

/**
 * What outlives the streams of a surviving connection: as requester, which elements of the send queue the peer has
 * executed; as responder, how many requests of the peer were executed.
 *
 * <pre>
 *    retired             handled          posted
 *  ----|====================|----------------|----   send queue
 *      executed or not,     | not sent yet
 *      by earlier streams   |
 * </pre>
 *
 * Numbers count messages from 1 on, which are the requests of the resume exchange: a Write with immediate data is two
 * of
 * them, and work without a frame is none. The peer states its count by an {@linkplain #acknowledgment empty Write}, in
 * the header of each {@linkplain #hint Send}, and implicitly by each answer to a Read or atomic.
 */
public final class SurvivingWork implements ResumableRequests, OutlivingWork {

    /**
     * Maximum number of Reads and atomics that one side may have sent and not completed: their results fit a RESUME.
     */
    public static final int DEPTH = 24;

    /** Upper half of the address of an acknowledgment: "VBNK". The lower half is the lower half of the count. */
    private static final int ACKNOWLEDGMENT = 0x56424e4b;

    /** In {@link Wqe#progress} of an element that is no Read: its messages that an earlier stream has had executed. */
    private static final int EXECUTED = 1;

    private static final int HALF_EXECUTED = 2;

    private final WorkQueue work;
    private final ReceiveQueue receives;
    private final ExecutionRecord executions;
    private final Wqe wqe = new Wqe();

    // As requester.

    /** Messages of the elements before {@link WorkQueue#retired}. */
    private long completed;

    /** Messages that the peer has stated to have executed. */
    private long acknowledged;

    /** Send index after the last element that the peer has answered. */
    private long answeredTo;

    /** Send index after the last element that a stream has sent, or that was executed here. */
    private long handled;

    /** Send index after the last element of which a stream has sent a message. */
    private long sentTo;

    /** Messages of the elements before {@link #handled}, and the first half of the next one, if that was sent. */
    private long sent;

    private boolean halfSent;

    /** Reads and atomics between {@link WorkQueue#retired} and {@link #handled}. */
    private int unanswered;

    private long repeated;
    private long recovered;

    // As responder.

    private final StatedCounts counts = new StatedCounts();
    private boolean afterWrite;
    private long writeBytes;

    /** Of a connection that begins. */
    public SurvivingWork(WorkQueues queues, ExecutionRecord executions) {
        this.executions = executions;
        work = queues.send();
        receives = queues.receive();
        handled = work.retired();
        answeredTo = handled;
    }

    private static int messages(WorkOpcode opcode) {
        return switch (opcode) {
            case BIND, UNBIND, LOCAL_INVALIDATE, DELAY -> 0;
            case WRITE_WITH_IMMEDIATE -> 2;
            default -> 1;
        };
    }

    private static boolean isRead(WorkOpcode opcode) {
        return opcode == WorkOpcode.READ || opcode == WorkOpcode.READ_WITH_INVALIDATE;
    }

    // As requester, over the current stream.

    @Override
    public boolean mayAsk(long index) {
        return index < handled || unanswered < DEPTH;
    }

    /**
     * A message of an element has left.
     *
     * @param half whether it is a Write whose immediate data follow as another message
     */
    void onSent(long index, Wqe element, boolean half) {
        if (index < handled) {
            return;
        }
        if (half) {
            sent += halfSent ? 0 : 1;
            halfSent = true;
            return;
        }
        sent += messages(element.opcode()) - (halfSent ? 1 : 0);
        halfSent = false;
        handled++;
        sentTo = messages(element.opcode()) > 0 ? handled : sentTo;
        unanswered += element.awaitsResponse() ? 1 : 0;
    }

    /** Whether no stream has sent the element, or anything of it. */
    boolean untouched(long index) {
        return index > handled || index == handled && !halfSent;
    }

    /** A Send or Write of one segment, which was {@link #untouched}, has left. */
    void onSentWhole() {
        sent++;
        handled++;
        sentTo = handled;
    }

    @Override
    public void onBegun(long index, Wqe element) {
        onSent(index, element, false);
    }

    @Override
    public void onSkipped(long index) {
        handled = Math.max(handled, index + 1);
    }

    /** The peer has answered a Read or atomic: it has executed everything before it. */
    void onAnswered(long index) {
        answeredTo = Math.max(answeredTo, index + 1);
    }

    /**
     * Whether the oldest element of the send queue, which was sent, was executed by the peer. One without a message was
     * executed here: the peer states nothing about it.
     */
    boolean oldestExecuted() {
        int messages = oldestMessages();
        return messages == 0 || work.retired() < answeredTo || completed + messages <= acknowledged;
    }

    /** Whether the peer has executed everything that was sent: nothing of it is sent again. */
    boolean allExecuted() {
        return acknowledged >= sent || answeredTo >= sentTo;
    }

    private int oldestMessages() {
        return messages(work.at(work.retired(), wqe).opcode());
    }

    @Override
    public int retiring() {
        int messages = oldestMessages();
        return wqe.awaitsResponse() ? -messages : messages;
    }

    @Override
    public void onRetired(int retiring) {
        completed += Math.abs(retiring);
        unanswered -= retiring < 0 ? 1 : 0;
    }

    // Acknowledgments.

    /** Whether the address of an empty Write makes it an acknowledgment. */
    static boolean isAcknowledgment(long address) {
        return (int) (address >>> Integer.SIZE) == ACKNOWLEDGMENT;
    }

    /**
     * A count of the peer has arrived, of which the lower 32 bits count. Returns false if the peer cannot have executed
     * that.
     */
    boolean onAcknowledged(long count) {
        int more = (int) count - (int) acknowledged;
        if (more < 0 || acknowledged + more > sent) {
            return false;
        }
        acknowledged += more;
        return true;
    }

    /** When the peer learns what was executed. */
    StatedCounts counts() {
        return counts;
    }

    /** The count that an acknowledgment states now. */
    long count() {
        return executions.executed();
    }

    /** The address of the empty Write that states the count. */
    long acknowledgment() {
        return (long) ACKNOWLEDGMENT << Integer.SIZE | executions.executed() & 0xffff_ffffL;
    }

    /** The same in 32 bits of the header of a Send; 0 says nothing. */
    int hint() {
        return (int) executions.executed();
    }

    // As responder.

    /**
     * A request of the peer was executed, and everything that it placed can be seen. Returns whether the peer may
     * send such a request now.
     *
     * @param original what an atomic found; of other requests any value
     */
    boolean onExecuted(RequestKind kind, long original) {
        if (!executions.executed(kind, original)) {
            return false;
        }
        if (!kind.answered()) {
            counts.onExecuted(kind, writeBytes, executions.executed());
        }
        return true;
    }

    @Override
    public boolean onServed(Served kind, long original) {
        return onExecuted(
                switch (kind) {
                    case WRITE -> RequestKind.WRITE;
                    case MESSAGE -> RequestKind.SEND;
                    case READ -> RequestKind.READ;
                    case ATOMIC -> RequestKind.ATOMIC;
                },
                original);
    }

    /** A message has ended: what the next one means depends on whether that was a Write. */
    void onMessageEnd(boolean wasWrite, long bytes) {
        afterWrite = wasWrite;
        writeBytes = bytes;
    }

    /** Whether the last message of the peer, over any stream, was a Write, which immediate data may follow. */
    boolean afterWrite() {
        return afterWrite;
    }

    /** Length of that Write. */
    long writeBytes() {
        return writeBytes;
    }

    // Over the next stream.

    /**
     * Packets carry the connection no more. What they have completed was acknowledged, and no immediate data follow a
     * Write as a request of their own.
     */
    public void packetsEnded() {
        acknowledged = Math.max(acknowledged, completed);
        onMessageEnd(false, 0);
    }

    @Override
    public long completed() {
        return completed;
    }

    @Override
    public boolean agreesWith(ResumePoint peer) {
        if (peer.executed() < acknowledged || peer.executed() > sent) {
            return false;
        }
        long number = completed;
        for (long index = work.retired(); index < handled; index++) {
            work.at(index, wqe);
            number += messages(wqe.opcode());
            boolean unknown = wqe.atomic() && wqe.progress() != EXECUTED && number <= peer.executed();
            if (index < answeredTo && number > peer.executed()
                    || unknown && find(peer.results(), number).isEmpty()) {
                return false;
            }
        }
        return true;
    }

    private static List<RecordedResult> find(List<RecordedResult> results, long number) {
        return results.stream().filter(each -> each.number() == number).toList();
    }

    @Override
    public void resume(ResumePoint peer) {
        acknowledged = peer.executed();
        counts.resume(executions.executed()); // the message of this side has it
        long number = completed;
        for (long index = work.retired(); index < handled + (halfSent ? 1 : 0); index++) {
            work.at(index, wqe);
            long before = number;
            number += messages(wqe.opcode());
            if (isRead(wqe.opcode())) {
                wqe.progress(0);
                repeated++;
            } else if (wqe.progress() != EXECUTED) {
                resumeElement(peer, before, number);
            }
        }
        if (receives.posted() > receives.retired()) {
            receives.at(receives.retired(), wqe).progress(0);
        }
    }

    /**
     * Decides about an element that is no Read, and whose messages have the numbers after {@code before} up to
     * {@code last}.
     */
    private void resumeElement(ResumePoint peer, long before, long last) {
        if (last > peer.executed() && last > before) {
            wqe.progress(peer.executed() > before ? HALF_EXECUTED : 0);
            repeated++;
            return;
        }
        wqe.progress(EXECUTED);
        recovered += last > before ? 1 : 0;
        if (wqe.atomic()) {
            wqe.operand2(find(peer.results(), last).getFirst().original());
        }
    }

    @Override
    public boolean executedEarlier(Wqe element) {
        return element.progress() == EXECUTED && !isRead(element.opcode());
    }

    /** Whether only the immediate data of a Write are left to be sent. */
    boolean halfExecutedEarlier(Wqe element) {
        return element.progress() == HALF_EXECUTED && element.opcode() == WorkOpcode.WRITE_WITH_IMMEDIATE;
    }

    @Override
    public long result(Wqe element) {
        return element.operand2();
    }

    /** Requests that were sent again so far. Engine thread. */
    public long repeated() {
        return repeated;
    }

    /** Requests that completed because the peer remembered them. Engine thread. */
    public long recovered() {
        return recovered;
    }

    @Override
    public long stateDigest() {
        long digest = Digest.mix(Digest.mix(Digest.mix(completed, acknowledged), answeredTo), handled);
        digest = Digest.mix(Digest.mix(Digest.mix(digest, sent), unanswered), counts.stateDigest());
        digest = Digest.mix(digest, writeBytes);
        return Digest.mix(Digest.mix(digest, executions.stateDigest()), Digest.flags(halfSent, afterWrite));
    }
}
