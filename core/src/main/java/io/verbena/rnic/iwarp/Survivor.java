package io.verbena.rnic.iwarp;

import io.verbena.base.Digest;
import io.verbena.base.Times;
import io.verbena.iwarp.Ending;
import io.verbena.iwarp.SurvivingWork;
import io.verbena.iwarp.startup.PrivateData;
import io.verbena.iwarp.startup.ResponderStartUp;
import io.verbena.port.ByteStream;
import io.verbena.rnic.PacketCarriage;
import io.verbena.rnic.QueuePairEndpoint;
import io.verbena.survival.Association;
import io.verbena.survival.AssociationId;
import io.verbena.survival.AssociationSecret;
import io.verbena.survival.AssociationSettings;
import io.verbena.survival.AssociationState;
import io.verbena.survival.AssociationStep;
import io.verbena.survival.ExecutionRecord;
import io.verbena.survival.LostReason;
import io.verbena.survival.ResumeCodec;
import io.verbena.survival.ResumeMessage;
import io.verbena.survival.ResumePoint;
import io.verbena.survival.ResumeType;
import io.verbena.survival.SurvivalAgreement;
import io.verbena.verbs.SurvivalOptions;
import io.verbena.verbs.TransportChanges;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Lets a connection survive its stream: does the steps of its {@link Association}. The queue pair, its queues and its
 * connection stay; each stream has a stage of its own.
 *
 * <p>RESUME and RESUMED are the private data of a Request and its Reply. The side that has connected makes all
 * attempts;
 * the other one waits for them. The engine of the queue pair calls every method unless the method is marked "Any
 * thread".
 */
final class Survivor implements Continuation {

    private static final AssociationSettings DEFAULTS = AssociationSettings.defaults();
    private static final int MOST_DOUBLINGS = 7;

    /** A stream on which a RESUME has arrived. */
    private record Asking(ByteStream stream, ResponderStartUp startUp) {}

    private final int side;
    private final IwarpQueuePair queuePair;
    private final ConnectionSetUp setUp;
    private final Survivors survivors;
    private final AssociationId id;
    private final AssociationSecret secret;
    private final List<SocketAddress> addresses;
    private final Association<SurvivingWork> association;

    /** By epoch: the streams whose RESUME is not answered. */
    private final Map<Long, Asking> asking = new HashMap<>();

    /** How often the time for which the peer may be silent was doubled. */
    private int doublings;

    /** Addresses at which packets have ended. */
    private final Set<SocketAddress> withoutPackets = new HashSet<>();

    /** The address of the current stream, or of the last attempt. */
    private Optional<SocketAddress> current;

    /** Whether a stream has carried the connection, or only a stream may: after that packets do not. */
    private boolean streamed;

    private boolean stepping;
    private long offered;
    private int offeredTo;

    private final PeerSearch search;
    private final SurvivalOptions options;
    private Optional<Standby> standby = Optional.empty();
    private String from = "";
    private String reason = "";
    private volatile TransportChanges changes = TransportChanges.NONE;

    private Survivor(
            ConnectionSetUp setUp, SurvivalTerms.Wanted terms, SurvivalAgreement request, SurvivalAgreement reply) {
        queuePair = setUp.queuePair();
        this.setUp = setUp;
        options = terms.options();
        side = terms.initiator() ? 0 : 1;
        survivors = terms.survivors();
        id = request.id(reply);
        secret = request.secret(reply);
        addresses = new ArrayList<>();
        terms.remote().ifPresent(remote -> {
            addresses.add(remote);
            terms.options().addresses().stream()
                    .filter(each -> !each.equals(remote))
                    .forEach(addresses::add);
        });
        current = terms.remote();
        search = new PeerSearch(
                addresses.size(), options, queuePair.context().options().iwarp().closeTimeout());
        AssociationSettings settings = new AssociationSettings(
                DEFAULTS.requests(),
                SurvivingWork.DEPTH,
                DEFAULTS.attempt(),
                options.patience(),
                DEFAULTS.firstPause(),
                DEFAULTS.longestPause());
        ExecutionRecord executions = new ExecutionRecord(SurvivingWork.DEPTH);
        association = new Association<>(
                side,
                addresses.size(),
                settings,
                new SurvivingWork(queuePair.queues(), executions),
                executions,
                setUp.engine().random());
    }

    /**
     * What continues a connection that is established.
     *
     * @param peerData the private data of the peer's frame
     * @return empty if the sides did not agree on it
     */
    static Optional<Continuation> of(ConnectionSetUp setUp, byte[] peerData) {
        return switch (setUp.survival()) {
            case SurvivalTerms.None() -> Optional.empty();
            case SurvivalTerms.Wanted wanted -> agreed(setUp, wanted, peerData);
            case SurvivalTerms.Resuming(Continuation survivor) -> Optional.of(survivor);
        };
    }

    private static Optional<Continuation> agreed(ConnectionSetUp setUp, SurvivalTerms.Wanted terms, byte[] peerData) {
        if (terms.own().isEmpty()) {
            return Optional.empty();
        }
        SurvivalAgreement own = terms.own().get();
        return terms.initiator()
                ? SurvivalAgreement.of(peerData, 1).map(reply -> new Survivor(setUp, terms, own, reply))
                : terms.offer().map(request -> new Survivor(setUp, terms, request, own));
    }

    // Any thread.

    @Override
    public AssociationId id() {
        return id;
    }

    @Override
    public QueuePairEndpoint endpoint() {
        return queuePair;
    }

    @Override
    public Optional<ResumeMessage> open(byte[] bytes) {
        return ResumeCodec.open(bytes, secret);
    }

    @Override
    public byte[] alive(ResumeMessage probe) {
        return message(ResumeType.ALIVE, probe.epoch(), probe.progress());
    }

    @Override
    public TransportChanges changes() {
        return changes;
    }

    /** The bytes of a message of this side. */
    byte[] message(ResumeType type, long epoch, ResumePoint point) {
        return ResumeCodec.encode(new ResumeMessage(type, side, epoch, point), id, secret);
    }

    /** The message of the peer that bytes are; empty if they are none, or its code is wrong. */
    Optional<ResumeMessage> fromPeer(byte[] bytes) {
        return ResumeCodec.id(bytes)
                .filter(id::equals)
                .flatMap(known -> open(bytes))
                .filter(message -> message.side() != side);
    }

    // On the engine.

    @Override
    public SurvivingWork work() {
        return association.requests();
    }

    @Override
    public void transportEnded(String sentence, long nowNs) {
        reason = sentence;
        association.transportEnded(association.epoch(), nowNs);
        steps(nowNs);
    }

    @Override
    public void streamEnded(Ending ending, boolean exited, CloseProgress reached, long nowNs) {
        learn(ending.kind());
        search.begin(exited, reached, nowNs);
        transportEnded(ending.sentence(), nowNs);
    }

    @Override
    public void packetsEnded(boolean exited, CloseProgress reached, String sentence, long nowNs) {
        current.ifPresent(withoutPackets::add);
        search.begin(exited, reached, nowNs);
        transportEnded(sentence, nowNs);
    }

    @Override
    public void streamsOnly() {
        streamed = true;
    }

    /**
     * Half of a Write with immediate data can have been executed over a stream, and packets have no other half: they
     * never follow a stream.
     */
    @Override
    public Optional<PacketCarriage> packets(SocketAddress local) {
        boolean works = current.filter(withoutPackets::contains).isEmpty();
        return streamed || !works ? Optional.empty() : survivors.carrier().flatMap(it -> it.prepare(queuePair, local));
    }

    /**
     * A peer that was silent until this side left the stream, on which nothing was executed, has perhaps only received
     * a long message over a slow network: it has nothing to say before it has all of it. On the next stream it has
     * twice the time, or the message would be begun again and again.
     */
    private void learn(Ending.Kind kind) {
        boolean silent = kind == Ending.Kind.LOST;
        if (silent && !association.progressed()) {
            doublings = Math.min(doublings + 1, MOST_DOUBLINGS);
        } else if (!silent && association.progressed()) {
            doublings = 0;
        }
    }

    @Override
    public long silenceNs(long usualNs) {
        return usualNs << doublings;
    }

    @Override
    public void onDeadline(long nowNs) {
        Optional<String> over = search.over(nowNs);
        if (over.isPresent()) {
            giveUp(over.get() + " " + reason);
            return;
        }
        association.onDeadline(nowNs);
        steps(nowNs);
    }

    @Override
    public void onResume(ResumeMessage resume, ByteStream stream, ResponderStartUp startUp, long nowNs) {
        Optional.ofNullable(asking.put(resume.epoch(), new Asking(stream, startUp)))
                .ifPresent(doubled -> doubled.stream().close(true));
        if (association.state() == AssociationState.CARRIED) {
            reason = "The peer has left the transport.";
        }
        association.arrived(resume, nowNs);
        steps(nowNs);
        // The association does not answer what it has no use for.
        asking.values().forEach(left -> left.stream().close(true));
        asking.clear();
    }

    @Override
    public void setUpFailed(boolean refusedByHost, String sentence, long nowNs) {
        reason = sentence;
        if (!addresses.isEmpty()) {
            search.onFailure(offeredTo, refusedByHost, nowNs);
        }
        if (association.state() == AssociationState.CARRIED) {
            association.transportEnded(association.epoch(), nowNs);
        } else {
            association.attemptFailed(offered, nowNs);
        }
        onDeadline(nowNs);
        steps(nowNs);
    }

    @Override
    public void onRejected(byte[] answer, long nowNs) {
        long attempt = offered;
        arrived(answer, nowNs);
        if (association.state() == AssociationState.RESUMING && attempt == offered) {
            association.attemptFailed(attempt, nowNs);
        }
        steps(nowNs);
    }

    @Override
    public boolean onAccepted(byte[] answer, long nowNs) {
        if (association.state() == AssociationState.CARRIED) {
            return true; // This side has answered.
        }
        arrived(answer, nowNs);
        if (association.state() != AssociationState.CARRIED) {
            association.attemptFailed(offered, nowNs);
            steps(nowNs);
            return false;
        }
        steps(nowNs);
        return true;
    }

    private void arrived(byte[] answer, long nowNs) {
        ResumeCodec.id(answer)
                .filter(id::equals)
                .flatMap(known -> open(answer))
                .filter(message -> message.type() != ResumeType.RESUME)
                .ifPresent(message -> association.arrived(message, nowNs));
    }

    private void steps(long nowNs) {
        if (stepping) {
            return;
        }
        stepping = true;
        try {
            for (Optional<AssociationStep> step = association.poll(); step.isPresent(); step = association.poll()) {
                perform(step.get(), nowNs);
            }
        } finally {
            stepping = false;
        }
        if (association.state() == AssociationState.PAUSED) {
            pause(Times.earlier(association.nextDeadlineNs(), search.deadlineNs()));
        }
    }

    /** Waits without a stream, until a time at most. */
    private void pause(long untilNs) {
        if (queuePair.stage().isEmpty()) {
            queuePair.begin(new PauseStage(queuePair, this));
        }
        if (queuePair.stage().orElseThrow() instanceof PauseStage waiting) {
            waiting.deadline(untilNs);
        }
    }

    private void perform(AssociationStep step, long nowNs) {
        switch (step) {
            case AssociationStep.Fence(long _) -> {
                from = queuePair.describeTransport();
                queuePair.fence(reason);
                association.fenced(nowNs);
            }
            case AssociationStep.Offer(int address, ResumeMessage resume) -> offer(address, resume);
            case AssociationStep.Abandon(long _) -> queuePair.endStage("The attempt was abandoned.");
            case AssociationStep.Answer(long to, ResumeMessage message) -> answer(to, message, nowNs);
            case AssociationStep.Carry(long _) -> {} // By the stage of the start-up.
            case AssociationStep.Fail(LostReason why) -> giveUp(why.sentence(reason));
        }
    }

    /** The peer is not reached again. If both sides have closed the connection, that is not an error. */
    private void giveUp(String sentence) {
        if (search.bothComplete()) {
            queuePair.closedBefore();
        } else {
            queuePair.giveUp(sentence);
        }
    }

    private void offer(int address, ResumeMessage resume) {
        offered = resume.epoch();
        current = Optional.of(addresses.get(address));
        offeredTo = address;
        DialStage.start(resuming(resume), Optional.empty(), addresses.get(address));
    }

    private void answer(long to, ResumeMessage message, long nowNs) {
        Asking asked = asking.remove(to);
        if (asked == null) {
            return;
        }
        if (message.type() == ResumeType.RESUMED) {
            StartUpStage.responder(resuming(message), asked.stream(), asked.startUp());
        } else {
            PrivateData answer = PrivateData.of(ResumeCodec.encode(message, id, secret));
            asked.startUp().reject(answer, nowNs);
            ConnectionStream channel = new ConnectionStream(queuePair.engine(), asked.stream(), queuePair);
            channel.send(asked.startUp());
            channel.close(false);
        }
    }

    private ConnectionSetUp resuming(ResumeMessage message) {
        byte[] bytes = ResumeCodec.encode(message, id, secret);
        return setUp.resuming(this, bytes, Times.nanos(DEFAULTS.attempt()));
    }

    @Override
    public void carried(boolean byStream, long nowNs) {
        streamed |= byStream;
        search.end();
        // Only the side that waits for RESUME is to be found: within one RNIC, both sides have the same id.
        if (addresses.isEmpty()) {
            survivors.add(this);
        } else if (standby.isEmpty() && standbyNs() > 0) {
            standby = Optional.of(Standby.begin(
                    new StandbyQuestions(this, queuePair, association, addresses),
                    queuePair.engine(),
                    setUp.options()));
        }
        if (!from.isEmpty()) {
            changes = new TransportChanges(changes.changes() + 1, work().repeated(), work().recovered());
            queuePair.transportChanged(from, reason, changes);
        }
        if (queuePair.phase() == ConnectionPhase.CLOSING_HERE) {
            queuePair.stage().ifPresent(stage -> stage.disconnect(nowNs));
        }
    }

    // Standby.

    @Override
    public long standbyNs() {
        return addresses.size() > 1 ? Times.nanos(options.standby()) << doublings : 0;
    }

    @Override
    public void onSilence(long nowNs) {
        standby.ifPresent(it -> it.onSilence(nowNs));
    }

    /** Another stream is to carry the connection, which begins at an address that answers. */
    void leaveFor(int address, String sentence, long nowNs) {
        learn(Ending.Kind.LOST);
        association.prefer(address);
        transportEnded(sentence, nowNs);
    }

    @Override
    public void end() {
        association.close();
        standby.ifPresent(Standby::end);
        survivors.remove(this);
        asking.values().forEach(left -> left.stream().close(true));
        asking.clear();
    }

    @Override
    public long stateDigest(long nowNs) {
        long digest =
                Digest.mix(association.stateDigest(nowNs), asking.size() * 8L + doublings + (streamed ? 1L << 32 : 0));
        return Digest.mix(digest, search.stateDigest(nowNs));
    }
}
