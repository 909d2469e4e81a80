package io.verbena.ib.rd;

import io.verbena.base.Times;
import io.verbena.ib.endpoint.Failure;
import io.verbena.ib.endpoint.QueuePairWork;
import io.verbena.ib.packet.Opcodes;
import io.verbena.ib.respond.InboundMessage;
import io.verbena.ib.respond.RemoteReads;
import io.verbena.ib.settings.RcSettings;
import io.verbena.queue.WorkQueue;
import io.verbena.queue.Wqe;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionStatus;
import io.verbena.work.OneShotKeys;
import java.util.Optional;
import java.util.Set;

/**
 * A reliable datagram queue pair: end-to-end contexts send its work, one element at a time, and any context may deliver
 * messages to it. {@link Wqe#otherKey} is the context of work; its destination is a queue pair and a Q_Key.
 */
public final class RdQueuePair {

    /** Packets are checked against the path MTU of their context. */
    private static final int LARGEST_MTU_BYTES = 4096;

    private static final long NONE = -1;

    private final Optional<RdQueuePair> itself = Optional.of(this);
    private final int number;
    private final int qKey;
    private final QueuePairWork owner;
    private final WorkQueue work;
    private final OneShotKeys oneShot;
    private final InboundMessage message;
    private final RemoteReads memory;
    private final Wqe wqe = new Wqe();

    // Sending.
    private boolean inHand;
    private boolean waits;
    private long waitsUntilNs;
    private int notReady;
    private boolean owesCompletion;
    private CompletionStatus owedStatus = CompletionStatus.SUCCESS;
    private boolean sendQueueFailed;
    private boolean stopped;

    /** Index of the work whose context was notified. */
    private long announced = NONE;

    private Runnable onChange = () -> {};
    private Optional<RdDomain> domain = Optional.empty();

    // Receiving.
    private Optional<RdContext> sender = Optional.empty();
    private long senderSeenNs;
    private Optional<Failure> failure = Optional.empty();
    private CompletionStatus receiveStatus = CompletionStatus.FLUSHED;

    /** A queue pair that can send and receive (RTS). */
    public RdQueuePair(int number, int qKey, QueuePairWork owner) {
        this.number = number;
        this.qKey = qKey;
        this.owner = owner;
        work = owner.queues().send();
        oneShot = new OneShotKeys(owner.regions(), number);
        message = new InboundMessage(owner, LARGEST_MTU_BYTES, oneShot);
        memory = new RemoteReads(owner, oneShot);
    }

    /** Its number. */
    public int number() {
        return number;
    }

    /** This queue pair as an Optional, so that callers allocate none. */
    Optional<RdQueuePair> itself() {
        return itself;
    }

    int qKey() {
        return qKey;
    }

    QueuePairWork owner() {
        return owner;
    }

    /** Sets the operations that peers may use on this queue pair, in addition to the rights of each region. */
    public void peerRights(Set<AccessRight> rights) {
        message.mayWrite(rights.contains(AccessRight.REMOTE_WRITE));
        memory.permit(rights.contains(AccessRight.REMOTE_READ), rights.contains(AccessRight.REMOTE_ATOMIC));
    }

    /** Reads and atomics of peers on this queue pair. */
    RemoteReads memory() {
        return memory;
    }

    /** Sets a step to run when a context has completed work, has delivered a packet, or has ended the queue pair. */
    public void onChange(Runnable step) {
        onChange = step;
    }

    void joined(RdDomain newDomain) {
        domain = Optional.of(newDomain);
    }

    // Sending.

    /** Starts no work (before RTS, and in SQD), or starts work. */
    void stop(boolean on) {
        stopped = on;
        announced = NONE;
    }

    /** Whether no message is in progress. */
    boolean idle() {
        return !inHand && !owesCompletion;
    }

    private boolean sendable() {
        return !inHand
                && !owesCompletion
                && !stopped
                && !sendQueueFailed
                && failure.isEmpty()
                && work.retired() < work.posted();
    }

    /** Whether its oldest work may be sent, and the context of this work was not notified. */
    boolean unannounced() {
        return announced != work.retired() && sendable();
    }

    /** The context to notify: that of the oldest work. */
    int announce() {
        announced = work.retired();
        return head().otherKey();
    }

    /** A context of the domain has ended, which may have been notified of the oldest work. */
    void contextEnded() {
        announced = NONE;
        onChange.run();
    }

    /** The oldest work names no context of the domain: the context was closed, or the service does not have the operation. */
    void refuse() {
        boolean local = Opcodes.local(head().opcode());
        complete(local ? CompletionStatus.LOCAL_OPERATION : CompletionStatus.CONNECTION_LOST, local);
    }

    /** Whether its oldest work is for a context and may be sent now. */
    boolean hasWorkFor(int context, long nowNs) {
        if (!sendable()) {
            return false;
        }
        if (waits && !Times.due(waitsUntilNs, nowNs)) {
            return false;
        }
        return work.at(work.retired(), wqe).otherKey() == context;
    }

    /** Assigns the oldest work to a context. */
    Wqe take() {
        inHand = true;
        waits = false;
        return head();
    }

    Wqe head() {
        return work.at(work.retired(), wqe);
    }

    /**
     * Postpones the work, because the peer's queue pair is not ready. Returns false if the limit of retries is reached.
     */
    boolean waitUntil(long atNs, int mostTries) {
        inHand = false;
        if (mostTries != RcSettings.UNLIMITED && ++notReady > mostTries) {
            return false;
        }
        waits = true;
        waitsUntilNs = atNs;
        onChange.run();
        return true;
    }

    /** The time at which postponed work for a context may be sent, or {@link Times#NEVER}. */
    long nextDeadlineNs(int context) {
        return waits && sendable() && head().otherKey() == context ? waitsUntilNs : Times.NEVER;
    }

    /** The work in progress ends. Later work continues, unless {@code stops}: then it is flushed (SQE). */
    void complete(CompletionStatus status, boolean stops) {
        inHand = false;
        notReady = 0;
        owesCompletion = true;
        owedStatus = status;
        waits = false;
        sendQueueFailed |= stops;
        finish();
        onChange.run();
    }

    /** Completes finished work, as far as the CQ has space. */
    void finish() {
        if (owesCompletion && owner.queues().completeSend(owedStatus)) {
            owesCompletion = false;
        }
        while (!owesCompletion && sendQueueFailed && work.retired() < work.posted()) {
            if (!owner.queues().completeSend(CompletionStatus.FLUSHED)) {
                return;
            }
        }
    }

    /** Whether the send queue is in error (SQE). */
    public boolean sendQueueFailed() {
        return sendQueueFailed;
    }

    /** Whether the send queue is in error and has work to be flushed. */
    boolean flushes() {
        return sendQueueFailed && failure.isEmpty() && (owesCompletion || work.retired() < work.posted());
    }

    /** Recovers the send queue (SQE to RTS). Returns false while work remains that must complete in error first. */
    public boolean recoverSendQueue() {
        finish();
        if (owesCompletion || work.retired() < work.posted()) {
            return false;
        }
        sendQueueFailed = false;
        announced = NONE;
        return true;
    }

    // Receiving.

    InboundMessage message() {
        return message;
    }

    /**
     * Whether a packet of a context is accepted now. A message of another context in progress is completed first,
     * unless that context has been silent for {@code silenceNs}.
     */
    boolean admits(RdContext context, boolean starts, long silenceNs, long nowNs) {
        if (!message.underWay()) {
            return starts;
        }
        if (sender.isPresent() && sender.get() == context) {
            return true;
        }
        if (starts && Times.due(Times.after(senderSeenNs, silenceNs), nowNs)) {
            message.abandon();
            return true;
        }
        return false;
    }

    /** Records that a context has delivered a packet. */
    void delivered(RdContext context, long nowNs) {
        if (sender.isEmpty() || sender.get() != context) {
            sender = Optional.of(context);
        }
        senderSeenNs = nowNs;
        onChange.run();
    }

    /** Abandons the message in progress, if this context was delivering it. */
    void abandon(RdContext context) {
        if (sender.isPresent() && sender.get() == context) {
            message.abandon();
        }
    }

    /** Enters the error state and leaves the domain. */
    void fail(Failure first, CompletionStatus statusOfReceive) {
        if (failure.isEmpty()) {
            failure = Optional.of(first);
            receiveStatus = statusOfReceive;
            leave();
            onChange.run();
        }
    }

    /** Leaves the domain: messages in progress are abandoned. */
    void leave() {
        domain.ifPresent(it -> it.remove(this));
        domain = Optional.empty();
        message.abandon();
        inHand = false;
        oneShot.end();
    }

    /** Status of the receive in use when the queue pair failed. */
    CompletionStatus receiveStatus() {
        return receiveStatus;
    }

    /** The reason why the queue pair is in error, if it is. */
    public Optional<Failure> failure() {
        return failure;
    }

    /** Whether completed work waits for a place in the CQ. */
    boolean owesCompletion() {
        return owesCompletion;
    }
}
