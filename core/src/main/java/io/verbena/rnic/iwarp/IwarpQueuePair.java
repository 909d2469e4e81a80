package io.verbena.rnic.iwarp;

import io.verbena.base.Digest;
import io.verbena.iwarp.Ending;
import io.verbena.iwarp.IwarpStream;
import io.verbena.iwarp.startup.Negotiated;
import io.verbena.memory.RegistrationRules;
import io.verbena.queue.Wqe;
import io.verbena.rnic.PacketCarriage;
import io.verbena.rnic.PhasedEndpoint;
import io.verbena.rnic.SoftConnection;
import io.verbena.rnic.SoftQueuePair;
import io.verbena.text.AddressText;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.ByteSource;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.ConnectionException.Kind;
import io.verbena.verbs.Figures;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.TransportChanges;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The protocol of an iWARP queue pair: makes the transitions of {@link ConnectionTable}, and delegates the service to
 * the current {@link Stage} of the connection. The engine calls every method unless the method is marked "Any thread".
 *
 * <p>Over 500 lines: it is all that a stage, whichever it is, asks of the queue pair.
 */
final class IwarpQueuePair extends PhasedEndpoint<ConnectionPhase, ConnectionEvent> {

    static final String CLOSED = "The connection was closed gracefully.";

    private static final long MODIFY_NS = 1_000_000_000L;

    private @Nullable Stage stage;
    private @Nullable IwarpStream stream;
    private @Nullable PacketCarriage packets;

    // Written by the engine (or under the lock), read by any thread.
    private volatile Set<AccessRight> remoteRights = super.remoteRights();
    private volatile ReadLimits readLimits = super.readLimits();
    private volatile int executedPosts;

    private volatile Optional<Continuation> survivor = Optional.empty();

    private final Survivors survivors;
    private final PeerAccess access = new PeerAccess(context()::changed);
    private @Nullable Stage left; // which a bug has ended while its peer was inside
    private String bug = "";

    IwarpQueuePair(SoftQueuePair queuePair, Survivors survivors) {
        super(queuePair, ConnectionTable.TABLE, ConnectionPhase.IDLE);
        this.survivors = survivors;
    }

    /** The endpoint of a queue pair of this transport. */
    static IwarpQueuePair of(SoftQueuePair queuePair) {
        return (IwarpQueuePair) queuePair.endpoint();
    }

    // Any thread.

    @Override
    protected boolean takesSends() {
        return phase().queuePair() != IwarpQueuePairState.IDLE || wasEstablished();
    }

    /**
     * {@inheritDoc}
     *
     * @param event {@link ConnectionEvent#CONNECT} or {@link ConnectionEvent#TAKE_OVER}
     * @throws IllegalStateException if the queue pair is in use, or if its engine belongs to another thread
     */
    @Override
    public void claim(SoftConnection claimant, ConnectionEvent event) {
        engine().checkCaller();
        super.claim(claimant, event);
    }

    @Override
    protected ReadLimits readLimits() {
        return readLimits;
    }

    @Override
    protected Set<AccessRight> remoteRights() {
        return remoteRights;
    }

    @Override
    protected int maxFrameBytes() {
        return context().options().iwarp().maxFpduPayloadBytes();
    }

    @Override
    protected void modify(QueuePairChange change) {
        queuePair().checkOpen();
        if (change.remoteNumber().isPresent() || change.path().isPresent()) {
            throw new UnsupportedOperationException(
                    "On iWARP, the connection set-up determines paths and numbers; use connect and accept.");
        }
        if (change.inboundReads().isPresent() || change.outboundReads().isPresent()) {
            throw new UnsupportedOperationException(
                    "Read depths are negotiated when the connection is set up; pass them to createQueuePair.");
        }
        change.remoteRights().ifPresent(this::limitPeer);
        change.state().ifPresent(this::modifyState);
    }

    private void modifyState(QueuePairState requested) {
        if (!(requested instanceof IwarpQueuePairState target)) {
            throw new IllegalArgumentException(
                    requested + " is a state of InfiniBand queue pairs; this is an iWARP queue pair");
        }
        IwarpQueuePairState state = phase().queuePair();
        switch (target) {
            case ERROR -> {
                command(() -> fail("The application moved the queue pair to ERROR."));
                context().await(() -> state().failed(), MODIFY_NS);
            }
            case IDLE -> toIdle();
            case CLOSING -> {
                if (state != IwarpQueuePairState.RTS && state != IwarpQueuePairState.CLOSING) {
                    throw new IllegalStateException(
                            "a queue pair can be moved to CLOSING from RTS only, not from " + state);
                }
                connection().ifPresent(SoftConnection::disconnect);
                context().await(() -> state() != IwarpQueuePairState.RTS, MODIFY_NS);
            }
            case RTS, TERMINATE -> {
                if (state != target) {
                    throw new IllegalStateException("a queue pair cannot be moved from " + state + " to " + target
                            + "; connect and accept change its state");
                }
            }
        }
    }

    /** Prepares the queue pair for another connection: its stream must be closed and all its work complete. */
    private void toIdle() {
        ConnectionPhase currentPhase = phase();
        if (!currentPhase.over()) {
            throw new IllegalStateException(
                    "a queue pair can be moved to IDLE only after its connection has ended, and this one is "
                            + currentPhase.queuePair()
                            + "; disconnect it or move it to ERROR, and wait with awaitClosed");
        }
        if (queuePair().hasUnrung()) {
            throw new IllegalStateException("a batch was posted and its doorbell was not rung; ring it first");
        }
        AtomicReference<String> refusal = new AtomicReference<>("the queue pair was not moved to IDLE in time");
        command(() -> {
            refusal.set(restart());
            context().changed();
        });
        context().await(() -> phase() == ConnectionPhase.IDLE, MODIFY_NS);
        if (phase() != ConnectionPhase.IDLE) {
            throw new IllegalStateException(refusal.get());
        }
    }

    @Override
    protected void describePath(Figures.Builder figures) {
        // The phase is volatile, so that the stage is visible completely.
        if (phase().queuePair() == IwarpQueuePairState.RTS && stage instanceof Stage currentStage) {
            currentStage.describePath(figures);
        }
    }

    // Called by the engine.

    @Override
    protected void service(long nowNs) {
        Stage currentStage = stage;
        if (currentStage != null) {
            currentStage.service(nowNs);
        }
    }

    @Override
    protected int writeHeld(ByteSource source, int most, long remoteAddress, int key) throws IOException {
        Stage currentStage = stage;
        return currentStage == null ? QueuePair.IMPOSSIBLE : currentStage.writeNow(source, most, remoteAddress, key);
    }

    @Override
    protected int executedPosts() {
        return executedPosts;
    }

    /** Posts of these operations may be executed by the current stage from now on. */
    void executePosts(int operations) {
        executedPosts = operations;
    }

    @Override
    protected boolean executeHeld(Wqe posted) {
        Stage currentStage = stage;
        return currentStage != null && currentStage.execute(posted);
    }

    @Override
    protected void onDeadline(long nowNs) {
        Stage currentStage = stage;
        if (currentStage != null) {
            currentStage.onDeadline(nowNs);
        }
    }

    @Override
    protected long stateDigest() {
        Stage currentStage = stage;
        long flags = Digest.flags(stream != null, left != null, packets != null);
        long digest = Digest.mix(Digest.mix(phase().ordinal(), access.state().ordinal()), flags);
        digest = Digest.mix(digest, RegistrationRules.bits(remoteRights));
        digest = Digest.mix(digest, (long) readLimits.inbound() << 32 | readLimits.outbound());
        digest = survivor.isPresent() ? Digest.mix(digest, survivor.get().stateDigest(engine().nowNs())) : digest;
        return currentStage == null ? digest : Digest.mix(digest, currentStage.stateDigest());
    }

    @Override
    protected void onBug(String sentence, long nowNs) {
        Stage currentStage = stage;
        if (currentStage != null) {
            currentStage.onBug(sentence, nowNs);
        }
        if (phase() != ConnectionPhase.FAILED && phase() != ConnectionPhase.NOT_SET_UP) {
            crash(sentence);
        }
    }

    /** Makes a stage the current one and serves it. */
    void begin(Stage next) {
        engine().leave(this);
        engine().join(this);
        stage = next;
    }

    /** Replaces the current stage by one that continues its work. */
    void follow(Stage next) {
        executedPosts = 0;
        stage = next;
    }

    /** Ends a stage; no stage is current until the next one begins. */
    void end(Stage over) {
        if (stage == over) {
            stage = null;
            executedPosts = 0;
            engine().leave(this);
            access.on(PeerAccess.Event.LIMITED);
        }
    }

    // Set-up.

    /** Whether the set-up was cancelled. */
    boolean abandoned(SoftConnection setUp) {
        return closing() || setUp.state().ended();
    }

    /** TCP is connected; start-up frames follow. */
    void tcpConnected() {
        on(ConnectionEvent.TCP_CONNECTED, "");
    }

    /** Reports that the set-up of a connection failed. */
    void setUpFailed(SoftConnection which, Kind kind, String sentence) {
        if (isCurrent(which) && phase().settingUp()) {
            which.failureKind(kind);
            if (!which.accepted()) {
                on(ConnectionEvent.SET_UP_FAILED, sentence);
                return;
            }
            // The application that accepted may be waiting for a completion only.
            beginFlush();
            on(ConnectionEvent.ACCEPT_FAILED, sentence);
            flushOrRetry();
            settle();
        }
    }

    /** The Reply of the peer rejects the connection. */
    void rejected(SoftConnection which, String sentence) {
        if (isCurrent(which) && phase().settingUp()) {
            which.failureKind(Kind.REJECTED);
            on(ConnectionEvent.REJECTED, sentence);
        }
    }

    /** Gives up a set-up before its first stage or between two stages. Has no effect once it is established or has ended. */
    void abandon(SoftConnection which, String sentence) {
        setUpFailed(which, Kind.FAILED, sentence);
    }

    // RDMA mode.

    /** RDMA mode begins. */
    void established(RdmaStage rdma, Negotiated negotiated) {
        refreshRings();
        IwarpStream begun = rdma.rdma();
        stream = begun;
        packets = null;
        begun.peerRights(remoteRights);
        readLimits = new ReadLimits(negotiated.ird(), negotiated.ord());
        on(ConnectionEvent.ESTABLISHED, "");
    }

    /** RDMA mode begins, and packets carry the messages. */
    void establishedByPackets(PacketCarriage carriage, Negotiated negotiated) {
        refreshRings();
        stream = null;
        packets = carriage;
        carriage.peerRights(remoteRights);
        readLimits = new ReadLimits(negotiated.ird(), negotiated.ord());
        on(ConnectionEvent.ESTABLISHED, "");
    }

    /** A connection that packets have carried has ended, and nothing continues it. */
    void packetsFailed(String sentence) {
        endSurvival();
        beginFlush();
        on(ConnectionEvent.ABORT, sentence);
        flushOrRetry();
        settle();
        on(ConnectionEvent.STREAM_CLOSED, sentence);
        queuePair().findLoss();
    }

    /** Both sides had closed the connection when its transport ended, and the peer has not returned. */
    void closedBefore() {
        endStage(CLOSED);
        stream = null;
        closed();
    }

    /** Both sides have closed a connection that no stream carries. */
    void closed() {
        endSurvival();
        beginFlush();
        on(ConnectionEvent.BOTH_ENDED, "");
        flushOrRetry();
        settle();
        streamClosed(CLOSED);
    }

    /** Raises an event about the queue pair. */
    void report(AsyncEventType type, String sentence) {
        raise(type, sentence);
    }

    /**
     * Limits the operations of the peer on this queue pair, whatever the regions allow. Waits until the peer does not use
     * other rights any more.
     */
    private void limitPeer(Set<AccessRight> rights) {
        engine().checkCaller();
        remoteRights = Set.copyOf(rights);
        AtomicBoolean applied = new AtomicBoolean();
        command(() -> {
            Stage currentStage = stage;
            boolean limited = currentStage == null || currentStage.limitPeer(remoteRights);
            access.on(limited ? PeerAccess.Event.LIMITED : PeerAccess.Event.LIMIT);
            applied.set(true);
            context().changed();
        });
        context().await(() -> applied.get() && access.is(PeerAccess.State.WITHIN_RIGHTS), MODIFY_NS);
    }

    PeerAccess access() {
        return access;
    }

    /** Ends the wait of {@link #limitPeer} if the peer of this stage does not use other rights any more. */
    void reportLimited(Stage currentStage) {
        if (access.is(PeerAccess.State.LIMITING) && currentStage.peerLeft()) {
            access.on(PeerAccess.Event.LIMITED);
        }
    }

    // Surviving.

    /** The connections of the RNIC that a peer may want to continue. Any thread. */
    Survivors survivors() {
        return survivors;
    }

    /** The connection survives its transport from now on. */
    void surviving(Continuation now) {
        survivor = Optional.of(now);
    }

    /** Nothing continues the connection from now on. */
    void endSurvival() {
        survivor.ifPresent(Continuation::end);
    }

    /** Ends the current stage, whichever it is, without flushing work. */
    void endStage(String sentence) {
        Stage currentStage = stage;
        if (currentStage != null) {
            currentStage.fence(sentence);
        }
    }

    /** Nothing of the current stream is executed any more; work is kept. */
    void fence(String sentence) {
        endStage(sentence);
        packets = null;
        on(ConnectionEvent.TRANSPORT_ENDED, "");
    }

    /** The current stage; empty between two stages, and without a connection. */
    Optional<Stage> stage() {
        return Optional.ofNullable(stage);
    }

    /** The connection is lost: no stream continues it. */
    void giveUp(String sentence) {
        endStage(sentence);
        endSurvival();
        beginFlush();
        on(ConnectionEvent.PEER_SILENT, sentence);
        raise(AsyncEventType.CONNECTION_LOST, sentence);
        connection().ifPresent(c -> context().peerLost(c.remoteAddress(), sentence, queues().unsuccessfulSends()));
        flushOrRetry();
        settle();
    }

    /** What carries the connection, for a sentence. */
    String describeTransport() {
        return connection()
                .map(c -> c.transport() + " from " + AddressText.of(c.localAddress()) + " to "
                        + AddressText.of(c.remoteAddress()))
                .orElse("");
    }

    /** Another stream carries the connection. */
    void transportChanged(String from, String reason, TransportChanges changes) {
        raise(
                AsyncEventType.TRANSPORT_CHANGED,
                "The connection continues over " + describeTransport() + ", and no longer over " + from + ". " + reason
                        + " So far " + changes.repeated() + " requests were sent again and " + changes.recovered()
                        + " recovered.");
    }

    @Override
    protected void migrate(SoftConnection which) {
        if (!isCurrent(which) || phase() != ConnectionPhase.OPEN || survivor.isEmpty()) {
            return;
        }
        String sentence = "The application has left the transport.";
        if (stage instanceof PacketStage) {
            survivor.get().packetsEnded(false, CloseProgress.OPEN, sentence, engine().nowNs());
        } else if (stage instanceof RdmaStage) {
            survivor.get().transportEnded(sentence, engine().nowNs());
        }
    }

    @Override
    protected Optional<TransportChanges> transportChanges(SoftConnection which) {
        return isCurrent(which) ? survivor.map(Continuation::changes) : Optional.empty();
    }

    /** One side has begun a graceful close. */
    void closeBegan(ConnectionEvent event) {
        on(event, "");
    }

    /**
     * The stream is ending: all work is flushed from now on.
     *
     * @param delivered whether this side has closed the connection and the peer has everything, so that its silence loses nothing
     */
    void onEnding(Ending ending, boolean delivered) {
        IwarpStream ended = stream;
        if (ended != null && ended.peerExited()) {
            connection().ifPresent(SoftConnection::onPeerExited);
        }
        beginFlush();
        on(ConnectionEvent.of(ending.kind()), ending.sentence());
        ending.event().ifPresent(type -> raise(type, ending.sentence()));
        ending.event()
                .ifPresent(type -> connection()
                        .ifPresent(c -> context().violations().ended(type, c.remoteAddress(), engine().nowNs())));
        if (ending.kind() == Ending.Kind.LOST && !delivered) {
            connection()
                    .ifPresent(c ->
                            context().peerLost(c.remoteAddress(), ending.sentence(), queues().unsuccessfulSends()));
        }
        if (ending.failed()) {
            queuePair().findLoss();
        }
    }

    /** The stream is closed and no longer accesses memory. */
    void streamClosed(String sentence) {
        on(ConnectionEvent.STREAM_CLOSED, sentence);
        if (phase() == ConnectionPhase.CLOSED) {
            raise(AsyncEventType.CLOSE_COMPLETE, sentence);
        }
    }

    // Ends.

    /** Serving the stream failed because of a bug. */
    void onStreamBug(Stage over, String sentence) {
        end(over);
        if (!over.peerLeft()) {
            awaitPeer(over, sentence);
            return;
        }
        endAfterBug(sentence);
        raise(AsyncEventType.QP_FATAL, sentence);
    }

    @Override
    protected void crash(String sentence) {
        Stage last = stage;
        if (last != null) {
            end(last);
        }
        connection().ifPresent(c -> abandon(c, sentence));
        Stage over = left == null ? last : left;
        if (over != null && !over.peerLeft()) {
            awaitPeer(over, sentence);
        } else {
            endAfterBug(sentence);
        }
    }

    /** Waits until the peer of a stage that a bug has ended has left. The engine asks in its turns, as for space in a CQ. */
    private void awaitPeer(Stage over, String sentence) {
        left = over;
        bug = sentence;
        access.on(PeerAccess.Event.END_WAITS);
        engine().starve(this);
    }

    @Override
    protected boolean mayFlush() {
        return left == null || left.peerLeft();
    }

    @Override
    protected void onMayFlush() {
        if (left != null) {
            endAfterBug(bug);
        }
    }

    private void endAfterBug(String sentence) {
        left = null;
        endSurvival();
        beginFlush();
        on(ConnectionEvent.ABORT, sentence);
        flushAfterBug(() -> {
            stream = null;
            packets = null;
        });
        flushed();
        on(ConnectionEvent.STREAM_CLOSED, sentence);
    }

    @Override
    public void fail(String sentence) {
        endSurvival();
        Stage currentStage = stage;
        if (left != null || currentStage != null && !currentStage.abort(sentence, engine().nowNs())) {
            access.on(PeerAccess.Event.END_WAITS);
            return;
        }
        connection().ifPresent(c -> abandon(c, sentence));
        beginFlush();
        on(ConnectionEvent.ABORT, sentence);
        flushOrRetry();
        settle();
    }

    /** The work of an ended connection was flushed, as far as the completion queues have space. */
    void flushed() {
        access.on(PeerAccess.Event.FLUSHED);
    }

    @Override
    protected boolean awaitsPeer() {
        return access.is(PeerAccess.State.INSIDE);
    }

    @Override
    protected void disconnect(SoftConnection which) {
        Stage currentStage = stage;
        if (isCurrent(which) && currentStage != null) {
            currentStage.disconnect(engine().nowNs());
        }
        abandon(which, SetUpStage.CLOSED);
    }

    @Override
    protected void abort(SoftConnection which, String sentence) {
        Stage currentStage = stage;
        if (isCurrent(which) && phase().survives()) {
            fail(sentence);
        } else if (isCurrent(which) && currentStage != null) {
            currentStage.abort(sentence, engine().nowNs());
        }
        abandon(which, sentence);
    }

    @Override
    protected void resetIfKilled(SoftConnection which, boolean reset) {
        Stage currentStage = stage;
        if (isCurrent(which) && currentStage != null) {
            currentStage.resetIfKilled(reset);
        }
    }

    @Override
    protected boolean flushWork() {
        IwarpStream ended = stream;
        if (ended != null) {
            return ended.flush();
        }
        PacketCarriage carriage = packets;
        return carriage != null ? carriage.flush() : queues().flush(CompletionStatus.FLUSHED);
    }

    /** The part of the move to IDLE that runs on the engine; returns the reason why it failed, empty on success. */
    private String restart() {
        if (stage != null || !phase().over()) {
            return "the connection of the queue pair has not ended yet";
        }
        if (!queues().isEmpty()) {
            return "work of the queue pair is not complete yet: poll its completion queue first";
        }
        stream = null;
        packets = null;
        survivor = Optional.empty();
        connection(Optional.empty());
        endFlush();
        on(ConnectionEvent.TO_IDLE, "");
        return "";
    }
}
