package io.verbena.ib;

import io.verbena.base.Times;
import io.verbena.queue.WorkQueue;
import io.verbena.queue.Wqe;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionStatus;
import io.verbena.work.OneShotKeys;
import java.util.Optional;
import java.util.Set;

/**
 * A reliable datagram queue pair: its work goes out by end-to-end contexts, one piece at a time, and any context may bring it
 * messages. The context of work is {@link Wqe#otherKey}; queue pair and Q_Key are its destination.
 */
public final class RdQueuePair {

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

    // Receiving.
    private Optional<RdContext> sender = Optional.empty();
    private long senderSeenNs;
    private Optional<Failure> failure = Optional.empty();

    /** A queue pair that can send and receive (RTS). */
    public RdQueuePair(int number, int qKey, int mtuBytes, QueuePairWork owner) {
        this.number = number;
        this.qKey = qKey;
        this.owner = owner;
        work = owner.queues().send();
        oneShot = new OneShotKeys(owner.regions(), number);
        message = new InboundMessage(owner, mtuBytes, oneShot);
        memory = new RemoteReads(owner, oneShot);
    }

    /** Its number. */
    public int number() {
        return number;
    }

    /** This queue pair, for holders that may have none. */
    Optional<RdQueuePair> itself() {
        return itself;
    }

    int qKey() {
        return qKey;
    }

    QueuePairWork owner() {
        return owner;
    }

    /** What peers may do on this queue pair, whatever the regions allow. */
    public void peerRights(Set<AccessRight> rights) {
        message.mayWrite(rights.contains(AccessRight.REMOTE_WRITE));
        memory.permit(rights.contains(AccessRight.REMOTE_READ), rights.contains(AccessRight.REMOTE_ATOMIC));
    }

    /** Reads and atomics of peers on this queue pair. */
    RemoteReads memory() {
        return memory;
    }

    // Sending.

    /** Whether its oldest work is for a context, and may go now. */
    boolean hasWorkFor(int context, long nowNs) {
        if (inHand || owesCompletion || sendQueueFailed || failure.isPresent() || work.retired() >= work.posted()) {
            return false;
        }
        if (waits && !Times.due(waitsUntilNs, nowNs)) {
            return false;
        }
        return work.at(work.retired(), wqe).otherKey() == context;
    }

    /** The oldest work, which a context takes in hand. */
    Wqe take() {
        inHand = true;
        waits = false;
        return head();
    }

    Wqe head() {
        return work.at(work.retired(), wqe);
    }

    /** The peer's queue pair is not ready: the work goes again later. False if that was tried often enough. */
    boolean waitUntil(long atNs, int mostTries) {
        inHand = false;
        if (mostTries != RcSettings.UNLIMITED && ++notReady > mostTries) {
            return false;
        }
        waits = true;
        waitsUntilNs = atNs;
        return true;
    }

    /** When work that waits may go by a context, or {@link Times#NEVER}. */
    long nextDeadlineNs(int context) {
        return waits && head().otherKey() == context ? waitsUntilNs : Times.NEVER;
    }

    /** The work in progress ends. Later work continues, unless {@code stops}: then it is flushed (SQE). */
    void complete(CompletionStatus status, boolean stops) {
        inHand = false;
        notReady = 0;
        owesCompletion = true;
        owedStatus = status;
        sendQueueFailed |= stops;
        finish();
    }

    /** Completes what is done, if the CQ has room. */
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

    /** The send queue works again (SQE to RTS); false while work is left that must complete in error first. */
    public boolean recoverSendQueue() {
        finish();
        if (owesCompletion || work.retired() < work.posted()) {
            return false;
        }
        sendQueueFailed = false;
        return true;
    }

    // Receiving.

    InboundMessage message() {
        return message;
    }

    /**
     * Whether a context may bring a packet now. A message of another one that is under way comes first, unless that one has been
     * silent for {@code patienceNs}.
     */
    boolean admits(RdContext context, boolean starts, long patienceNs, long nowNs) {
        if (!message.underWay()) {
            return starts;
        }
        if (sender.isPresent() && sender.get() == context) {
            return true;
        }
        if (starts && Times.due(Times.after(senderSeenNs, patienceNs), nowNs)) {
            message.abandon();
            return true;
        }
        return false;
    }

    /** A context has brought a packet. */
    void brought(RdContext context, long nowNs) {
        if (sender.isEmpty() || sender.get() != context) {
            sender = Optional.of(context);
        }
        senderSeenNs = nowNs;
    }

    /** The message that a context was bringing will not go on. */
    void abandon(RdContext context) {
        if (sender.isPresent() && sender.get() == context) {
            message.abandon();
        }
    }

    void fail(Failure first) {
        if (failure.isEmpty()) {
            failure = Optional.of(first);
            oneShot.end();
        }
    }

    /** Why the queue pair is in error, once it is; then call {@link #flush} until it is true. */
    public Optional<Failure> failure() {
        return failure;
    }

    /** Completes all work that is left; false when a CQ is full and it must be called again. */
    public boolean flush() {
        finish();
        return !owesCompletion && owner.queues().flush(CompletionStatus.FLUSHED);
    }
}
