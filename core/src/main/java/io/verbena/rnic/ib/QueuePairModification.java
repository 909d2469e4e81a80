package io.verbena.rnic.ib;

import io.verbena.base.PacketPath;
import io.verbena.base.Times;
import io.verbena.base.TransitionTable.Answer;
import io.verbena.ib.packet.Psn;
import io.verbena.ib.settings.RcSettings;
import io.verbena.ib.settings.SettingsBuilder;
import io.verbena.rnic.SoftConnection;
import io.verbena.rnic.ib.terms.PortLimits;
import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.Connection;
import io.verbena.verbs.InfinibandQueuePairState;
import io.verbena.verbs.PathAttributes;
import io.verbena.verbs.PathMigration;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.TransportService;
import io.verbena.wire.ib.Syndrome;
import java.net.InetAddress;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * Modify QP, for programs that exchange addresses themselves: checks the attributes that a move requires, and makes the
 * move on the engine (InfiniBand architecture specification, volume 1, section 11.2.5.2). In the thread of the
 * application.
 */
final class QueuePairModification {

    private static final long MODIFY_NS = 1_000_000_000L;
    private static final int MOST_RETRIES = 7;

    private final InfinibandQueuePair queuePair;
    private final QueuePairChange change;
    private final boolean datagrams;

    /** Whether a move has limited the peer. */
    private volatile boolean limited;

    QueuePairModification(InfinibandQueuePair queuePair, QueuePairChange change) {
        this.queuePair = queuePair;
        this.change = change;
        datagrams = switch (queuePair.queuePair().options().service()) {
            case UNRELIABLE_DATAGRAM, RELIABLE_DATAGRAM, RAW_DATAGRAM -> true;
            default -> false;
        };
    }

    /** Makes the change. */
    void apply() {
        if (change.state().isPresent()) {
            move(change.state().get());
        } else if (change.path().isPresent()) {
            modifyPath(change.path().get());
        }
        if (change.remoteRights().isPresent() && !limited) {
            onEngine(this::limitPeer);
        }
    }

    /** Limits the peer. Returns no obstacle. */
    private String limitPeer() {
        change.remoteRights().ifPresent(queuePair::limitPeer);
        limited = true;
        return "";
    }

    private void move(QueuePairState requested) {
        if (!(requested instanceof InfinibandQueuePairState target)) {
            throw new IllegalArgumentException(
                    requested + " is a state of iWARP queue pairs; this is an InfiniBand queue pair");
        }
        switch (target) {
            case RESET -> onEngine(() -> step(QueuePairEvent.TO_RESET, this::reset));
            case INIT -> onEngine(() -> step(QueuePairEvent.TO_INIT, () -> ""));
            case RTR -> {
                QueuePairLink link = link();
                onEngine(() -> step(QueuePairEvent.TO_RTR, () -> queuePair.readyToReceive(link)));
            }
            case RTS -> onEngine(() -> step(QueuePairEvent.TO_RTS, this::readyToSend));
            case SQD -> onEngine(() -> step(QueuePairEvent.TO_SQD, this::drain));
            case ERR -> {
                queuePair.command(() -> queuePair.fail("The application moved the queue pair to ERR."));
                queuePair.context().await(() -> queuePair.state().failed(), MODIFY_NS);
            }
            case SQE -> throw new IllegalStateException("failed work moves a queue pair to SQE, not the application");
        }
    }

    /**
     * Makes a move after a step that it requires. The step and this method return an obstacle, or nothing. The lock of
     * the queue pair is held, because another thread may connect the queue pair.
     */
    private String step(QueuePairEvent event, Supplier<String> required) {
        synchronized (queuePair) {
            if (QueuePairTable.TABLE.answer(queuePair.phase(), event)
                    instanceof Answer.Misuse<QueuePairPhase>(String sentence)) {
                return sentence;
            }
            String obstacle = required.get();
            if (!obstacle.isEmpty()) {
                return obstacle;
            }
            queuePair.on(event, "");
            // Before the first packet that the queue pair takes in the new state.
            limitPeer();
        }
        queuePair.context().changed();
        queuePair.engine().ready(queuePair);
        return "";
    }

    /** Runs a step on the engine; fails with the reason that the step returns. */
    private void onEngine(Supplier<String> step) {
        AtomicReference<Optional<String>> outcome = new AtomicReference<>(Optional.empty());
        queuePair.command(() -> {
            outcome.set(Optional.of(step.get()));
            queuePair.context().changed();
        });
        queuePair.context().await(() -> outcome.get().isPresent(), MODIFY_NS);
        String obstacle = outcome.get().orElse("the queue pair was not modified in time");
        if (!obstacle.isEmpty()) {
            throw new IllegalStateException(obstacle);
        }
    }

    // Attributes.

    /** What RTR requires. */
    private QueuePairLink link() {
        if (change.path().isEmpty() || change.remoteNumber().isEmpty() && !datagrams) {
            throw new IllegalArgumentException("a move to RTR requires the number of the peer's queue pair and the"
                    + " path (withRemote); with datagrams, the path with the Q_Key (withPath)");
        }
        PathAttributes path = change.path().get();
        QueuePairOptions options = queuePair.queuePair().options();
        PortLimits limits = queuePair.port().limits();
        range("mtuBytes", path.mtuBytes(), 0, limits.mtuBytes());
        range("pkeyIndex", path.pkeyIndex(), 0, 0);
        range("retryCount", path.retryCount(), 0, MOST_RETRIES);
        range("receiverNotReadyRetries", path.receiverNotReadyRetries(), 0, MOST_RETRIES);
        RcSettings settings = new SettingsBuilder()
                .local(queuePair.queuePair().number())
                .remote(range("the number of the peer", change.remoteNumber().orElse(0), 0, Psn.MASK))
                .mtuBytes(path.mtuBytes())
                .firstPsns(
                        range("sendSequence", path.sendSequence(), 0, Psn.MASK),
                        range("receiveSequence", path.receiveSequence(), 0, Psn.MASK))
                .reads(
                        range(
                                "outboundReads",
                                change.outboundReads().orElse(options.outboundReads()),
                                0,
                                PortLimits.READS),
                        range(
                                "inboundReads",
                                change.inboundReads().orElse(options.inboundReads()),
                                0,
                                PortLimits.READS))
                .retries(path.retryCount(), path.receiverNotReadyRetries())
                .ackTimeoutNs(PortLimits.timeoutNs(PortLimits.timeoutCode(Times.nanos(path.ackTimeout()))))
                .receiverNotReadyCode(Syndrome.rnrTimerCode(Times.nanos(path.receiverNotReadyDelay())))
                .windowPackets(limits.windowPackets(path.mtuBytes()))
                .reliableConnection();
        return new QueuePairLink(settings, path(path.primary()), path.qkey());
    }

    private static int range(String what, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(what + " must be " + least + " to " + most + ", not " + value);
        }
        return value;
    }

    private PacketPath path(AddressHandleAttributes to) {
        return queuePair.port().path(to);
    }

    // Path migration.

    /** Loads an alternate path, or moves to it. */
    private void modifyPath(PathAttributes path) {
        if (path.alternate().isEmpty()) {
            throw new IllegalArgumentException(
                    "without a state, only an alternate path can be set; see PathAttributes.withAlternate");
        }
        PacketPath alternate = path(path.alternate().get());
        if (path.migration() == PathMigration.MIGRATED) {
            onEngine(this::migrate);
        } else {
            onEngine(() -> loadAlternate(alternate));
        }
    }

    /** Proposes an alternate path to the peer, see {@link Connection#proposeAlternatePath}. */
    void propose(SoftConnection which, AddressHandleAttributes path) {
        if (queuePair.queuePair().options().service() != TransportService.RELIABLE_CONNECTION) {
            throw new UnsupportedOperationException("Only reliable connections have alternate paths.");
        }
        InetAddress local = path.sourceAddress().orElse(queuePair.port().address());
        PacketPath to = path(path);
        onEngine(() -> queuePair
                .managed()
                .filter(it -> it.connection() == which && queuePair.phase() == QueuePairPhase.OPEN)
                .map(it -> it.propose(local, to))
                .orElse("an alternate path can be proposed only on an established connection"));
    }

    // Steps on the engine. Each returns the reason why it is not possible, or nothing.

    private String readyToSend() {
        Optional<ProtocolStage> stage = queuePair.stage();
        if (stage.isEmpty()) {
            return "the queue pair has no peer; move it to RTR first";
        }
        if (queuePair.phase() == QueuePairPhase.READY_TO_RECEIVE) {
            queuePair.link().ifPresent(stage.get()::readyToSend);
        }
        stage.get().drain(false);
        return stage.get().recoverSendQueue()
                ? ""
                : "failed work of the send queue is not flushed yet; poll its completion queue first";
    }

    private String drain() {
        queuePair.stage().ifPresent(it -> it.drain(true));
        return "";
    }

    private String reset() {
        if (queuePair.connection().filter(it -> !it.state().ended()).isPresent()) {
            return "the queue pair has a connection; close it first";
        }
        if (queuePair.queuePair().hasUnrung()) {
            return "a batch was posted and its doorbell was not rung; ring it first";
        }
        if (!queuePair.queues().isEmpty()) {
            return "work of the queue pair is not complete; move it to ERR, and poll its completion queues first";
        }
        queuePair.forgetPeer();
        return "";
    }

    private String loadAlternate(PacketPath path) {
        if (queuePair.stage().isEmpty()) {
            return "an alternate path is loaded from RTR on";
        }
        queuePair.stage().get().loadAlternate(path);
        return "";
    }

    private String migrate() {
        queuePair.engine().ready(queuePair);
        return queuePair.stage().filter(ProtocolStage::migrate).isPresent()
                ? ""
                : "the alternate path is not armed: both sides must load one and exchange a packet first";
    }
}
