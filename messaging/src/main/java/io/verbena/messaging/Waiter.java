package io.verbena.messaging;

import io.verbena.messaging.channel.Channel;
import io.verbena.messaging.channel.MessagingException;
import io.verbena.messaging.channel.RankHost;
import io.verbena.messaging.transfer.Awaited;
import io.verbena.messaging.transfer.Operation;
import io.verbena.messaging.transfer.Outbox;
import io.verbena.messaging.transfer.Peer;
import io.verbena.messaging.transfer.WaitBounds;
import io.verbena.verbs.Progress;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.WaitInterruptedException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** Waits for the operations of a {@link Messenger} and makes progress meanwhile. Every wait is bounded. */
final class Waiter implements WaitBounds {

    private static final int ROUNDS_BETWEEN_CHECKS = 64;
    private static final int BUSY_ROUNDS_BETWEEN_CHECKS = 1024;
    private static final long SPIN_NS = 30_000;
    private static final long PARK_NS = 50_000;
    private static final Duration IDLE = Duration.ofMillis(1);

    /** A receive that waits longer makes this rank connect to all ranks that it depends on, so that none of them can die unnoticed. */
    private static final long CONNECT_AFTER_NS = 1_000_000_000;

    private static final long MAX_FAREWELL_NS = 1_000_000_000;

    private final Messenger messenger;
    private final Rnic rnic;
    private final MessagingOptions options;
    private final LongSupplier clock;
    private final BooleanSupplier seen;
    private Optional<RankHost> host = Optional.empty();

    Waiter(Messenger messenger, Rnic rnic, MessagingOptions options, LongSupplier clock) {
        this.messenger = messenger;
        this.rnic = rnic;
        this.options = options;
        this.clock = clock;
        seen = messenger::seen;
    }

    /** Waits are pauses of this host from now on. */
    void host(RankHost value) {
        host = Optional.of(value);
    }

    long nowNs() {
        return clock.getAsLong();
    }

    /** Makes progress until something is done; after {@link MessagingOptions#timeout} it fails. */
    void await(Awaited awaited) {
        if (awaited.isDone()) {
            return;
        }
        long startNs = 0;
        long idleSinceNs = 0;
        int idleRounds = 0;
        int busyRounds = 0;
        boolean waits = false;
        while (!awaited.isDone()) {
            boolean busy = messenger.progress() > 0;
            if (awaited.isDone()) {
                return; // without a reading of the clock
            }
            if (!waits) {
                waits = true;
                startNs = clock.getAsLong();
            }
            if (busy) {
                idleRounds = 0;
                if (++busyRounds % BUSY_ROUNDS_BETWEEN_CHECKS
                        == 0) { // the traffic of other ranks must not hide the bounds
                    checkInterrupt();
                    awaited.checkBounds(startNs);
                }
            } else if (host.isPresent()) {
                pause();
                checkInterrupt();
                awaited.checkBounds(startNs);
            } else if (idleRounds++ == 0) {
                idleSinceNs = clock.getAsLong();
            } else if (idleRounds % ROUNDS_BETWEEN_CHECKS == 0) {
                idle(idleSinceNs);
                awaited.checkBounds(startNs);
            }
        }
    }

    @Override
    public void checkBounds(Operation operation, long startNs) {
        failIfHopeless(operation);
        connectIfLong(operation, startNs);
        if (!operation.isDone() && timedOut(startNs)) {
            giveUp(operation);
        }
    }

    @Override
    public boolean timedOut(long startNs) {
        return clock.getAsLong() - startNs > options.timeout().toNanos();
    }

    @Override
    public boolean longSince(long startNs) {
        return clock.getAsLong() - startNs > CONNECT_AFTER_NS;
    }

    private void giveUp(Operation operation) {
        String other = operation.peer < 0 ? "any rank" : "rank " + operation.peer;
        String sentence = "The " + (operation.sends ? "send to " : "receive from ") + other
                + " was given up: it was not completed within "
                + options.timeout().toMillis() + " ms"
                + reason(operation) + ".";
        withdraw(operation, sentence);
    }

    @Override
    public void withdraw(Operation operation, String sentence) {
        if (operation.isDone()) {
            return;
        }
        Channel channel = operation.source.channel;
        if (operation.id >= 0 && channel != null) {
            channel.fail(sentence); // the peer may use the memory of the operation until the connection has ended
            messenger.progress();
        } else {
            messenger.giveUp(operation, sentence, List.of());
        }
    }

    private String reason(Operation operation) {
        if (!operation.sends) {
            return "";
        }
        Peer peer = messenger.peer(operation.peer);
        return peer.channel == null || peer.sendCredit.mayRequest()
                ? ""
                : ". " + peer.sendCredit.requests() + " earlier messages, the maximum, wait for their receives there";
    }

    /** Connects to the ranks that a receive depends on if it has waited for long. */
    void connectIfLong(Operation operation, long sinceNs) {
        if (!operation.sends && longSince(sinceNs)) {
            messenger.members().connectAll(operation);
        }
    }

    /** Retries at once for a short time, then waits for events. */
    void idle(long sinceNs) {
        if (host.isEmpty() && clock.getAsLong() - sinceNs < SPIN_NS) {
            Thread.onSpinWait();
        } else {
            pause();
        }
        checkInterrupt();
    }

    private static void checkInterrupt() {
        if (Thread.currentThread().isInterrupted()) {
            throw new MessagingException("The wait was interrupted.");
        }
    }

    /** Makes progress until everything has been sent, for a limited time. */
    void awaitSent(Outbox outbox) {
        long startNs = clock.getAsLong();
        while (!outbox.isEmpty()
                && clock.getAsLong() - startNs < MAX_FAREWELL_NS
                && !Thread.currentThread().isInterrupted()) {
            if (messenger.progress() == 0) {
                pause();
            }
        }
    }

    /** Waits for a short time, which ends early with an event or an interrupt. */
    private void pause() {
        if (host.isPresent()) {
            host.get().pause();
            return;
        }
        if (options.rnic().progress() != Progress.INLINE) {
            LockSupport.parkNanos(PARK_NS);
            return;
        }
        try {
            rnic.progress(IDLE, seen);
        } catch (WaitInterruptedException e) {
            Thread.currentThread().interrupt(); // the caller checks the flag
        }
    }

    /** Fails a receive from any rank if no message can arrive any more. */
    void failIfHopeless(Operation operation) {
        if (!operation.isDone()
                && !operation.sends
                && operation.peer < 0
                && operation.id < 0
                && !messenger.anyLeft(MessageRequest.groupOf(operation))) {
            messenger.giveUp(operation, Messenger.ALL_GONE, messenger.failures().died());
        }
    }
}
