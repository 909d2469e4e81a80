package io.verbena.rnic;

import io.verbena.base.Log;
import io.verbena.engine.Endpoint;
import io.verbena.engine.RnicEngine;
import io.verbena.queue.WorkQueues;
import io.verbena.queue.Wqe;
import io.verbena.rnic.completion.CqSide;
import io.verbena.rnic.context.Closing;
import io.verbena.rnic.context.Environment;
import io.verbena.rnic.context.RnicContext;
import io.verbena.rnic.datagram.SoftDatagramDomain;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.ByteSource;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionPath;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.Figures;
import io.verbena.verbs.PathAttributes;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.TransportChanges;
import io.verbena.work.QueuePairContext;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * The protocol of one queue pair. A {@link Transport} creates it, the engine of the queue pair serves it, and posting
 * notifies it. This class implements what all transports have in common: flushing, handling of full completion queues,
 * and destruction. The subclass of a transport implements the states, the connection and the protocol engine. The
 * engine calls every method unless the method is marked "Any thread".
 *
 * <p>Over 500 lines: it has one method for each thing that a transport may do.
 */
public abstract class QueuePairEndpoint extends Endpoint {

    private static final long CLOSE_NS = 3_000_000_000L;

    /**
     * Maximum number of outstanding Reads and atomic operations of a queue pair.
     *
     * @param inbound those of the peer (IRD)
     * @param outbound those of this side (ORD)
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
    private final Closing destruction = new Closing();
    private volatile boolean failedAtClose;
    private volatile Optional<SoftConnection> connection = Optional.empty();

    /** Creates the endpoint of a queue pair whose queues exist already. */
    protected QueuePairEndpoint(SoftQueuePair queuePair) {
        this.queuePair = queuePair;
        this.engine = queuePair.engine();
        this.context = queuePair.rnicContext();
        this.queues = queuePair.queues();
        this.sendSide = queuePair.sendSide();
        this.receiveSide = queuePair.receiveSide();
    }

    // Provided by the transport.

    /** The state of the queue pair. Any thread. */
    public abstract QueuePairState state();

    /** Whether send work may be posted: the queue pair has been connected, or requires no connection. Any thread. */
    protected abstract boolean takesSends();

    /** Read depths of the connection, or those that the queue pair was created with. Any thread. */
    protected ReadLimits readLimits() {
        return new ReadLimits(
                queuePair.options().inboundReads(), queuePair.options().outboundReads());
    }

    /** The operations that the peer may perform on this queue pair, whatever the regions allow. Any thread. */
    protected Set<AccessRight> remoteRights() {
        return queuePair.rnicContext().limits().adapter().incomingRdma()
                ? Set.of(AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_ATOMIC)
                : Set.of();
    }

    /** Maximum payload of a frame or packet, for Query QP; 0 if there is no such limit. Any thread. */
    protected int maxFrameBytes() {
        return 0;
    }

    /** Queue pair number of the peer, for Query QP; 0 if the transport does not transfer it. Any thread. */
    protected int remoteNumber() {
        return 0;
    }

    /** The path to the peer, for Query QP; empty if the transport has none. Any thread. */
    protected Optional<PathAttributes> path() {
        return Optional.empty();
    }

    /** Adds what is known about the path to the peer, for figures. Any thread. */
    protected void describePath(Figures.Builder figures) {}

    /**
     * Modify QP. Called by the application's thread.
     *
     * @throws UnsupportedOperationException if the transport does not support it
     */
    protected void modify(QueuePairChange change) {
        throw new UnsupportedOperationException("This transport does not modify queue pairs; use connect and accept.");
    }

    /** Completes pending work as flushed. Returns false if a CQ is full before all of it is completed. */
    protected abstract boolean flushWork();

    /**
     * Receives the datagrams of a multicast group. Any thread.
     *
     * @throws UnsupportedOperationException if the transport or the service has no groups
     */
    public void joinGroup(InetAddress group) throws IOException {
        throw noGroups();
    }

    /** Receives no more datagrams of a multicast group. Any thread. */
    public void leaveGroup(InetAddress group) throws IOException {
        throw noGroups();
    }

    /** Delivers raw frames to the queue pair, see {@link QueuePair#steer}. Any thread. */
    public AutoCloseable steer(OptionalInt nextHeader, Optional<InetAddress> destination) {
        throw new UnsupportedOperationException("This queue pair receives no frames by header: that needs a transport"
                + " with the service RAW_DATAGRAM and a queue pair with this service.");
    }

    private UnsupportedOperationException noGroups() {
        return new UnsupportedOperationException("This queue pair receives no datagrams of multicast groups: that needs"
                + " a transport with the service UNRELIABLE_DATAGRAM and a queue pair with this service.");
    }

    /**
     * Ends the queue pair with an error, whether connected or not. Its work is flushed by then, unless {@link #awaitsPeer} is
     * true.
     */
    public abstract void fail(String sentence);

    /**
     * Whether the queue pair has failed, but its work is flushed later: the peer still accesses memory of this side without its
     * engines. {@link RnicContext#changed} follows. Any thread.
     */
    protected boolean awaitsPeer() {
        return false;
    }

    /** Ends the queue pair when its state is unreliable, because of a bug or because its engine has failed. */
    protected void crash(String sentence) {
        fail(sentence);
    }

    @Override
    protected void onBug(String sentence, long nowNs) {
        crash(sentence);
    }

    /** Begins a graceful close of a connection. Has no effect if another connection has replaced it. */
    protected abstract void disconnect(SoftConnection which);

    /** Ends a connection at once. Has no effect if another connection has replaced it. */
    protected void abort(SoftConnection which, String sentence) {
        if (isCurrent(which)) {
            fail(sentence);
        }
    }

    /** Sets how the system ends a connection if this process is killed. Has no effect if another connection has replaced it. */
    protected void resetIfKilled(SoftConnection which, boolean reset) {}

    /** The paths of a connection that has several, see {@link Connection#paths}. Any thread. */
    protected List<ConnectionPath> paths(SoftConnection which) {
        return List.of();
    }

    /** Leaves the transport of a connection that survives it, see {@link Connection#migrate}. */
    protected void migrate(SoftConnection which) {}

    /** The changes of transport of a connection that survives them; empty if it does not. Any thread. */
    protected Optional<TransportChanges> transportChanges(SoftConnection which) {
        return Optional.empty();
    }

    /** Proposes an alternate path to the peer, see {@link Connection#proposeAlternatePath}. Any thread. */
    protected void proposeAlternatePath(SoftConnection which, AddressHandleAttributes path) {
        throw new UnsupportedOperationException("This transport has no alternate paths.");
    }

    /** Query QP. Any thread. */
    final QueuePairAttributes query(int sendOutstanding, int receiveOutstanding) {
        Optional<SoftConnection> established = connection.filter(SoftConnection::wasEstablished);
        ReadLimits limits = readLimits();
        return QueuePairAttributes.builder(
                        queuePair.number(), state(), queuePair.options(), queuePair.protectionDomain())
                .remoteRights(remoteRights())
                .ports(established.map(SoftConnection::localAddress), established.map(SoftConnection::remoteAddress))
                .remoteNumber(remoteNumber())
                .path(path())
                .reads(limits.inbound(), limits.outbound())
                .maxFrameBytes(maxFrameBytes())
                .outstanding(sendOutstanding, receiveOutstanding)
                .build();
    }

    // For use by transports.

    /** The queue pair of this endpoint. */
    public final SoftQueuePair queuePair() {
        return queuePair;
    }

    /** The engine that serves the endpoint. */
    public final RnicEngine engine() {
        return engine;
    }

    /** The context shared by all objects of the RNIC. */
    public final RnicContext context() {
        return context;
    }

    /** The context that the protocol engine works on. */
    public final QueuePairContext workContext() {
        return new QueuePairContext(
                queues, context.regions(), queuePair.domain().number(), engine.index(), context.earlyMemory());
    }

    /** The work queues. */
    public final WorkQueues queues() {
        return queues;
    }

    /** The current or last connection. Any thread. */
    public final Optional<SoftConnection> connection() {
        return connection;
    }

    /** Whether a connection is the current or last one of this queue pair. */
    protected final boolean isCurrent(SoftConnection which) {
        return connection.filter(it -> it == which).isPresent();
    }

    /** Whether the current or last connection has been established. Any thread. */
    public final boolean wasEstablished() {
        return connection.filter(SoftConnection::wasEstablished).isPresent();
    }

    /** Sets or removes the connection. */
    protected final void connection(Optional<SoftConnection> now) {
        connection = now;
    }

    /** Reports a new state of the connection, if there is one, and wakes the threads that wait for it. */
    protected final void connectionMoved(ConnectionState state, String sentence) {
        connection.ifPresent(it -> it.moved(state, sentence));
        context.changed();
    }

    /** Whether Destroy QP has begun. */
    protected final boolean closing() {
        return closing;
    }

    /** Submits a step to the engine, if the engine still runs. An exception ends this queue pair only. Any thread. */
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

    /** Handles a bug in a step of this queue pair outside of {@link #service}. */
    public final void bug(String where, Throwable e) {
        RnicEngine.fail(this, where, e, engine.nowNs());
    }

    /** Raises an asynchronous event about the queue pair. Any thread. */
    protected final void raise(AsyncEventType type, String sentence) {
        context.events().raise(type, queuePair, sentence);
    }

    // Flushing.

    /** Whether work posted now is flushed. The caller has published the post before the call. Any thread. */
    final boolean flushesPosts() {
        // The engine stores the flag, executes a fence, and reads the queue. The poster stores to the queue, executes a
        // fence, and reads the flag. At least one of them sees the store of the other.
        VarHandle.fullFence();
        return flushesPosts;
    }

    /** Flushes all work from now on, and revokes the keys that were bound for the peer. */
    protected final void beginFlush() {
        refreshRings();
        flushesPosts = true;
        VarHandle.fullFence();
        // After the flag: a thread that binds a key for this queue pair concurrently either sees the flag, or its key
        // is revoked here.
        queuePair.domain().endKeysOf(queuePair.number());
    }

    /** Allows posting again, for a new connection. No work is pending. Keys that were bound for the last peer are revoked. */
    protected final void endFlush() {
        queuePair.domain().endKeysOf(queuePair.number());
        queues.restart();
        lastWqeReported = false;
        flushesPosts = false;
        VarHandle.fullFence();
    }

    /** Flushes pending work; returns true if none is left. If a CQ is full, the engine retries later. */
    public final boolean flushOrRetry() {
        if (flush()) {
            return true;
        }
        reportOverflow();
        engine.starve(this);
        return false;
    }

    /** Whether the peer accesses no memory of this side any more without its engines. Asked before each retry. */
    protected boolean mayFlush() {
        return true;
    }

    /** The work is flushed next: a transport that waited for the peer to leave continues. */
    protected void onMayFlush() {}

    @Override
    protected final boolean retryFlush() {
        if (!mayFlush()) {
            return false;
        }
        onMayFlush();
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

    /** Uses the current rings of the CQs. A CQ may have been resized. */
    protected final void refreshRings() {
        queues.rings(sendSide.ring(), receiveSide.ring());
    }

    /** Notifies the CQs of new completions. */
    public final void settle() {
        sendSide.settle();
        if (receiveSide != sendSide) {
            receiveSide.settle();
        }
        Optional<SoftSharedReceiveQueue> source = queuePair.shared();
        if (source.isPresent()) {
            source.get().checkLimit();
        }
    }

    /** Raises CQ_OVERFLOW, once per CQ, when a completion did not fit. */
    public final void reportOverflow() {
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
                                    + " entries overflowed; poll more often or resize the completion queue.");
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

    // Writes in the thread of the poster.

    /** See {@link QueuePair#writeNow}. In the thread of the poster, which drives the engine meanwhile and for a turn after that. */
    final int writeNow(ByteSource source, int most, long remoteAddress, int key) throws IOException {
        Environment environment = context.environment();
        if (engine.insideOnThisThread() || !environment.hold(engine.index())) {
            return QueuePair.IMPOSSIBLE;
        }
        try {
            return writeHeld(source, most, remoteAddress, key);
        } finally {
            environment.wake(engine.index());
        }
    }

    /** Reads a channel once into memory of the peer, without its engine. */
    protected int writeHeld(ByteSource source, int most, long remoteAddress, int key) throws IOException {
        return QueuePair.IMPOSSIBLE;
    }

    // Work that is executed where it is posted.

    /**
     * Executes a request in the thread of its poster, which has written it to the next free slot of the send queue, if nothing precedes it
     * and nothing has to be waited for. Otherwise the caller publishes the slot and rings the doorbell, and a turn does the work: the engine may be
     * held until then.
     */
    final boolean execute(Wqe posted) {
        if ((executedPosts() & 1 << posted.opcode().ordinal()) == 0
                || !context.environment().hold(engine.index())) {
            return false;
        }
        if (!engine.beginPost()) {
            return false;
        }
        boolean done = false;
        try {
            done = executeHeld(posted);
        } catch (Throwable e) {
            bug("executing posted work", e);
        }
        if (!done) {
            engine.endPost();
        }
        return done;
    }

    /** Follows {@link #execute} that has returned true, when the slot is free again: handlers may run within this call, and post. */
    final void concludePost() {
        try {
            settle();
        } finally {
            engine.endPost();
            context.environment().letGo(engine.index());
        }
    }

    /** The operations that {@link #executeHeld} may execute, a bit for each. A hint, which may be outdated. Any thread. */
    protected int executedPosts() {
        return 0;
    }

    /** Executes and completes a request that is not in the send queue. Returns false if nothing has happened. */
    protected boolean executeHeld(Wqe posted) {
        return false;
    }

    // Destruction.

    final void checkOpen() {
        if (destruction.begun()) {
            throw new IllegalStateException("the queue pair is closed");
        }
    }

    /** The reason why work ended; empty while it has not ended. Any thread. */
    final String reason() {
        return connection.map(SoftConnection::endReason).orElse("");
    }

    /** Destroy QP. Called by the application's thread. */
    final void close() {
        destruction.close(context, () -> command(this::closeNow), this::release);
    }

    private void release() {
        context.await(() -> failedAtClose && !awaitsPeer(), CLOSE_NS);
        context.forget(queuePair);
        sendSide.cq().leave();
        receiveSide.cq().leave();
        queuePair.shared().ifPresent(SoftSharedReceiveQueue::leave);
        queuePair.datagramDomain().ifPresent(SoftDatagramDomain::leave);
        queuePair.domain().queuePairClosed();
    }

    private void closeNow() {
        closing = true;
        failWhole("The application closed the queue pair.");
        failedAtClose = true;
        context.changed();
    }

    /** Fails the queue pair as {@link #fail}, and also flushes work whose doorbell was not rung. */
    final void failWhole(String sentence) {
        queuePair.publishUnrung();
        fail(sentence);
    }

    /**
     * Flushes after a bug. If the protocol engine fails to flush, the flush is repeated after {@code withoutProtocol}.
     */
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
