package io.verbena.rnic;

import io.verbena.base.StateMachine;
import io.verbena.iwarp.Ending;
import io.verbena.iwarp.IwarpStream;
import io.verbena.iwarp.startup.Negotiated;
import io.verbena.queue.WorkQueues;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.ConnectionException.Kind;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.QueuePairState;
import java.lang.invoke.VarHandle;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What happens to a queue pair: states, its connection's phases, flushing. The engine's side unless a method says that any
 * thread may call it.
 */
final class QueuePairLife {

    private static final long CLOSE_NS = 3_000_000_000L;
    private static final long MODIFY_NS = 1_000_000_000L;

    private final SoftQueuePair queuePair;
    private final RnicEngine engine;
    private final SoftRnic rnic;
    private final WorkQueues queues;
    private final CqSide sendSide;
    private final CqSide receiveSide;

    /** Moved by one thread at a time, under the lock; what any thread reads is {@link #phase}. */
    private final StateMachine<ConnectionPhase, ConnectionEvent> machine =
            new StateMachine<>(ConnectionTable.TABLE, ConnectionPhase.IDLE);

    private @Nullable Endpoint endpoint;
    private @Nullable IwarpStream stream;
    private boolean lastWqeTold;

    // Written by the engine (or under the lock), read by any thread.
    private volatile ConnectionPhase phase = ConnectionPhase.IDLE;
    private volatile boolean flushesPosts;
    private volatile boolean stood;
    private volatile boolean closing;
    private volatile boolean closed;
    private volatile boolean flushedAtClose;
    private volatile Optional<SoftConnection> connection = Optional.empty();
    private volatile Set<AccessRight> remoteRights =
            EnumSet.of(AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_ATOMIC);
    private volatile int inboundReads;
    private volatile int outboundReads;

    QueuePairLife(SoftQueuePair queuePair, WorkQueues queues, CqSide sendSide, CqSide receiveSide) {
        this.queuePair = queuePair;
        this.engine = queuePair.engine();
        this.rnic = queuePair.rnic();
        this.queues = queues;
        this.sendSide = sendSide;
        this.receiveSide = receiveSide;
        inboundReads = queuePair.options().inboundReads();
        outboundReads = queuePair.options().outboundReads();
    }

    WorkQueues queues() {
        return queues;
    }

    // Any thread.

    IwarpQueuePairState state() {
        return phase.queuePair();
    }

    ConnectionPhase phase() {
        return phase;
    }

    Optional<SoftConnection> connection() {
        return connection;
    }

    /** Whether it has been in RDMA mode. */
    boolean stood() {
        return stood;
    }

    /** Whether what is posted now is flushed. The post has been published before this is asked. */
    boolean flushesPosts() {
        // The engine stores the flag, fences and looks at the queue; this has stored to the queue, fences and looks at
        // the flag.
        VarHandle.fullFence();
        return flushesPosts;
    }

    void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the queue pair is closed");
        }
    }

    /** Why its work ended; empty while it does not. */
    String reason() {
        return connection.map(SoftConnection::endReason).orElse("");
    }

    /**
     * Takes the queue pair for a connection that is to be set up.
     *
     * @param how {@link ConnectionEvent#CONNECT} or {@link ConnectionEvent#TAKE_OVER}
     * @throws IllegalStateException when it is not free
     */
    void claim(SoftConnection wanted, ConnectionEvent how) {
        synchronized (this) {
            checkOpen();
            machine.on(how);
            connection = Optional.of(wanted);
            phase = machine.state();
        }
        rnic.changed();
    }

    /** Has the engine run something, if it still runs. */
    void command(Runnable command) {
        if (!rnic.stopped()) {
            engine.submit(() -> {
                try {
                    command.run();
                } catch (Throwable e) {
                    onBug("running a command of a queue pair", e);
                }
            });
        }
    }

    QueuePairAttributes query(int sendOutstanding, int receiveOutstanding) {
        QueuePairOptions options = queuePair.options();
        Optional<SoftConnection> now = connection.filter(c -> stood);
        return new QueuePairAttributes(
                queuePair.number(),
                state(),
                options,
                queuePair.protectionDomain(),
                remoteRights,
                options.sendCq().handler(),
                options.receiveCq().handler(),
                now.map(SoftConnection::localAddress),
                now.map(SoftConnection::remoteAddress),
                0,
                inboundReads,
                outboundReads,
                rnic.options().maxFpduPayloadBytes(),
                sendOutstanding,
                receiveOutstanding);
    }

    void modify(QueuePairChange change) {
        checkOpen();
        if (change.remoteNumber().isPresent() || change.path().isPresent()) {
            throw new UnsupportedOperationException(
                    "On iWARP a connection sets paths and numbers; use connect and accept.");
        }
        if (change.inboundReads().isPresent() || change.outboundReads().isPresent()) {
            throw new UnsupportedOperationException(
                    "Read depths are agreed when the connection is set up; give them to createQueuePair.");
        }
        change.remoteRights().ifPresent(this::limitPeer);
        change.state().ifPresent(this::modifyState);
    }

    private void modifyState(QueuePairState wanted) {
        if (!(wanted instanceof IwarpQueuePairState target)) {
            throw new IllegalArgumentException(wanted + " is a state of InfiniBand queue pairs; this is an iWARP one");
        }
        IwarpQueuePairState now = state();
        switch (target) {
            case ERROR -> {
                command(() -> fail("The application moved the queue pair to ERROR."));
                rnic.await(() -> state().failed(), MODIFY_NS);
            }
            case IDLE -> toIdle();
            case CLOSING -> {
                if (now != IwarpQueuePairState.RTS && now != IwarpQueuePairState.CLOSING) {
                    throw new IllegalStateException("a queue pair goes to CLOSING from RTS only, not from " + now);
                }
                connection.ifPresent(SoftConnection::disconnect);
                rnic.await(() -> state() != IwarpQueuePairState.RTS, MODIFY_NS);
            }
            case RTS, TERMINATE -> {
                if (now != target) {
                    throw new IllegalStateException(
                            "a queue pair cannot be moved from " + now + " to " + target + "; a connection does that");
                }
            }
        }
    }

    /** Makes it ready for another connection: its stream must be gone and all its work complete. */
    private void toIdle() {
        ConnectionPhase now = phase;
        if (!now.over()) {
            throw new IllegalStateException(
                    "a queue pair goes back to IDLE when its connection has ended, and this one is " + now.queuePair()
                            + " now; disconnect it or move it to ERROR, and wait with awaitClosed");
        }
        if (queuePair.hasUnrung()) {
            throw new IllegalStateException("work of a batch was posted and its doorbell was not rung: ring it first");
        }
        AtomicReference<String> refusal = new AtomicReference<>("the queue pair was not moved to IDLE in time");
        command(() -> {
            refusal.set(restart());
            rnic.changed();
        });
        rnic.await(() -> phase == ConnectionPhase.IDLE, MODIFY_NS);
        if (phase != ConnectionPhase.IDLE) {
            throw new IllegalStateException(refusal.get());
        }
    }

    /** Destroys the queue pair. */
    void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        command(this::closeNow);
        rnic.await(() -> flushedAtClose, CLOSE_NS);
        rnic.queuePairClosed(queuePair);
        sendSide.cq().leave();
        receiveSide.cq().leave();
        queuePair.shared().ifPresent(SoftSharedReceiveQueue::leave);
        queuePair.domain().queuePairClosed();
    }

    // The engine.

    /** Takes the rings that its CQs have now: they may have got another size since it was made. */
    void refreshRings() {
        queues.rings(sendSide.ring(), receiveSide.ring());
    }

    /** Whether set-up need not go on. */
    boolean abandoned(SoftConnection setUp) {
        return closing || setUp.state().ended();
    }

    /** In the engine's own thread, outside of a turn as well; false when the bell has to be heard in a turn. */
    boolean onOwnDoorbell() {
        if (flushesPosts) {
            return false;
        }
        endpointReady();
        return true;
    }

    private void endpointReady() {
        Endpoint now = endpoint;
        if (now != null) {
            engine.ready(now);
        }
    }

    void onDoorbell() {
        endpointReady();
        if (flushesPosts) {
            flushOrStarve();
            settle();
        }
    }

    /** A phase of set-up begins. */
    void endpoint(Endpoint next) {
        endpoint = next;
    }

    /** TCP stands: start-up frames are next. */
    void tcpStands() {
        on(ConnectionEvent.TCP_STANDS, "");
    }

    /** Set-up of a connection came to nothing; what it was claimed for is told. */
    void setUpFailed(SoftConnection which, Kind kind, String sentence) {
        if (isCurrent(which) && phase.settingUp()) {
            which.failureKind(kind);
            if (!which.accepted()) {
                on(ConnectionEvent.SET_UP_FAILED, sentence);
                return;
            }
            // Whoever accepted may be waiting for nothing but a completion.
            beginFlush();
            on(ConnectionEvent.ACCEPT_FAILED, sentence);
            flushOrStarve();
            settle();
        }
    }

    /** The peer said no. */
    void rejected(SoftConnection which, String sentence) {
        if (isCurrent(which) && phase.settingUp()) {
            which.failureKind(Kind.REJECTED);
            on(ConnectionEvent.REJECTED, sentence);
        }
    }

    /** Set-up is given up before any phase of it began, or between two. Does nothing to one that stands or is over. */
    void abandon(SoftConnection which, String sentence) {
        setUpFailed(which, Kind.FAILED, sentence);
    }

    private boolean isCurrent(SoftConnection which) {
        return connection.isPresent() && connection.get() == which;
    }

    /** A phase of set-up came to nothing. */
    void endpointOver(Endpoint over) {
        if (endpoint == over) {
            endpoint = null;
        }
    }

    /** RDMA mode begins. */
    void established(RdmaEndpoint rdma, Negotiated negotiated) {
        refreshRings();
        endpoint = rdma;
        stream = rdma.rdma();
        stream.peerRights(remoteRights);
        stood = true;
        inboundReads = negotiated.ird();
        outboundReads = negotiated.ord();
        on(ConnectionEvent.ESTABLISHED, "");
    }

    /** What the peer may do at all on this queue pair, whatever the regions allow; the engine learns it in its next turn. */
    private void limitPeer(Set<AccessRight> rights) {
        remoteRights = Set.copyOf(rights);
        engine.submit(() -> {
            IwarpStream now = stream;
            if (now != null) {
                now.peerRights(remoteRights);
            }
        });
    }

    /** One side has begun to close in good order. */
    void closeBegan(ConnectionEvent how) {
        on(how, "");
    }

    /** The stream ends: from here on all work is flushed. */
    void onEnding(Ending ending) {
        beginFlush();
        on(ConnectionEvent.of(ending.kind()), ending.sentence());
        ending.event().ifPresent(type -> rnic.events().raise(type, queuePair, ending.sentence()));
        ending.event()
                .ifPresent(type ->
                        connection.ifPresent(c -> rnic.violations().ended(type, c.remoteAddress(), engine.nowNs())));
        if (ending.kind() == Ending.Kind.LOST) {
            connection.ifPresent(c -> rnic.peerLost(c.remoteAddress(), ending.sentence()));
        }
        if (ending.failed()) {
            queuePair.domain().findLoss();
        }
    }

    /** The stream is closed: nothing touches memory on its account any more. */
    void streamClosed(Endpoint over, String sentence) {
        endpointOver(over);
        on(ConnectionEvent.STREAM_CLOSED, sentence);
        if (phase == ConnectionPhase.CLOSED) {
            rnic.events().raise(AsyncEventType.CLOSE_COMPLETE, queuePair, sentence);
        }
    }

    /** Serving it failed by a bug. */
    void onBug(Endpoint over, String sentence) {
        endpointOver(over);
        beginFlush();
        on(ConnectionEvent.ABORT, sentence);
        flushOrStarve();
        settle();
        on(ConnectionEvent.STREAM_CLOSED, sentence);
        rnic.events().raise(AsyncEventType.QP_FATAL, queuePair, sentence);
    }

    /** What is told when our own code fails. */
    static String internalError(Throwable e) {
        return "An internal error ended the connection: " + e;
    }

    /** Something failed by a bug, beside serving the connection. */
    void onBug(String where, Throwable e) {
        Log.bug(where, e);
        Endpoint now = endpoint;
        if (now != null) {
            now.onBug(internalError(e), engine.nowNs());
        }
        crash(internalError(e));
    }

    /** Ends it where nothing of it can be relied on any more: the stream, if there is one, is given up elsewhere. */
    void crash(String sentence) {
        endpoint = null;
        connection.ifPresent(c -> abandon(c, sentence));
        beginFlush();
        on(ConnectionEvent.ABORT, sentence);
        try {
            flushOrStarve();
        } catch (Throwable e) {
            // The stream cannot flush what it has begun: flushed as if it had begun nothing.
            Log.bug("flushing a queue pair", e);
            stream = null;
            flushOrStarve();
        }
        settle();
        on(ConnectionEvent.STREAM_CLOSED, sentence);
    }

    /** Ends it by an error, connected or not. */
    void fail(String sentence) {
        Endpoint now = endpoint;
        if (now != null) {
            now.abort(sentence, engine.nowNs());
        }
        connection.ifPresent(c -> abandon(c, sentence));
        beginFlush();
        on(ConnectionEvent.ABORT, sentence);
        flushOrStarve();
        settle();
    }

    void disconnectNow(SoftConnection which) {
        Endpoint now = endpoint;
        if (isCurrent(which) && now != null) {
            now.disconnect(engine.nowNs());
        }
        abandon(which, "The application closed the connection before it stood.");
    }

    void abortNow(SoftConnection which, String sentence) {
        Endpoint now = endpoint;
        if (isCurrent(which) && now != null) {
            now.abort(sentence, engine.nowNs());
        }
        abandon(which, sentence);
    }

    /** The same at the end of the queue pair: work whose doorbell was not rung is flushed too. */
    void failWhole(String sentence) {
        queuePair.publishUnrung();
        fail(sentence);
    }

    private void closeNow() {
        closing = true;
        failWhole("The application closed the queue pair.");
        flushedAtClose = true;
        rnic.changed();
    }

    private void beginFlush() {
        refreshRings();
        flushesPosts = true;
        VarHandle.fullFence();
        // Behind the flag: whoever binds a key for this queue pair at the same moment sees the flag, or its key is seen
        // here.
        queuePair.domain().endKeysOf(queuePair);
    }

    /** Flushes; when a CQ has no room the engine tries again. True when nothing is left. */
    boolean flushOrStarve() {
        if (flush()) {
            return true;
        }
        onOverflow();
        engine.starve(queuePair);
        return false;
    }

    /** Tries again; true when nothing is left or nobody will look. */
    boolean feed() {
        boolean done = flush();
        settle();
        return done || sendSide.cq().closed() || receiveSide.cq().closed();
    }

    private boolean flush() {
        IwarpStream ended = stream;
        boolean done = ended != null ? ended.flush() : queues.flush(CompletionStatus.FLUSHED);
        if (done && !lastWqeTold && queuePair.shared().isPresent()) {
            lastWqeTold = true;
            rnic.events()
                    .raise(
                            AsyncEventType.LAST_WQE_REACHED,
                            queuePair,
                            "The last receive that this queue pair took from its shared receive queue is complete.");
        }
        return done;
    }

    /** A completion found no room: tells it once for each CQ. */
    void onOverflow() {
        overflowed(sendSide, sendSide.full() || !receiveSide.full());
        overflowed(receiveSide, receiveSide.full());
    }

    private void overflowed(CqSide side, boolean full) {
        if (full && side.cq().markOverflowed()) {
            rnic.events()
                    .raise(
                            AsyncEventType.CQ_OVERFLOW,
                            side.cq(),
                            "A completion queue of " + side.cq().capacity()
                                    + " entries overflowed; poll faster or make it larger.");
        }
    }

    /** Tells what completed. */
    void settle() {
        sendSide.settle();
        if (receiveSide != sendSide) {
            receiveSide.settle();
        }
        Optional<SoftSharedReceiveQueue> source = queuePair.shared();
        if (source.isPresent()) {
            source.get().checkLimit();
        }
    }

    private void on(ConnectionEvent event, String sentence) {
        ConnectionPhase now;
        synchronized (this) {
            if (!machine.on(event)) {
                return;
            }
            now = machine.state();
            phase = now;
        }
        connection.ifPresent(c -> c.phase(now, sentence));
        rnic.changed();
    }

    /** The engine's part of the move to IDLE; returns why it cannot be, empty if it was done. */
    private String restart() {
        if (endpoint != null || !phase.over()) {
            return "the queue pair's connection has not ended yet";
        }
        if (!queues.isEmpty()) {
            return "work of the queue pair is not complete yet: poll its completion queue first";
        }
        queues.restart();
        stream = null;
        lastWqeTold = false;
        stood = false;
        connection = Optional.empty();
        flushesPosts = false;
        VarHandle.fullFence();
        on(ConnectionEvent.TO_IDLE, "");
        return "";
    }
}
