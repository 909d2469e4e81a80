package io.verbena.rnic.ib;

import io.verbena.base.Log;
import io.verbena.verbs.TransportService;
import java.io.IOException;
import java.net.InetAddress;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

/** The multicast groups of a datagram queue pair. */
final class GroupMembership {

    private static final long CHANGE_NS = 1_000_000_000L;

    /** A step that the network may refuse. */
    interface Step {
        void run() throws IOException;
    }

    private final InfinibandQueuePair queuePair;

    /** Used by the engine of the port only. */
    private final Set<InetAddress> joined = new LinkedHashSet<>();

    GroupMembership(InfinibandQueuePair queuePair) {
        this.queuePair = queuePair;
    }

    /** Makes a change on the engine of the port, and waits for it. In the thread of the application. */
    void change(Step step) throws IOException {
        if (queuePair.queuePair().options().service() != TransportService.UNRELIABLE_DATAGRAM) {
            throw new UnsupportedOperationException(
                    "Only a queue pair with the service UNRELIABLE_DATAGRAM receives datagrams of multicast groups,"
                            + " not one with " + queuePair.queuePair().options().service() + ".");
        }
        queuePair.queuePair().checkOpen();
        AtomicReference<Optional<String>> outcome = new AtomicReference<>(Optional.empty());
        queuePair.port().submit(() -> {
            outcome.set(Optional.of(attempt(step)));
            queuePair.context().changed();
        });
        queuePair.context().await(() -> outcome.get().isPresent(), CHANGE_NS);
        String obstacle = outcome.get().orElse("the engine did not change the group in time");
        if (!obstacle.isEmpty()) {
            throw new IOException(obstacle);
        }
    }

    private static String attempt(Step step) {
        try {
            step.run();
            return "";
        } catch (IOException e) {
            return "The network refused to change the multicast group: " + e.getMessage();
        } catch (RuntimeException e) {
            return "The multicast group was not changed: " + e.getMessage();
        }
    }

    // On the engine of the port.

    void join(InetAddress group) throws IOException {
        // Another thread may have closed the queue pair since the call. Its groups are left once, before it is closed.
        queuePair.queuePair().checkOpen();
        if (!group.isMulticastAddress()) {
            throw new IOException(group.getHostAddress() + " is not a multicast address");
        }
        queuePair.port().join(group, queuePair);
        joined.add(group);
    }

    void leave(InetAddress group) throws IOException {
        if (joined.remove(group)) {
            queuePair.port().leave(group, queuePair);
        }
    }

    /** Leaves all groups. On the engine of the queue pair. */
    void leaveAll() {
        queuePair.port().run(queuePair.engine(), this::leaveEach);
    }

    private void leaveEach() {
        for (InetAddress each : Set.copyOf(joined)) {
            try {
                leave(each);
            } catch (IOException e) {
                Log.bug("leaving a multicast group", e);
            }
        }
    }
}
