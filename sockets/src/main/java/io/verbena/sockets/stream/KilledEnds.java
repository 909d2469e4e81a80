package io.verbena.sockets.stream;

import io.verbena.verbs.Connection;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * States how connections end if this process is killed. The system then ends a TCP connection by a reset if the program has not read all
 * bytes, and in order otherwise. With RDMA the system sees only the carrier of a connection, which has no unread bytes. So each socket states
 * that bytes would be lost, when that has been so for a moment: bytes that are read at once cost nothing. It states at once that none would be.
 */
final class KilledEnds {

    private static final Duration MOMENT = Duration.ofMillis(5);

    /** Of one thread, so that the last statement of a socket is the one that counts. */
    private final ScheduledExecutorService timers;

    private final Queue<StreamSocket> sockets = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean scheduled = new AtomicBoolean();

    KilledEnds(ScheduledExecutorService timers) {
        this.timers = timers;
    }

    /** A connection is established: it has nothing to lose yet. */
    void begin(Connection connection) {
        run(() -> timers.execute(() -> StreamNetwork.guarded(() -> connection.resetIfKilled(false))));
    }

    /** What a socket has stated is not true any more, and {@code atOnce} whether that is to be stated now. Returns at once. */
    void due(StreamSocket socket, boolean atOnce) {
        if (atOnce) {
            run(() -> timers.execute(() -> StreamNetwork.guarded(socket::stateKilledEnd)));
            return;
        }
        sockets.add(socket);
        if (!scheduled.getAndSet(true)) {
            run(() -> timers.schedule(this::state, MOMENT.toNanos(), TimeUnit.NANOSECONDS));
        }
    }

    private static void run(Runnable schedule) {
        try {
            schedule.run();
        } catch (RejectedExecutionException _) {
            return; // the network is closed
        }
    }

    private void state() {
        scheduled.set(false);
        for (StreamSocket next = sockets.poll(); next != null; next = sockets.poll()) {
            StreamNetwork.guarded(next::stateKilledEnd);
        }
    }
}
