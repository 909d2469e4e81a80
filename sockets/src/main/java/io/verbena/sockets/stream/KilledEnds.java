package io.verbena.sockets.stream;

import io.verbena.verbs.Connection;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * States how connections end if this process is killed. The system then ends a TCP connection by a reset if the program has not read all
 * bytes, and in order otherwise. With RDMA the system sees only the carrier of a connection, which has no unread bytes. So each socket states
 * that bytes would be lost, when that has been so for a moment: bytes that are read at once cost nothing. It states at once that none would be.
 */
final class KilledEnds {

    private static final Duration MOMENT = Duration.ofMillis(5);

    /** Of one thread, so that the last statement of a socket is the one that counts. */
    private final ScheduledExecutorService timers;

    private final Consumer<Runnable> guarded;

    private final Queue<Runnable> statements = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean scheduled = new AtomicBoolean();

    /** Statements of sockets; {@code guarded} runs each of them and logs what it throws. */
    KilledEnds(ScheduledExecutorService timers, Consumer<Runnable> guarded) {
        this.timers = timers;
        this.guarded = guarded;
    }

    /** A connection is established: it has nothing to lose yet. */
    void begin(Connection connection) {
        run(() -> timers.execute(() -> guarded.accept(() -> connection.resetIfKilled(false))));
    }

    /** What a socket has stated is not true any more: {@code statement} states it anew, now or in a moment. Returns at once. */
    void due(Runnable statement, boolean atOnce) {
        if (atOnce) {
            run(() -> timers.execute(() -> guarded.accept(statement)));
            return;
        }
        statements.add(statement);
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
        for (Runnable next = statements.poll(); next != null; next = statements.poll()) {
            guarded.accept(next);
        }
    }
}
