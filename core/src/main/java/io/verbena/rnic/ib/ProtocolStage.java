package io.verbena.rnic.ib;

import io.verbena.base.PacketPath;
import io.verbena.base.Times;
import io.verbena.ib.endpoint.Failure;
import io.verbena.ib.endpoint.QueuePairEngine;
import io.verbena.ib.packet.Admission;
import io.verbena.ib.packet.Origin;
import io.verbena.rnic.SoftConnection;
import io.verbena.rnic.context.RnicContext;
import io.verbena.rnic.ib.port.PortSender;
import io.verbena.rnic.ib.port.PortWait;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.ConnectionPath;
import io.verbena.verbs.Figures;
import io.verbena.verbs.Termination;
import io.verbena.wire.ib.Bth;
import io.verbena.wire.ib.IbOpcode.Service;
import io.verbena.wire.ib.IbPacket;
import io.verbena.wire.ib.PacketRun;
import io.verbena.wire.ib.Syndrome;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The part of a queue pair's life in which a protocol engine runs, from RTR on: sends what the engine builds, and
 * reports its events and its end to the queue pair.
 */
final class ProtocolStage implements Admission.Target {

    /** The five bits of an AETH syndrome that contain the code of a NAK. */
    private static final int NAK_CODE = 0x1f;

    private final InfinibandQueuePair queuePair;
    private final PortSender sender;
    private final PortWait wait;
    private final QueuePairEngine engine;
    private final int qKey;
    private final Liveness liveness = new Liveness();
    private boolean failureReported;

    ProtocolStage(InfinibandQueuePair queuePair, QueuePairEngine engine, int qKey) {
        this.queuePair = queuePair;
        this.qKey = qKey;
        this.engine = engine;
        sender = queuePair.port().sender(queuePair.engine());
        wait = new PortWait(queuePair);
    }

    // Admission of packets.

    @Override
    public Service service() {
        return engine.service();
    }

    @Override
    public boolean takesRequests() {
        return queuePair.phase().receives();
    }

    @Override
    public boolean takesResponses() {
        return queuePair.phase().sends();
    }

    @Override
    public int pKey() {
        return Bth.DEFAULT_P_KEY;
    }

    @Override
    public int qKey() {
        return qKey;
    }

    // States.

    /** Requests may be sent from now on (RTS). */
    void readyToSend(QueuePairLink link) {
        engine.readyToSend(link.settings());
        long keepAliveNs = engine.answersProbes() ? link.settings().keepAliveNs() : 0;
        liveness.start(
                keepAliveNs, link.settings().patienceNs(), queuePair.engine().nowNs());
    }

    /** Stops the send queue (SQD), or continues it. */
    void drain(boolean on) {
        engine.drain(on);
    }

    /** Continues a send queue that failed work has stopped; false while work is left that must be flushed first. */
    boolean recoverSendQueue() {
        return !engine.sendQueueFailed() || engine.recoverSendQueue();
    }

    /** Loads an alternate path. */
    void loadAlternate(PacketPath path) {
        engine.loadAlternate(path);
    }

    /** Moves to the alternate path; false if none is armed. */
    boolean migrate() {
        return engine.migrate();
    }

    /** Limits the operations of the peer, whatever the regions allow. */
    void peerRights(Set<AccessRight> rights) {
        engine.peerRights(rights);
    }

    /** Adds what is known about the path to the peer. Any thread. */
    void describePath(Figures.Builder figures) {
        PathFigures.add(figures, engine);
    }

    /** The paths of a connection that has several. Any thread. */
    List<ConnectionPath> paths() {
        return engine.paths();
    }

    // Turns.

    void onPacket(IbPacket packet, MemorySegment segment, Origin origin, long nowNs) {
        if (engine.knows(origin)) {
            liveness.onReceived(nowNs);
        }
        engine.onPacket(packet, segment, origin, nowNs);
    }

    boolean takesRun(Origin origin, int psn) {
        return takesRequests() && engine.takesRun(origin, psn);
    }

    int onRun(PacketRun run) {
        return engine.onRun(run);
    }

    /** Sends what can be sent, unless the port cannot send now. */
    void service(long nowNs) {
        if (sender.defers(wait)) {
            return;
        }
        if (engine.suspended()) {
            engine.resume();
        }
        if (engine.hasTransmitWork(nowNs)) {
            sender.transmit(engine, nowNs);
        }
        queuePair.settle();
        reportEvents();
        boolean more = engine.hasTransmitWork(nowNs);
        // A refusal is sent before the queue pair ends, so that the peer learns the reason.
        if (!more && !failed(nowNs)) {
            queuePair.idle(engine.sendQueueFailed());
        }
        if (engine.suspended()) {
            queuePair.engine().awaitMemory(queuePair);
        } else if (more) {
            queuePair.engine().ready(queuePair);
        }
    }

    long nextDeadlineNs() {
        return engine.failure().isPresent()
                ? engine.nextDeadlineNs()
                : Times.earlier(engine.nextDeadlineNs(), liveness.nextDeadlineNs());
    }

    void onDeadline(long nowNs) {
        boolean portGone = queuePair
                .link()
                .filter(it -> queuePair.port().reportedGone(it.path(), liveness.heardNs()))
                .isPresent();
        if (portGone) {
            engine.portGone();
        }
        engine.onDeadline(nowNs);
        if (engine.failure().isPresent()) {
            return;
        }
        switch (liveness.onDeadline(engine.answersOwed(), portGone, nowNs)) {
            case PROBE -> engine.probe();
            case LOST ->
                engine.peerLost("The peer was silent for longer than the keep-alive time, and did not answer probes."
                        + " Its process, its machine or the path has failed.");
            case NOTHING -> {}
        }
    }

    private void reportEvents() {
        for (Optional<AsyncEventType> each = engine.pollEvent(); each.isPresent(); each = engine.pollEvent()) {
            switch (each.get()) {
                case COMMUNICATION_ESTABLISHED -> firstPacket();
                case LAST_WQE_REACHED -> {} // raised by flushing
                default -> queuePair.report(each.get(), sentence(each.get()));
            }
        }
        if (engine.failure().isEmpty() && queuePair.queues().overflowed()) {
            queuePair.reportOverflow();
            queuePair.fail("A completion queue of this queue pair overflowed.");
        }
    }

    /** The first packet of the peer has arrived, which shows that the peer may send. */
    private void firstPacket() {
        if (queuePair.phase() == QueuePairPhase.READY_TO_RECEIVE) {
            queuePair.report(
                    AsyncEventType.COMMUNICATION_ESTABLISHED,
                    "A packet of the peer arrived before the queue pair was moved to RTS.");
        }
    }

    private String sentence(AsyncEventType type) {
        return engine.failure().map(Failure::sentence).orElseGet(() -> switch (type) {
            case SEND_QUEUE_DRAINED -> "All work that was begun is complete, and the send queue has stopped.";
            case PATH_MIGRATED -> "The queue pair has moved to its alternate path.";
            case PATH_RETIRED -> "A path of the connection does not answer, or loses too much. The others carry on.";
            case PATH_REVIVED -> "A path of the connection answers again.";
            case PATH_MIGRATION_FAILED -> "The peer asked on the primary path to move to the alternate path.";
            default -> "The protocol reported " + type + ".";
        });
    }

    // The end.

    /** Whether the protocol has failed; the first call after that reports it to the queue pair. */
    boolean failed(long nowNs) {
        Optional<Failure> failure = engine.failure();
        if (failure.isPresent() && !failureReported) {
            failureReported = true;
            reportEvents();
            broken(failure.get(), nowNs);
        }
        return failure.isPresent();
    }

    private void broken(Failure failure, long nowNs) {
        Optional<SoftConnection> connection = queuePair.connection();
        termination(failure).ifPresent(ending -> connection.ifPresent(it -> it.termination(ending)));
        boolean peerClosed = queuePair.peerClosed();
        queuePair.broken(failure.sentence());
        RnicContext context = queuePair.context();
        failure.event()
                .ifPresent(type ->
                        connection.ifPresent(it -> context.violations().ended(type, it.remoteAddress(), nowNs)));
        if (failure.status() == CompletionStatus.RETRY_EXCEEDED && !peerClosed) {
            connection.ifPresent(
                    it -> context.peerLost(it.remoteAddress(), failure.sentence(), queuePair.unsuccessfulSends()));
        }
    }

    /** The negative acknowledgement that ended the connection, if one was sent or received. */
    private static Optional<Termination> termination(Failure failure) {
        boolean byUs = failure.event().isPresent();
        int syndrome = switch (failure.status()) {
            case REMOTE_INVALID_REQUEST -> Syndrome.NAK_INVALID_REQUEST;
            case REMOTE_ACCESS -> Syndrome.NAK_REMOTE_ACCESS;
            case REMOTE_OPERATION -> Syndrome.NAK_REMOTE_OPERATION;
            default -> byUs ? syndrome(failure.event().get()) : 0;
        };
        return syndrome == 0
                ? Optional.empty()
                : Optional.of(new Termination(byUs, -1, 0, syndrome & NAK_CODE, failure.sentence()));
    }

    private static int syndrome(AsyncEventType event) {
        return switch (event) {
            case QP_REQUEST_ERROR -> Syndrome.NAK_INVALID_REQUEST;
            case QP_ACCESS_ERROR -> Syndrome.NAK_REMOTE_ACCESS;
            default -> 0;
        };
    }

    /**
     * Ends the protocol, unless it has failed. Nothing is reported. What the application has seen as received is
     * acknowledged first, since the work of the peer fails otherwise.
     */
    void abort(String sentence) {
        if (engine.failure().isPresent()) {
            return;
        }
        engine.abort(sentence);
        failureReported = true;
        long nowNs = queuePair.engine().nowNs();
        if (!sender.blocked() && engine.hasTransmitWork(nowNs)) {
            sender.transmit(engine, nowNs);
            sender.flush(); // the RNIC may be closed before the end of a turn
        }
    }

    /** Completes the remaining work of an ended protocol; returns false if a CQ is full. */
    boolean flush() {
        abort("The queue pair has ended.");
        return engine.flush();
    }

    /** Ends the protocol of a queue pair without work. */
    void detach() {
        engine.detach();
    }

    long stateDigest() {
        return liveness.stateDigest(engine.stateDigest());
    }
}
