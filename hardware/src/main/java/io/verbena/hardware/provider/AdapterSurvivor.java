package io.verbena.hardware.provider;

import io.verbena.base.RandomSource;
import io.verbena.base.Times;
import io.verbena.hardware.abi.SocketAddressCodec;
import io.verbena.hardware.abi.cm.RdmaCmId;
import io.verbena.hardware.provider.cm.CmEvent;
import io.verbena.hardware.provider.survival.AdapterAgreement;
import io.verbena.hardware.provider.survival.AdapterResume;
import io.verbena.hardware.provider.survival.Resumable;
import io.verbena.hardware.provider.survival.SurvivalTerms;
import io.verbena.notify.SerialRunner;
import io.verbena.survival.Association;
import io.verbena.survival.AssociationSettings;
import io.verbena.survival.AssociationState;
import io.verbena.survival.AssociationStep;
import io.verbena.survival.LostReason;
import io.verbena.survival.ResumeMessage;
import io.verbena.survival.ResumeType;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.SurvivalOptions;
import io.verbena.verbs.TransportChanges;
import io.verbena.verbs.VerbsException;
import java.net.SocketAddress;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Lets a connection over an adapter survive its transport: does the steps of its {@link Association}. The queue pair of
 * the program stays; its native queue pair and the rdma_cm_id are replaced. RESUME and RESUMED are private data of a
 * request and its reply. The side that has connected makes all attempts.
 *
 * <p>Steps are done under the monitor, one after the other, by a thread that may wait.
 */
final class AdapterSurvivor implements Resumable {

    private static final RandomSource RANDOM = new SecureRandom()::nextLong;
    private static final AssociationSettings DEFAULTS = AssociationSettings.defaults();

    /** Maximum time for an adapter to report the end of all work. */
    private static final long DRAIN_NS = 5_000_000_000L;

    private final ConnectionManager manager;
    private final HardwareConnection connection;
    private final HardwareQueuePair queuePair;
    private final SurvivingQueues queues;
    private final ConnectionOptions options;
    private final ConnectionOptions ofAttempt;
    private final SurvivalOptions survival;
    private final int side;
    private final AdapterAgreement own;
    private final List<SocketAddress> addresses;
    private final SerialRunner runner;
    private Optional<AdapterAssociation> agreed = Optional.empty();
    private Optional<CarrierId> carrier = Optional.empty();
    private Optional<AssociationStep.Offer> offered = Optional.empty();
    private boolean stepping;
    private long establishedByNs = Times.NEVER;
    private long wakesAtNs = Times.NEVER;
    private long executedByPeer;
    private String from = "";
    private String reason = "";
    private volatile boolean survives;
    private volatile TransportChanges changes = TransportChanges.NONE;

    /** What lets a connection survive if the peer agrees. */
    AdapterSurvivor(
            ConnectionManager manager,
            HardwareConnection connection,
            HardwareQueuePair queuePair,
            ConnectionOptions options,
            SurvivalTerms terms) {
        this.manager = manager;
        this.connection = connection;
        this.queuePair = queuePair;
        this.options = options;
        ofAttempt = options.withTimeout(DEFAULTS.attempt());
        survival = terms.options();
        side = terms.side();
        addresses = terms.addresses();
        queues = queuePair.survive();
        own = AdapterAgreement.random(side, queues.words().offer(), RANDOM);
        runner = new SerialRunner((_, work) -> manager.later(work));
    }

    // The first set-up.

    /** The private data of the request or of the reply. */
    byte[] privateData() {
        return own.before(options.privateData());
    }

    /** The peer has answered, or has asked. Returns the private data of its program. */
    synchronized byte[] onPeerData(byte[] data) {
        Optional<AdapterAgreement> ofPeer = AdapterAgreement.of(data, 1 - side);
        if (ofPeer.isEmpty()) {
            queuePair.endSurviving();
            return data;
        }
        agreed = Optional.of(
                new AdapterAssociation(own, ofPeer.get(), queues, addresses.size(), survival.patience(), RANDOM));
        queues.agreed(ofPeer.get().words(), survival.logged(), this::endTransport);
        return AdapterAgreement.programData(data);
    }

    /** The first connection is established. */
    synchronized void established() {
        if (agreed.isEmpty()) {
            queuePair.endSurviving();
            return;
        }
        survives = true;
        if (side == 1) {
            manager.add(agreed.get().id(), this);
        }
    }

    // Any thread.

    boolean survives() {
        return survives;
    }

    TransportChanges changes() {
        return changes;
    }

    @Override
    public Optional<AdapterResume> open(byte[] resume) {
        return agreed.flatMap(known -> known.open(resume));
    }

    /** The application leaves the transport. */
    void migrate() {
        add(known -> {
            if (connection.isOpen()) {
                leave(known, "The application has left the transport.");
            }
        });
    }

    /** The transport has failed. */
    void endTransport(String sentence) {
        add(known -> leave(known, sentence));
    }

    private void leave(Association<AdapterAssociation.Requests> association, String sentence) {
        if (association.state() == AssociationState.CARRIED) {
            reason = sentence;
            if (!connection.isOpen()) {
                giveUp("The transport failed during the close. " + sentence);
                return;
            }
        }
        association.transportEnded(association.epoch(), now());
    }

    /** The id of the first connection was disconnected. */
    void disconnected() {
        add(known -> {
            if (carrier.isEmpty()) {
                onDisconnected(known);
            }
        });
    }

    private void onDisconnected(Association<AdapterAssociation.Requests> association) {
        if (association.state() != AssociationState.CARRIED) {
            return;
        }
        if (queues.words().closedByPeer() || !connection.isOpen()) {
            association.close();
            stop();
            connection.closedByPeer();
        } else {
            leave(association, "The peer has left the transport.");
        }
    }

    @Override
    public void onResume(CmEvent request, AdapterResume resume) {
        add(known -> {
            agreed.orElseThrow()
                    .ask(request, resume)
                    .ifPresent(doubled -> manager.reject(doubled.id(), doubled.refusal()));
            if (known.state() == AssociationState.CARRIED) {
                reason = "The peer has left the transport.";
            }
            known.arrived(resume.message(), now());
        });
    }

    /** Does something with the engine, then its steps. */
    private void add(Consumer<Association<AdapterAssociation.Requests>> what) {
        runner.add(() -> {
            synchronized (this) {
                agreed.ifPresent(known -> {
                    what.accept(known.engine());
                    steps();
                });
            }
        });
    }

    private long now() {
        return manager.rnic().nowNs();
    }

    // Under the monitor.

    private Association<AdapterAssociation.Requests> association() {
        return agreed.orElseThrow().engine();
    }

    private void steps() {
        if (stepping) {
            return;
        }
        stepping = true;
        try {
            for (Optional<AssociationStep> step = association().poll();
                    step.isPresent();
                    step = association().poll()) {
                perform(step.get());
            }
        } catch (VerbsException | IllegalStateException e) { // the latter if the RNIC is closed
            giveUp("The adapter refused what the next transport needs. " + e.getMessage());
        } finally {
            stepping = false;
        }
        // The association does not answer what it has no use for.
        if (association().state() != AssociationState.FENCING_TO_ANSWER) {
            rejectAll();
        }
        wake(Times.earlier(association().nextDeadlineNs(), establishedByNs));
    }

    private void wake(long atNs) {
        if (atNs == Times.NEVER || wakesAtNs != Times.NEVER && Times.due(wakesAtNs, atNs)) {
            return;
        }
        wakesAtNs = atNs;
        manager.after(
                Math.max(0, Times.leftNs(atNs, now())),
                () -> add(known -> {
                    wakesAtNs = Times.NEVER;
                    if (Times.due(establishedByNs, now())) {
                        establishedByNs = Times.NEVER;
                        leave(known, "The peer has not established the connection.");
                    }
                    known.onDeadline(now());
                }));
    }

    private void perform(AssociationStep step) {
        switch (step) {
            case AssociationStep.Fence(long _) -> onFence();
            case AssociationStep.Offer offer -> dial(offer);
            case AssociationStep.Abandon(long _) -> fence();
            case AssociationStep.Answer(long to, ResumeMessage message) -> answer(to, message);
            case AssociationStep.Carry(long _) -> carry();
            case AssociationStep.Fail(LostReason why) -> giveUp(why.sentence(reason));
        }
    }

    private void onFence() {
        from = connection.carrierText();
        connection.leaveId();
        if (fence()) {
            association().fenced(now());
        }
    }

    /**
     * The native queue pair executes nothing more, and everything that it has reported is known. Returns whether the
     * connection goes on.
     */
    private boolean fence() {
        carrier.ifPresent(CarrierId::leave);
        carrier = Optional.empty();
        establishedByNs = Times.NEVER;
        queues.hold();
        queuePair.states().fence();
        queues.drain(DRAIN_NS);
        boolean goesOn = queues.drained() && !queues.over();
        if (!goesOn) {
            giveUp(
                    queues.over()
                            ? "Work of the queue pair failed, and not because of the transport."
                            : "The adapter has not reported the end of all work.");
        }
        return goesOn;
    }

    private void replace() {
        queuePair.nativeQueuePair().replace();
        queuePair.domain().rnic().renumbered();
        queuePair.states().beginAgain();
        queues.onReplaced();
    }

    private void dial(AssociationStep.Offer offer) {
        offered = Optional.of(offer);
        replace();
        CarrierId next =
                manager.withConnectionId(id -> new CarrierId(manager, id, true, connection, this::onCarrierEvent));
        carrier = Optional.of(next);
        attempt(() -> next.resolveAddress(addresses.get(offer.address()), ofAttempt));
    }

    /** A step of an attempt, whose failure ends the attempt. */
    private void attempt(Runnable step) {
        try {
            step.run();
        } catch (VerbsException e) {
            reason = String.valueOf(e.getMessage());
            association().attemptFailed(epochOffered(), now());
        }
    }

    private long epochOffered() {
        return offered.map(each -> each.resume().epoch()).orElse(0L);
    }

    private void answer(long to, ResumeMessage message) {
        Optional<AdapterAssociation.Asking> asking = agreed.orElseThrow().take(to);
        if (asking.isEmpty()) {
            return;
        }
        long id = asking.get().id();
        if (message.type() != ResumeType.RESUMED) {
            manager.reject(id, agreed.orElseThrow().encode(message));
            return;
        }
        executedByPeer = asking.get().executed();
        if (!queues.agrees(executedByPeer)) {
            manager.reject(id, asking.get().refusal());
            giveUp(LostReason.VIOLATION.sentence(reason));
            return;
        }
        CarrierId accepted = new CarrierId(manager, id, false, connection, this::onCarrierEvent);
        carrier = Optional.of(accepted);
        establishedByNs = Times.after(now(), Times.nanos(DEFAULTS.attempt()));
        replace();
        try {
            queuePair.states().connectAgain(id);
            accepted.offer(queuePair, options, agreed.orElseThrow().encode(message));
        } catch (VerbsException e) {
            leave(association(), String.valueOf(e.getMessage())); // the peer has perhaps given the attempt up
        }
    }

    private void rejectAll() {
        agreed.orElseThrow().takeAll().forEach(left -> manager.reject(left.id(), left.refusal()));
    }

    private void onCarrierEvent(CarrierId which, CmEvent event) {
        onCarrier(which, () -> onEvent(association(), which, event));
    }

    /** Does a step of an attempt, if the id still carries it. */
    private void onCarrier(CarrierId which, Runnable step) {
        add(_ -> {
            if (carrier.filter(current -> current == which).isPresent()) {
                which.shared().use(() -> attempt(step));
            }
        });
    }

    private void onEvent(Association<AdapterAssociation.Requests> known, CarrierId which, CmEvent event) {
        switch (event.type()) {
            case ADDR_RESOLVED ->
                manager.elsewhere(which.id())
                        .ifPresentOrElse(
                                sentence -> {
                                    throw new VerbsException(sentence);
                                },
                                () -> which.resolveRoute(ofAttempt));
            case ROUTE_RESOLVED ->
                which.offerLater(
                        queuePair,
                        ofAttempt,
                        agreed.orElseThrow().encode(offered.orElseThrow().resume()),
                        sentence -> onCarrier(which, () -> {
                            throw new VerbsException(sentence);
                        }));
            case CONNECT_RESPONSE -> onAnswer(known, event);
            case ESTABLISHED -> onEstablished(known, which, event);
            case REJECTED, ADDR_ERROR, ROUTE_ERROR, CONNECT_ERROR, UNREACHABLE -> onNoAnswer(known, event);
            case DISCONNECTED, DEVICE_REMOVAL -> onDisconnected(known);
            default -> {}
        }
    }

    private void onEstablished(Association<AdapterAssociation.Requests> known, CarrierId which, CmEvent event) {
        if (!which.dialled()) {
            resumeQueues();
        } else if (known.state() == AssociationState.RESUMING) {
            onAnswer(known, event); // iWARP
        }
    }

    private void onAnswer(Association<AdapterAssociation.Requests> known, CmEvent event) {
        Optional<AdapterResume> answer = agreed.orElseThrow().answerIn(event);
        if (answer.filter(each -> each.message().type() == ResumeType.RESUMED).isEmpty()) {
            throw new VerbsException("The peer answered RESUME with something else.");
        }
        executedByPeer = answer.get().executed();
        known.arrived(answer.get().message(), now());
    }

    private void onNoAnswer(Association<AdapterAssociation.Requests> known, CmEvent event) {
        if (known.state() == AssociationState.CARRIED) {
            leave(known, "The peer has not established the connection (" + event.type() + ").");
            return;
        }
        agreed.orElseThrow().answerIn(event).ifPresent(answer -> known.arrived(answer.message(), now()));
        known.attemptFailed(epochOffered(), now()); // steps that follow have not been done yet
    }

    /**
     * The engine has accepted RESUMED; the side that has answered waits until the peer has established the connection.
     */
    private void carry() {
        CarrierId carrying = carrier.orElseThrow();
        if (!carrying.dialled()) {
            return;
        }
        if (!queues.agrees(executedByPeer)) {
            giveUp(LostReason.VIOLATION.sentence(reason));
            return;
        }
        try {
            queuePair.states().connectAgain(carrying.id());
            if (!manager.rnic().facts().iwarp()) {
                carrying.establish();
            }
        } catch (VerbsException e) {
            leave(association(), String.valueOf(e.getMessage()));
            return;
        }
        resumeQueues();
    }

    private void resumeQueues() {
        establishedByNs = Times.NEVER;
        CarrierId carrying = carrier.orElseThrow();
        connection.adopt(
                carrying.shared(),
                SocketAddressCodec.read(carrying.id() + RdmaCmId.SRC_ADDR),
                SocketAddressCodec.read(carrying.id() + RdmaCmId.DST_ADDR));
        try {
            queues.resume(executedByPeer);
        } catch (VerbsException e) {
            giveUp(String.valueOf(e.getMessage()));
            return;
        }
        changes = new TransportChanges(changes.changes() + 1, queues.repeated(), queues.recovered());
        String sentence = AdapterAssociation.changed(from, connection.carrierText(), reason, changes);
        manager.rnic().raise(new AsyncEvent(AsyncEventType.TRANSPORT_CHANGED, queuePair, sentence));
        connection.onResumed();
    }

    private void giveUp(String sentence) {
        association().close();
        stop();
        connection.lost(sentence);
    }

    /** Ends the association; the requests that no adapter has are flushed. */
    synchronized void end() {
        agreed.ifPresent(known -> {
            known.engine().close();
            stop();
        });
    }

    private void stop() {
        survives = false;
        manager.remove(agreed.orElseThrow().id(), this);
        carrier.ifPresent(CarrierId::leave);
        carrier = Optional.empty();
        rejectAll();
        queuePair.states().failed();
        queues.end();
    }
}
