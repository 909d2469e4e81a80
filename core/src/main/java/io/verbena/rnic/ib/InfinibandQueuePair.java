package io.verbena.rnic.ib;

import io.verbena.base.Digest;
import io.verbena.base.Times;
import io.verbena.ib.endpoint.QueuePairEngine;
import io.verbena.ib.endpoint.QueuePairWork;
import io.verbena.ib.packet.Admission;
import io.verbena.ib.packet.Origin;
import io.verbena.rnic.PhasedEndpoint;
import io.verbena.rnic.SoftConnection;
import io.verbena.rnic.SoftQueuePair;
import io.verbena.rnic.ib.port.PacketTarget;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.ConnectionException.Kind;
import io.verbena.verbs.ConnectionPath;
import io.verbena.verbs.Figures;
import io.verbena.verbs.PathAttributes;
import io.verbena.verbs.QueuePairChange;
import io.verbena.wire.ib.IbPacket;
import io.verbena.wire.ib.PacketRun;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A queue pair of the InfiniBand transport: makes the transitions of {@link QueuePairTable}, and delegates the
 * protocol to a {@link ProtocolStage} from RTR on. The engine calls every method unless the method is marked "Any thread".
 */
final class InfinibandQueuePair extends PhasedEndpoint<QueuePairPhase, QueuePairEvent> implements PacketTarget {

    private final InfinibandPort port;

    private final GroupMembership groups = new GroupMembership(this);
    private final FrameSteering steering = new FrameSteering(this);
    private @Nullable ProtocolStage stage;
    private @Nullable ManagedConnection managed;
    private final PeerDeparture departure = new PeerDeparture();

    // Written by the engine (or under the lock), read by any thread.
    private volatile Set<AccessRight> remoteRights = super.remoteRights();
    private volatile Optional<QueuePairLink> link = Optional.empty();

    InfinibandQueuePair(SoftQueuePair queuePair, InfinibandPort port) {
        super(queuePair, QueuePairTable.TABLE, QueuePairPhase.RESET);
        this.port = port;
    }

    /** The endpoint of a queue pair of this transport. */
    static InfinibandQueuePair of(SoftQueuePair queuePair) {
        return (InfinibandQueuePair) queuePair.endpoint();
    }

    InfinibandPort port() {
        return port;
    }

    /** The protocol, from RTR on. On the engine. */
    Optional<ProtocolStage> stage() {
        return Optional.ofNullable(stage);
    }

    /** The peer, from RTR on. */
    Optional<QueuePairLink> link() {
        return link;
    }

    // Any thread.

    @Override
    protected boolean takesSends() {
        return phase().queuePair().maySend() || wasEstablished();
    }

    @Override
    protected ReadLimits readLimits() {
        return link.map(QueuePairLink::readLimits).orElseGet(super::readLimits);
    }

    @Override
    protected Set<AccessRight> remoteRights() {
        return remoteRights;
    }

    @Override
    protected int maxFrameBytes() {
        return link.map(it -> it.settings().mtuBytes()).orElse(port.limits().mtuBytes());
    }

    @Override
    protected int remoteNumber() {
        return link.map(it -> it.settings().remoteQp()).orElse(0);
    }

    @Override
    protected Optional<PathAttributes> path() {
        return link.map(QueuePairLink::attributes);
    }

    @Override
    protected void describePath(Figures.Builder figures) {
        stage().filter(_ -> phase().sends()).ifPresent(now -> now.describePath(figures));
    }

    @Override
    protected List<ConnectionPath> paths(SoftConnection which) {
        return isCurrent(which) ? stage().map(ProtocolStage::paths).orElse(List.of()) : List.of();
    }

    // Multicast groups.

    @Override
    public void joinGroup(InetAddress group) throws IOException {
        groups.change(() -> groups.join(group));
    }

    @Override
    public void leaveGroup(InetAddress group) throws IOException {
        groups.change(() -> groups.leave(group));
    }

    @Override
    public AutoCloseable steer(OptionalInt nextHeader, Optional<InetAddress> destination) {
        return steering.add(nextHeader, destination);
    }

    // Packets.

    @Override
    public boolean admits(IbPacket packet, Admission admission) {
        ProtocolStage currentStage = stage;
        return currentStage != null && admission.admit(packet, currentStage) == Admission.Outcome.ADMITTED;
    }

    @Override
    public void onPacket(IbPacket packet, MemorySegment segment, Origin origin, long nowNs) {
        ProtocolStage currentStage = stage;
        if (currentStage != null) {
            if (phase() == QueuePairPhase.ACCEPTING && packet.opcode().request()) {
                managed().ifPresent(it -> it.requestCame(origin));
            }
            currentStage.onPacket(packet, segment, origin, nowNs);
            engine().ready(this);
        }
    }

    @Override
    public boolean takesRun(Origin origin, int psn) {
        ProtocolStage currentStage = stage;
        return currentStage != null && currentStage.takesRun(origin, psn);
    }

    @Override
    public int onRun(PacketRun run) {
        ProtocolStage currentStage = stage;
        return currentStage != null ? currentStage.onRun(run) : 0;
    }

    @Override
    protected void service(long nowNs) {
        ProtocolStage currentStage = stage;
        if (currentStage != null) {
            currentStage.service(nowNs);
        }
        setDeadline();
    }

    private void setDeadline() {
        ProtocolStage currentStage = stage;
        long protocolNs = currentStage == null ? Times.NEVER : currentStage.nextDeadlineNs();
        long lifeNs = Times.earlier(departure.nextDeadlineNs(), setUpDeadlineNs());
        engine().deadline(this, Times.earlier(protocolNs, lifeNs));
    }

    private long setUpDeadlineNs() {
        ManagedConnection currentManaged = managed;
        return currentManaged == null || !phase().settingUp()
                ? Times.NEVER
                : currentManaged.deadline().nextNs();
    }

    @Override
    protected void onDeadline(long nowNs) {
        ManagedConnection setUp = managed;
        if (setUp != null && phase().settingUp() && setUp.deadline().passed(nowNs)) {
            setUp.expired();
        }
        ProtocolStage currentStage = stage;
        if (currentStage != null && Times.due(currentStage.nextDeadlineNs(), nowNs)) {
            currentStage.onDeadline(nowNs);
        }
        if (departure.due(nowNs)) {
            peerGone();
        }
    }

    /**
     * The protocol has nothing to send.
     *
     * @param sendQueueFailed whether failed work has stopped the send queue
     */
    void idle(boolean sendQueueFailed) {
        if (departure.pending() && queues().sendsDone()) {
            peerGone();
        } else if (phase() == QueuePairPhase.FINISHING && queues().sendsDone()) {
            finished();
        } else if (sendQueueFailed && phase() == QueuePairPhase.OPEN) {
            on(QueuePairEvent.SEND_QUEUE_FAILED, "");
        }
    }

    /** Raises an event of the protocol. */
    void report(AsyncEventType type, String sentence) {
        raise(type, sentence);
    }

    // Set-up.

    /** Whether the set-up was cancelled. */
    private boolean abandoned(SoftConnection setUp) {
        return closing() || !isCurrent(setUp) || setUp.state().ended();
    }

    /** Begins the set-up of a claimed connection; returns false if it was cancelled meanwhile. */
    boolean begin(ManagedConnection setUp) {
        String obstacle = abandoned(setUp.connection())
                ? "The queue pair was closed before the connection was established."
                : port.fault();
        if (!obstacle.isEmpty()) {
            setUpFailed(setUp.connection(), Kind.FAILED, obstacle);
            return false;
        }
        engine().leave(this);
        engine().join(this);
        managed = setUp;
        setDeadline();
        return true;
    }

    /** Executes requests of the peer from now on (RTR). Returns no obstacle. */
    String readyToReceive(QueuePairLink to) {
        refreshRings();
        QueuePairEngine protocol = to.start(
                queuePair().options(),
                QueuePairWork.of(workContext()),
                port.addressHandles(),
                port.limits().options().datagramWrites(),
                () -> engine().ready(this));
        protocol.peerRights(remoteRights);
        stage = new ProtocolStage(this, protocol, to.qKey());
        link = Optional.of(to);
        engine().leave(this);
        engine().join(this);
        return "";
    }

    /** Sends requests from now on (RTS). */
    void established(QueuePairLink with) {
        ProtocolStage currentStage = stage;
        if (currentStage != null && phase().settingUp()) {
            currentStage.readyToSend(with);
            on(QueuePairEvent.ESTABLISHED, "");
            engine().ready(this);
        }
    }

    /** Reports that the set-up of a connection failed. */
    void setUpFailed(SoftConnection which, Kind kind, String sentence) {
        if (!isCurrent(which) || !phase().settingUp()) {
            return;
        }
        which.failureKind(kind);
        if (which.accepted()) {
            // The application that accepted may be waiting for a completion only.
            end(QueuePairEvent.ACCEPT_FAILED, sentence);
        } else {
            withdraw();
            on(QueuePairEvent.SET_UP_FAILED, sentence);
        }
    }

    /** The application of the peer rejects the request, or the reply to its own request. */
    void rejected(SoftConnection which, String sentence) {
        if (isCurrent(which) && phase() == QueuePairPhase.CONNECTING) {
            withdraw();
            which.failureKind(Kind.REJECTED);
            on(QueuePairEvent.REJECTED, sentence);
        } else {
            setUpFailed(which, Kind.FAILED, sentence);
        }
    }

    /** Undoes a set-up; the queue pair can be connected again, and its receives remain. */
    private void withdraw() {
        ManagedConnection setUp = managed;
        managed = null;
        stage = null;
        engine().leave(this);
        if (setUp != null) {
            setUp.end();
        }
    }

    // Moves requested by the application, without connection management.

    @Override
    protected void modify(QueuePairChange change) {
        queuePair().checkOpen();
        new QueuePairModification(this, change).apply();
    }

    /** Forgets the peer and what was permitted to it (RESET). No work is pending. */
    void forgetPeer() {
        stage().ifPresent(ProtocolStage::detach);
        stage = null;
        link = Optional.empty();
        remoteRights = super.remoteRights();
        engine().leave(this);
        connection(Optional.empty());
        endFlush();
    }

    /** Limits the operations of the peer, whatever the regions allow. */
    void limitPeer(Set<AccessRight> rights) {
        Set<AccessRight> possible = new HashSet<>(rights);
        possible.retainAll(super.remoteRights());
        remoteRights = Set.copyOf(possible);
        stage().ifPresent(it -> it.peerRights(remoteRights));
    }

    @Override
    protected void proposeAlternatePath(SoftConnection which, AddressHandleAttributes path) {
        new QueuePairModification(this, QueuePairChange.none()).propose(which, path);
    }

    /** The connection, if connection management has made it and it has not ended. On the engine. */
    Optional<ManagedConnection> managed() {
        return Optional.ofNullable(managed);
    }

    // Ends.

    /** All posted work is complete after the application has closed the connection. */
    private void finished() {
        ManagedConnection currentManaged = managed;
        stopProtocol(QueuePairEvent.WORK_DONE, "");
        engine().leave(this);
        if (currentManaged == null) {
            peerLeft();
        } else {
            currentManaged.leave();
        }
    }

    /** The peer has closed the connection, or has answered that this side did. */
    void peerLeft() {
        managed = null;
        if (phase().sends() && !phase().settingUp() && !protocolFailed() && !queues().sendsDone()) {
            departure.begin(engine().nowNs());
            setDeadline();
        } else {
            peerGone();
        }
    }

    /** Whether the peer has closed the connection while work is pending. It does not answer then, and is not lost. */
    boolean peerClosed() {
        return departure.pending();
    }

    /** Number of send requests that have failed or are not complete. */
    long unsuccessfulSends() {
        return queues().unsuccessfulSends();
    }

    private void peerGone() {
        departure.end();
        if (phase().settingUp()) {
            String sentence = "The peer closed the connection before it was established.";
            connection().ifPresent(it -> setUpFailed(it, Kind.FAILED, sentence));
        } else if (phase() == QueuePairPhase.LEAVING) {
            on(QueuePairEvent.PEER_LEFT, "The connection was closed gracefully.");
            raise(AsyncEventType.CLOSE_COMPLETE, "The connection was closed gracefully.");
        } else if (phase().sends() && !protocolFailed()) {
            PeerDeparture.End end = PeerDeparture.End.of(queues().sendsDone());
            end(end.event(), end.sentence());
            raise(end.type(), end.sentence());
        }
    }

    /** Whether the protocol has failed; if so, that is reported, since it came first. */
    private boolean protocolFailed() {
        return stage().map(now -> now.failed(engine().nowNs())).orElse(false);
    }

    /** The protocol has failed. */
    void broken(String sentence) {
        end(QueuePairEvent.BROKEN, sentence);
        queuePair().findLoss();
    }

    @Override
    public void fail(String sentence) {
        connection().ifPresent(c -> setUpFailed(c, Kind.FAILED, sentence));
        end(QueuePairEvent.ABORT, sentence);
    }

    @Override
    protected void crash(String sentence) {
        connection().ifPresent(c -> setUpFailed(c, Kind.FAILED, sentence));
        beginFlush();
        on(QueuePairEvent.ABORT, sentence);
        flushAfterBug(() -> stage = null);
        leave();
        raise(AsyncEventType.QP_FATAL, sentence);
    }

    /** Flushes all work, reports the end, and notifies the peer. */
    private void end(QueuePairEvent event, String sentence) {
        stopProtocol(event, sentence);
        leave();
    }

    private void stopProtocol(QueuePairEvent event, String sentence) {
        departure.end();
        beginFlush();
        on(event, sentence);
        stage().ifPresent(last -> last.abort(sentence));
        flushOrRetry();
        settle();
    }

    /** The engine serves this queue pair no more, and the peer is notified. */
    private void leave() {
        engine().leave(this);
        groups.leaveAll();
        steering.removeAll();
        ManagedConnection last = managed;
        managed = null;
        if (last != null) {
            last.end();
        }
    }

    @Override
    protected void disconnect(SoftConnection which) {
        setUpFailed(which, Kind.FAILED, "The application closed the connection before it was established.");
        if (isCurrent(which)) {
            on(QueuePairEvent.DISCONNECT, "");
            ProtocolStage currentStage = stage;
            if (currentStage != null && phase() == QueuePairPhase.FINISHING) {
                currentStage.drain(false);
            }
            engine().ready(this);
        }
    }

    @Override
    protected void abort(SoftConnection which, String sentence) {
        setUpFailed(which, Kind.FAILED, sentence);
        if (isCurrent(which) && !which.state().ended()) {
            fail(sentence);
        }
    }

    @Override
    protected boolean flushWork() {
        return stage().map(ProtocolStage::flush).orElseGet(() -> queues().flush(CompletionStatus.FLUSHED));
    }

    @Override
    protected long stateDigest() {
        return Digest.mix(
                phase().ordinal(), stage().map(ProtocolStage::stateDigest).orElse(0L));
    }
}
