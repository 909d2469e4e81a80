package io.verbena.messaging;

import io.verbena.verbs.Progress;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.WaitInterruptedException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/** Waits for operations of a {@link Transport}, and makes progress meanwhile. Every wait has an end. */
final class Waiter {

    private static final int SPINS_BETWEEN_LOOKS = 64;
    private static final long SPIN_NS = 30_000;
    private static final Duration IDLE = Duration.ofMillis(1);

    /** A receive from any rank that waits for so long sees to it that no rank can die unnoticed. */
    private static final long WATCH_NS = 1_000_000_000;

    private static final long FAREWELL_NS = 1_000_000_000;

    private final Transport transport;
    private final Rnic rnic;
    private final MessagingOptions options;
    private final LongSupplier clock;

    Waiter(Transport transport, Rnic rnic, MessagingOptions options, LongSupplier clock) {
        this.transport = transport;
        this.rnic = rnic;
        this.options = options;
        this.clock = clock;
    }

    /** Makes progress until an operation is done; after the options' time it fails. */
    void await(Operation operation) {
        if (operation.done()) {
            return;
        }
        long startNs = clock.getAsLong();
        long idleSinceNs = startNs;
        int looks = 0;
        while (!operation.done()) {
            if (transport.progress() > 0) {
                looks = 0;
                continue;
            }
            if (operation.done()) {
                return;
            }
            if (looks++ == 0) {
                idleSinceNs = clock.getAsLong();
            } else if (looks % SPINS_BETWEEN_LOOKS == 0) {
                idle(idleSinceNs);
                checkHope(operation);
                watch(operation.needsAnybody(), idleSinceNs);
                if (clock.getAsLong() - startNs > options.timeout().toNanos()) {
                    giveUp(operation);
                }
            }
        }
    }

    private void giveUp(Operation operation) {
        String sentence = "Nothing happened within " + options.timeout().toMillis() + " ms: the "
                + (operation.sends ? "message to rank " : "receive from rank ")
                + (operation.peer < 0 ? "any" : String.valueOf(operation.peer)) + " was given up.";
        Channel channel = operation.source.channel;
        if (operation.id >= 0 && channel != null) {
            channel.fail(sentence); // its memory may be in use until the connection is over
            transport.progress();
            return;
        }
        transport.giveUp(operation, sentence, List.of());
    }

    /** Who waits for anybody for long is connected to all, so that it learns who dies. */
    void watch(boolean forAnybody, long sinceNs) {
        if (forAnybody && clock.getAsLong() - sinceNs > WATCH_NS) {
            transport.members().connectAll();
        }
    }

    /** Looks again at once for a moment, then lets the system wait. */
    void idle(long sinceNs) {
        if (clock.getAsLong() - sinceNs < SPIN_NS) {
            Thread.onSpinWait();
        } else {
            pause();
        }
        if (Thread.currentThread().isInterrupted()) {
            throw new MessagingException("The wait was interrupted.");
        }
    }

    /** Makes progress until all has been said to these peers, for a moment at most. */
    void awaitSaid(List<Peer> waiting) {
        long startNs = clock.getAsLong();
        while (!waiting.isEmpty()
                && clock.getAsLong() - startNs < FAREWELL_NS
                && !Thread.currentThread().isInterrupted()) {
            if (transport.progress() == 0) {
                pause();
            }
        }
    }

    /** Lets the system wait for a moment, or shorter if something comes or the thread is interrupted. */
    void pause() {
        if (options.rnic().progress() != Progress.INLINE) {
            LockSupport.parkNanos(50_000);
            return;
        }
        try {
            rnic.progress(IDLE);
        } catch (WaitInterruptedException e) {
            Thread.currentThread().interrupt(); // who waits looks at that
        }
    }

    /** A receive for which nothing can come any more fails. */
    void checkHope(Operation operation) {
        if (!operation.done()
                && !operation.sends
                && operation.peer < 0
                && operation.id < 0
                && !transport.anybodyLeft()) {
            transport.giveUp(
                    operation, Transport.NOBODY_LEFT, transport.members().died());
        }
    }
}
