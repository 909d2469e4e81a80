package io.verbena.ib;

import io.verbena.base.Digest;
import io.verbena.base.PacketPath;
import io.verbena.base.Times;
import io.verbena.ib.endpoint.Failure;
import io.verbena.ib.endpoint.FailureFlush;
import io.verbena.ib.endpoint.MigratingPath;
import io.verbena.ib.endpoint.PendingEvents;
import io.verbena.ib.endpoint.PsnGuard;
import io.verbena.ib.endpoint.QueuePairEngine;
import io.verbena.ib.endpoint.QueuePairWork;
import io.verbena.ib.endpoint.RequestFigures;
import io.verbena.ib.packet.Admission;
import io.verbena.ib.packet.Origin;
import io.verbena.ib.packet.PacketBuilder;
import io.verbena.ib.paths.PathQuestions;
import io.verbena.ib.paths.Spray;
import io.verbena.ib.request.Completer;
import io.verbena.ib.request.Requester;
import io.verbena.ib.respond.RemoteReads;
import io.verbena.ib.respond.Responder;
import io.verbena.ib.respond.Responses;
import io.verbena.ib.settings.RcOption;
import io.verbena.ib.settings.RcSettings;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.ConnectionPath;
import io.verbena.verbs.PathMigration;
import io.verbena.wire.ib.Bth;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.IbOpcode.Service;
import io.verbena.wire.ib.IbPacket;
import io.verbena.wire.ib.PacketRun;
import io.verbena.work.OneShotKeys;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * One reliable connection of the InfiniBand transport as a pure engine.
 *
 * <pre>{@code
 *        send queue           completion queues        receive queue
 *            |                       ^                       ^
 *        Requester <--- restarts --- Completer           Responder ---> Responses
 *            |                       ^                       ^              |
 *            |  requests             | answers       requests|              | answers
 *            +--------------------------- packets --------------------------+
 * }</pre>
 *
 * The caller has checked the ICRC and the partition of a packet; see {@link Admission}.
 *
 * <p>Over 500 lines: the parts of a connection meet here, each in methods of a few lines.
 */
public final class RcEngine implements QueuePairEngine {

    private final QueuePairWork owner;
    private final PendingEvents events = new PendingEvents();
    private final MigratingPath path;
    private final PsnGuard guard = new PsnGuard(events);
    private final Responses responses;
    private final Responder responder;
    private final OneShotKeys oneShot;
    private final CongestionPoint congestion;
    private Requester requester;
    private Completer completer;
    private final FailureFlush flush;
    private final boolean selective;
    private final Optional<PathQuestions> questions;
    private volatile Optional<Spray> spray;
    private boolean readyToSend;
    private boolean established;
    private boolean drainReported = true;
    private boolean probeDue;
    private Optional<Failure> failure = Optional.empty();

    /** An established connection (RTS), in the default partition. */
    public RcEngine(RcSettings settings, QueuePairWork owner, PacketPath path) {
        this(settings, owner, path, Bth.DEFAULT_P_KEY);
        readyToSend(settings);
        established = true;
    }

    /**
     * A connection that can receive (RTR). The caller calls {@link #readyToSend} later.
     *
     * @param settings {@link #readyToSend} may change the properties that affect sending
     * @param pKey partition key of the packets
     */
    public RcEngine(RcSettings settings, QueuePairWork owner, PacketPath path, int pKey) {
        this.owner = owner;
        this.path = new MigratingPath(path, settings.paths(), pKey, events);
        oneShot = new OneShotKeys(owner.regions(), settings.localQp());
        questions =
                settings.sprays() ? Optional.of(new PathQuestions(settings.remoteQp(), this.path)) : Optional.empty();
        spray = spray(settings);
        requester = new Requester(settings, owner, this.path, spray);
        completer = new Completer(settings, owner, requester, this.path, guard, spray);
        RemoteReads memory = new RemoteReads(owner, oneShot);
        responses = new Responses(settings, owner, this.path, memory);
        responder = new Responder(settings, owner, responses, memory, guard);
        flush = new FailureFlush(owner.queues(), events);
        congestion = new CongestionPoint(settings, this.path);
        selective = settings.options().contains(RcOption.SELECTIVE_REPEAT);
    }

    @Override
    public void readyToSend(RcSettings settings) {
        if (readyToSend) {
            throw new IllegalStateException("the connection is already ready to send (RTS)");
        }
        spray = spray(settings);
        requester = new Requester(settings, owner, path, spray);
        completer = new Completer(settings, owner, requester, path, guard, spray);
        questions.ifPresent(it -> it.prove(settings.addressPairs()));
        readyToSend = true;
    }

    private Optional<Spray> spray(RcSettings settings) {
        if (!settings.sprays()) {
            return Optional.empty();
        }
        Spray sender = new Spray(
                settings.paths(),
                settings.pathBurst(),
                settings.windowPackets(),
                settings.firstSendPsn(),
                settings.ackTimeoutNs(),
                new PathReports(events));
        if (settings.options().contains(RcOption.CONGESTION_CONTROL)) {
            sender.withCongestionControl();
        }
        questions.orElseThrow().of(sender.probes());
        return Optional.of(sender);
    }

    // Up.

    @Override
    public Service service() {
        return Service.RC;
    }

    @Override
    public void onPacket(IbPacket packet, MemorySegment segment, Origin origin, long nowNs) {
        IbOpcode opcode = packet.opcode();
        boolean m = packet.bth().m();
        if (failure.isPresent() || path.changesBy(m) && !expected(packet) || !path.admits(origin, m)) {
            return;
        }
        if (opcode == IbOpcode.CNP) {
            congestion.onNotification(nowNs);
            return;
        }
        if (opcode.service() != Service.RC) {
            return;
        }
        if (packet.opcode().request() && packet.sprayed() != questions.isPresent()) {
            return;
        }
        congestion.onPacket(origin, nowNs);
        questions.ifPresent(PathQuestions::received);
        if (!established) {
            established = true;
            events.raise(AsyncEventType.COMMUNICATION_ESTABLISHED);
        }
        dispatch(packet, segment, origin, nowNs);
        if (questions.isPresent() && origin.congested() && opcode.request()) {
            responses.marked();
        }
        settle();
    }

    @Override
    public boolean takesRun(Origin origin, int psn) {
        boolean plain = failure.isEmpty() && established && questions.isEmpty() && !origin.congested();
        return plain && path.settled(origin) && responder.takesRun(psn);
    }

    @Override
    public int onRun(PacketRun run) {
        int taken = responder.onRun(run);
        settle();
        return taken;
    }

    /**
     * A request that names its path has arrived without its payload: a switch with a full queue has cut it off. Its
     * ICRC says nothing, so that no header of it is used for more than to ask for the packet again.
     */
    public void onTrimmed(IbPacket packet, Origin origin) {
        boolean request =
                packet.opcode().service() == Service.RC && packet.opcode().request() && packet.sprayed();
        if (failure.isEmpty() && questions.isPresent() && request && path.knows(origin)) {
            responder.onTrimmed(packet);
        }
    }

    /**
     * Whether a packet continues what both sides have exchanged. A sender that has not seen the packets of the
     * connection cannot make one.
     */
    private boolean expected(IbPacket packet) {
        if (packet.opcode().service() != Service.RC) {
            return false;
        }
        int psn = packet.bth().psn();
        return packet.opcode().request() ? responder.expects(psn) : readyToSend && completer.awaits(psn);
    }

    private void dispatch(IbPacket packet, MemorySegment segment, Origin origin, long nowNs) {
        if (packet.opcode().request()) {
            responder.onRequest(packet, segment, nowNs);
        } else if (readyToSend) {
            switch (packet.opcode().operation()) {
                case ACKNOWLEDGE -> completer.onAcknowledge(packet, nowNs);
                case SELECTIVE_ACKNOWLEDGE -> {
                    if (selective) {
                        completer.onSelectiveAcknowledge(packet, segment, nowNs);
                    }
                }
                case PATH_ACKNOWLEDGE -> completer.onPathAcknowledge(packet, segment, nowNs);
                case PATH_PROBE -> {
                    if (questions.isPresent() && questions.get().onPacket(packet, segment, origin, nowNs)) {
                        completer.onPathAnswered(nowNs);
                    }
                }
                case READ_RESPONSE -> completer.onReadResponse(packet, segment, nowNs);
                case ATOMIC_ACKNOWLEDGE -> completer.onAtomicResponse(packet, nowNs);
                default -> {}
            }
        }
    }

    // Down.

    @Override
    public boolean hasTransmitWork(long nowNs) {
        if (failure.isPresent()) {
            return responses.hasLastAnswer();
        }
        return probeDue
                || questions.isPresent() && questions.get().hasWork(nowNs)
                || congestion.hasNotification()
                || responses.hasWork()
                || responses.creditsGrew()
                || requestsReady(nowNs);
    }

    private boolean requestsReady(long nowNs) {
        return readyToSend
                && !completer.notReady()
                && congestion.maySend(nowNs)
                && requester.hasWork(completer.oldestPsn(), completer.oldest(), nowNs);
    }

    @Override
    public void fillTransmit(PacketBuilder out, int byteBudget, long nowNs) {
        int stop = out.bytes() + byteBudget;
        if (failure.isEmpty() && responses.hasWork() && requestsReady(nowNs)) {
            // An acknowledgement is shorter than a request, so that it can follow one in the same call of the port, but
            // not precede it. One request only, for the peer must not wait for its answer.
            request(out, nowNs);
            finishStep();
        }
        while (out.bytes() < stop && hasTransmitWork(nowNs)) {
            boolean went = step(out, stop, nowNs);
            finishStep();
            if (!went) {
                break;
            }
        }
        completer.setTimer(nowNs);
        reportDrained();
    }

    private void finishStep() {
        completer.finish();
        settle();
    }

    /** Sends notifications and answers before requests, and requests up to a number of bytes. */
    private boolean step(PacketBuilder out, int stop, long nowNs) {
        if (failure.isPresent()) {
            return responses.step(out);
        }
        if (congestion.hasNotification()) {
            return congestion.step(out);
        }
        if (probeDue) {
            // Not while requests are unanswered: the peer may not have received the PSN yet.
            probeDue = !answersOwed() && !requester.duplicate(out, nowNs);
            return !probeDue;
        }
        responder.reportCredits();
        if (responses.hasWork()) {
            return responses.step(out);
        }
        if (questions.isPresent() && questions.get().hasWork(nowNs)) {
            int path = questions.get().acknowledgedFirst();
            if (path >= 0) {
                responder.acknowledge(path);
            }
            return responses.hasWork() ? responses.step(out) : questions.get().step(out, nowNs);
        }
        boolean went;
        // Nothing else becomes due by sending: what is completed and settled after a step is so after many.
        do {
            went = run(out, stop, nowNs) || request(out, nowNs);
        } while (went && out.bytes() < stop && requestsReady(nowNs));
        return went;
    }

    private boolean run(PacketBuilder out, int stop, long nowNs) {
        if (congestion.limits()) {
            return false;
        }
        int before = out.bytes();
        boolean went = requester.run(out, completer.oldestPsn(), stop);
        congestion.sent(out.bytes() - before, nowNs);
        return went;
    }

    private boolean request(PacketBuilder out, long nowNs) {
        int before = out.bytes();
        boolean went = requester.step(out, completer.oldestPsn(), nowNs);
        congestion.sent(out.bytes() - before, nowNs);
        return went;
    }

    // Time.

    @Override
    public long nextDeadlineNs() {
        if (failure.isPresent()) {
            return Times.NEVER;
        }
        long first = Times.earlier(completer.nextDeadlineNs(), requester.nextDeadlineNs());
        long askNs = questions.isPresent() ? questions.get().deadlineNs() : Times.NEVER;
        return Times.earlier(Times.earlier(first, askNs), congestion.nextDeadlineNs());
    }

    @Override
    public void onDeadline(long nowNs) {
        if (failure.isEmpty()) {
            congestion.onDeadline(nowNs);
            completer.onDeadline(nowNs);
            settle();
        }
    }

    // Memory.

    @Override
    public boolean suspended() {
        return requester.memoryAwaited() || responses.memoryAwaited() || completer.invalidationPending();
    }

    @Override
    public void resume() {
        requester.resume();
        responses.resume();
        if (failure.isEmpty()) {
            completer.finish();
            settle();
        }
    }

    // Control.

    @Override
    public void peerRights(Set<AccessRight> rights) {
        responder.peerRights(
                rights.contains(AccessRight.REMOTE_WRITE),
                rights.contains(AccessRight.REMOTE_READ),
                rights.contains(AccessRight.REMOTE_ATOMIC));
    }

    @Override
    public void drain(boolean on) {
        requester.drain(on);
        drainReported = !on;
        reportDrained();
    }

    private void reportDrained() {
        if (!drainReported && failure.isEmpty() && drained()) {
            drainReported = true;
            events.raise(AsyncEventType.SEND_QUEUE_DRAINED);
        }
    }

    /** Whether all work that was started is complete. */
    public boolean drained() {
        return completer.idle();
    }

    @Override
    public void loadAlternate(PacketPath alternate) {
        path.load(alternate);
    }

    @Override
    public boolean migrate() {
        return path.migrate();
    }

    /** The state of path migration. */
    public PathMigration migration() {
        return path.state();
    }

    /** Number of packets with a PSN that no correct peer sends; the event PSN_SCAN reports many of them. */
    public long implausiblePackets() {
        return guard.count();
    }

    /** The path that packets take. */
    public PacketPath path() {
        return path.current();
    }

    @Override
    public Optional<AsyncEventType> pollEvent() {
        return events.poll();
    }

    @Override
    public boolean answersOwed() {
        return !completer.idle();
    }

    @Override
    public boolean answersProbes() {
        return true;
    }

    @Override
    public boolean knows(Origin origin) {
        return path.knows(origin);
    }

    @Override
    public void probe() {
        probeDue = readyToSend && !answersOwed() && failure.isEmpty();
    }

    @Override
    public void portGone() {
        completer.portGone();
    }

    @Override
    public void peerLost(String sentence) {
        end(Failure.ofRequest(CompletionStatus.RETRY_EXCEEDED, sentence));
    }

    @Override
    public void abort(String sentence) {
        end(Failure.ofRequest(CompletionStatus.FLUSHED, sentence));
    }

    private void settle() {
        endOn(completer.failure());
        endOn(responder.failure());
        endOn(responses.failure());
        reportDrained();
    }

    /** Without a method reference, which would allocate an object per packet. */
    private void endOn(Optional<Failure> cause) {
        if (cause.isPresent()) {
            end(cause.get());
        }
    }

    @Override
    public void detach() {
        oneShot.end();
    }

    private void end(Failure first) {
        if (failure.isEmpty()) {
            failure = Optional.of(first);
            oneShot.endWrite();
            first.event().ifPresent(events::raise);
        }
    }

    @Override
    public Optional<Failure> failure() {
        return failure;
    }

    @Override
    public boolean flush() {
        return flush.flush(
                responder.receiveStatus(), failure.map(Failure::status).orElse(CompletionStatus.FLUSHED));
    }

    @Override
    public Optional<RequestFigures> figures() {
        return Optional.of(completer.figures());
    }

    @Override
    public List<ConnectionPath> paths() {
        return spray.map(Spray::figures).orElse(List.of());
    }

    @Override
    public long stateDigest() {
        long d = requester.stateDigest(1);
        d = completer.stateDigest(d);
        d = responses.stateDigest(d);
        d = responder.stateDigest(d);
        d = path.stateDigest(d);
        d = questions.isPresent() ? questions.get().stateDigest(d) : d;
        d = guard.stateDigest(congestion.stateDigest(d));
        d = flush.stateDigest(d);
        return Digest.mix(d, Digest.flags(failure.isPresent(), established, readyToSend, drainReported, probeDue));
    }
}
