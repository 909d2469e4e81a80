package io.verbena.rnic.ib;

import io.verbena.ib.unreliable.RawSteering;
import io.verbena.port.Addresses;
import io.verbena.verbs.TransportService;
import java.net.InetAddress;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicReference;

/** The rules by which a queue pair of raw datagrams receives IPv6 frames. */
final class FrameSteering {

    private static final int MOST_HEADER = 255;
    private static final long CHANGE_NS = 1_000_000_000L;

    private final InfinibandQueuePair queuePair;

    FrameSteering(InfinibandQueuePair queuePair) {
        this.queuePair = queuePair;
    }

    /**
     * Adds a rule. In the thread of the application.
     *
     * @return removes the rule
     */
    AutoCloseable add(OptionalInt nextHeader, Optional<InetAddress> destination) {
        TransportService service = queuePair.queuePair().options().service();
        if (service != TransportService.RAW_DATAGRAM) {
            throw new UnsupportedOperationException(
                    "Only a queue pair with the service RAW_DATAGRAM receives frames by header, not one with " + service
                            + ".");
        }
        queuePair.queuePair().checkOpen();
        int header = nextHeader.orElse(RawSteering.ANY);
        if (header < RawSteering.ANY || header > MOST_HEADER) {
            throw new IllegalArgumentException("a next header must be 0 to 255, not " + header);
        }
        RawSteering.Rule<InfinibandQueuePair> rule = destination
                .map(to -> RawSteering.to(header, Addresses.high(to), Addresses.low(to), queuePair))
                .orElseGet(() -> RawSteering.any(header, queuePair));
        onEngine(() -> attach(rule));
        return () -> {
            if (!queuePair.context().stopped()) {
                queuePair.port().submit(() -> queuePair.port().steering().remove(rule));
            }
        };
    }

    private void onEngine(Runnable step) {
        AtomicReference<Optional<String>> outcome = new AtomicReference<>(Optional.empty());
        queuePair.port().submit(() -> {
            outcome.set(Optional.of(attempt(step)));
            queuePair.context().changed();
        });
        queuePair.context().await(() -> outcome.get().isPresent(), CHANGE_NS);
        String obstacle = outcome.get().orElse("the engine did not add the rule in time");
        if (!obstacle.isEmpty()) {
            throw new IllegalStateException(obstacle);
        }
    }

    private static String attempt(Runnable step) {
        try {
            step.run();
            return "";
        } catch (IllegalStateException e) {
            return String.valueOf(e.getMessage());
        }
    }

    // On the engine of the port.

    void attach(RawSteering.Rule<InfinibandQueuePair> rule) {
        // Another thread may have closed the queue pair since the call. Its rules are removed once, before it is
        // closed.
        queuePair.queuePair().checkOpen();
        queuePair.port().steering().add(rule);
    }

    /** Removes all rules of the queue pair. On the engine. */
    void removeAll() {
        if (queuePair.queuePair().options().service() == TransportService.RAW_DATAGRAM) {
            queuePair
                    .port()
                    .run(queuePair.engine(), () -> queuePair.port().steering().removeAll(queuePair));
        }
    }
}
