package io.verbena.rnic;

import io.verbena.base.Log;
import io.verbena.engine.Endpoint;
import io.verbena.engine.RnicEngine;
import io.verbena.queue.WorkQueues;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.QueuePairState;
import io.verbena.work.QueuePairContext;
import java.lang.invoke.VarHandle;
import java.util.Optional;
import java.util.Set;

/**
 * The protocol of one queue pair: what a {@link Transport} makes for it, what its engine serves, and what posting rings. This
 * class has what is the same on every transport: flushing, completion queues that have no room, destruction. A transport's
 * subclass has the states, the connection, and the protocol engine. Its engine calls every method unless the method says that
 * any thread may.
 */
public abstract class QueuePairEndpoint extends Endpoint {

    private static final long CLOSE_NS = 3_000_000_000L;

    /**
     * How many Reads and atomics a queue pair may have outstanding.
     *
     * @param inbound those of the peer (IRD)
     * @param outbound its own (ORD)
     */
    public record ReadLimits(int inbound, int outbound) {}

    private final SoftQueuePair queuePair;
    private final RnicEngine engine;
    private final RnicContext context;
    private final WorkQueues queues;
    private final CqSide sendSide;
    private final CqSide receiveSide;
    private boolean lastWqeReported;

    // Written by the engine (or under the lock), read by any thread.
    private volatile boolean flushesPosts;
    private volatile boolean closing;
    private volatile boolean closed;
    private volatile boolean flushedAtClose;
    private volatile Optional<SoftConnection> connection = Optional.empty();

    /** The endpoint of a queue pair whose queues have been made. */
    protected QueuePairEndpoint(SoftQueuePair queuePair) {
        this.queuePair = queuePair;
        this.engine = queuePair.engine();
        this.context = queuePair.rnicContext();
        this.queues = queuePair.queues();
        this.sendSide = queuePair.sendSide();
        this.receiveSide = queuePair.receiveSide();
    }

    // What a transport says.

    /** The queue pair's state. Any thread. */
    public abstract QueuePairState state();

    /** Whether work that sends may be posted: the queue pair has been connected, or needs no connection. Any thread. */
    protected abstract boolean takesSends();

    /** Read depths of its connection, or the ones that it was created with. Any thread. */
    protected ReadLimits readLimits() {
        return new ReadLimits(
                queuePair.options().inboundReads(), queuePair.options().outboundReads());
    }

    /** What the peer may do on this queue pair, whatever the regions allow. Any thread. */
    protected Set<AccessRight> remoteRights() {
        return Set.of(AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_ATOMIC);
    }

    /** Maximum payload of one of its frames or packets, for Query QP; 0 where there are none. Any thread. */
    protected int maxFrameBytes() {
        return 0;
    }

    /**
     * Modify QP. The application's thread.
     *
     * @throws UnsupportedOperationException when the transport cannot do it
     */
    protected void modify(QueuePairChange change) {
        throw new UnsupportedOperationException("This transport does not modify queue pairs; use connect and accept.");
    }

    /** Completes what is pending as flushed; false when a CQ has no room for all of it. */
    protected abstract boolean flushWork();

    /** Ends it by an error, connected or not. */
    public abstract void fail(String sentence);

    /** Ends it when none of its state can be relied on, because of a bug or because its engine has failed. */
    protected void crash(String sentence) {
        fail(sentence);
    }

    @Override
    protected void onBug(String sentence, long nowNs) {
        crash(sentence);
    }

    /** Begins a graceful close of a connection, which may have been replaced by another one. */
    protected abstract void disconnect(SoftConnection which);

    /** Ends a connection at once; it may have been replaced by another one. */
    protected void abort(SoftConnection which, String sentence) {
        if (connection.filter(it -> it == which).isPresent()) {
            fail(sentence);
        }
    }

    /** Query QP. Any thread. */
    final QueuePairAttributes query(int sendOutstanding, int receiveOutstanding) {
        QueuePairOptions options = queuePair.options();
        Optional<SoftConnection> established = connection.filter(it -> takesSends());
        ReadLimits limits = readLimits();
        return new QueuePairAttributes(
                queuePair.number(),
                state(),
                options,
                queuePair.protectionDomain(),
                remoteRights(),
                options.sendCq().handler(),
                options.receiveCq().handler(),
                established.map(SoftConnection::localAddress),
                established.map(SoftConnection::remoteAddress),
                0,
                limits.inbound(),
                limits.outbound(),
                maxFrameBytes(),
                sendOutstanding,
                receiveOutstanding);
    }

    // For a transport.

    /** The queue pair that it serves. */
    public final SoftQueuePair queuePair() {
        return queuePair;
    }

    /** The engine that serves it. */
    public final RnicEngine engine() {
        return engine;
    }

    /** What the objects of the RNIC share. */
    public final RnicContext context() {
        return context;
    }

    /** What its protocol engine works on. */
    protected final QueuePairContext workContext() {
        return new QueuePairContext(
                queues, context.regions(), queuePair.domain().number(), engine.index());
    }

    /** Its work queues. */
    public final WorkQueues queues() {
        return queues;
    }

    /** The connection that it has or had last. Any thread. */
    public final Optional<SoftConnection> connection() {
        return connection;
    }

    /** It has another connection now, or none. */
    protected final void connection(Optional<SoftConnection> now) {
        connection = now;
    }

    /** The protocol has moved the connection, if there is one; threads that wait for that look again. */
    protected final void connectionMoved(ConnectionState state, String sentence) {
        connection.ifPresent(it -> it.moved(state, sentence));
        context.changed();
    }

    /** Whether Destroy QP has begun. */
    protected final boolean closing() {
        return closing;
    }

    /** Has the engine run a step, if the engine still runs. An exception ends this queue pair only. Any thread. */
    public final void command(Runnable step) {
        if (!context.stopped()) {
            engine.submit(() -> {
                try {
                    step.run();
                } catch (Throwable e) {
                    bug("running a command of a queue pair", e);
                }
            });
        }
    }

    /** A step of this queue pair failed by a bug, outside of {@link #service}. */
    public final void bug(String where, Throwable e) {
        RnicEngine.fail(this, where, e, engine.nowNs());
    }

    /** Raises an asynchronous event about the queue pair. Any thread. */
    protected final void raise(AsyncEventType type, String sentence) {
        context.events().raise(type, queuePair, sentence);
    }

    // Flushing.

    /**
     * Whether what is posted now is flushed. The post has been published before this is asked. Any thread.
     */
    final boolean flushesPosts() {
        // The engine stores the flag, fences, and reads the queue; the poster has stored to the queue, fences, and
        // reads
        // the flag. One of the two sees the other.
        VarHandle.fullFence();
        return flushesPosts;
    }

    /** From here on all work is flushed, and keys that were bound for the peer are revoked. */
    protected final void beginFlush() {
        refreshRings();
        flushesPosts = true;
        VarHandle.fullFence();
        // After the flag: a thread that binds a key for this queue pair at the same moment sees the flag, or its key is
        // found here.
        queuePair.domain().endKeysOf(queuePair.number());
    }

    /** Work may be posted again, for another connection; nothing is pending. */
    protected final void endFlush() {
        queues.restart();
        lastWqeReported = false;
        flushesPosts = false;
        VarHandle.fullFence();
    }

    /** Flushes; when a CQ has no room the engine tries again later. True when nothing is left. */
    protected final boolean flushOrRetry() {
        if (flush()) {
            return true;
        }
        reportOverflow();
        engine.starve(this);
        return false;
    }

    @Override
    protected final boolean retryFlush() {
        boolean done = flush();
        settle();
        return done || sendSide.cq().closed() || receiveSide.cq().closed();
    }

    private boolean flush() {
        boolean done = flushWork();
        if (done && !lastWqeReported && queuePair.shared().isPresent()) {
            lastWqeReported = true;
            raise(
                    AsyncEventType.LAST_WQE_REACHED,
                    "The last receive that this queue pair took from its shared receive queue is complete.");
        }
        return done;
    }

    // Completions.

    /** Takes the rings that its CQs have now: a CQ may have been resized. */
    protected final void refreshRings() {
        queues.rings(sendSide.ring(), receiveSide.ring());
    }

    /** Reports what completed to the CQs. */
    protected final void settle() {
        sendSide.settle();
        if (receiveSide != sendSide) {
            receiveSide.settle();
        }
        Optional<SoftSharedReceiveQueue> source = queuePair.shared();
        if (source.isPresent()) {
            source.get().checkLimit();
        }
    }

    /** A completion found no room: raises CQ_OVERFLOW, once for each CQ. */
    protected final void reportOverflow() {
        overflowed(sendSide, sendSide.full() || !receiveSide.full());
        overflowed(receiveSide, receiveSide.full());
    }

    private void overflowed(CqSide side, boolean full) {
        if (full && side.cq().markOverflowed()) {
            context.events()
                    .raise(
                            AsyncEventType.CQ_OVERFLOW,
                            side.cq(),
                            "A completion queue of " + side.cq().capacity()
                                    + " entries overflowed; poll faster or make it larger.");
        }
    }

    // Doorbells.

    @Override
    protected final boolean onOwnDoorbell() {
        if (flushesPosts) {
            return false;
        }
        engine.ready(this);
        return true;
    }

    @Override
    protected final void onDoorbell() {
        engine.ready(this);
        if (flushesPosts) {
            flushOrRetry();
            settle();
        }
    }

    // Destruction.

    final void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the queue pair is closed");
        }
    }

    /** Why its work ended; empty while it has not. Any thread. */
    final String reason() {
        return connection.map(SoftConnection::endReason).orElse("");
    }

    /** Destroy QP. The application's thread. */
    final void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        command(this::closeNow);
        context.await(() -> flushedAtClose, CLOSE_NS);
        context.forget(queuePair);
        sendSide.cq().leave();
        receiveSide.cq().leave();
        queuePair.shared().ifPresent(SoftSharedReceiveQueue::leave);
        queuePair.domain().queuePairClosed();
    }

    private void closeNow() {
        closing = true;
        failWhole("The application closed the queue pair.");
        flushedAtClose = true;
        context.changed();
    }

    /** The same as {@link #fail} at the end of the queue pair: work whose doorbell was not rung is flushed too. */
    final void failWhole(String sentence) {
        queuePair.publishUnrung();
        fail(sentence);
    }

    /** Flushes after a bug; what the protocol engine cannot flush any more is flushed without it. */
    protected final void flushAfterBug(Runnable withoutProtocol) {
        try {
            flushOrRetry();
        } catch (Throwable e) {
            Log.bug("flushing a queue pair", e);
            withoutProtocol.run();
            flushOrRetry();
        }
        settle();
    }
}
