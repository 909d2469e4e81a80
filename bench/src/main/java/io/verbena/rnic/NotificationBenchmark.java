package io.verbena.rnic;

import io.verbena.host.HostEnvironment;
import io.verbena.queue.Cqe;
import io.verbena.rnic.iwarp.IwarpTransport;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueueOptions;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.HandlerLoop;
import io.verbena.verbs.HandlerOptions;
import io.verbena.verbs.Notification;
import io.verbena.verbs.ProcessorPolicy;
import io.verbena.verbs.RnicOptions;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Processor time of a notification when the processor is awake: everything from the published entry to the next request,
 * in one thread, so that nothing waits. Beside it the same entry polled without a notification. Run with {@code -prof gc}.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class NotificationBenchmark {

    private final HandlerLoop loop = HandlerLoop.open(ProcessorPolicy.defaults());
    private final Cqe cqe = new Cqe();
    private SoftRnic rnic;
    private SoftCompletionQueue notified;
    private SoftCompletionQueue polled;
    private CompletionCursor cursor;
    private CompletionCursor plain;

    @Setup
    public void open() {
        rnic = new SoftRnic(new HostEnvironment(RnicOptions.defaults()), RnicOptions.defaults(), new IwarpTransport());
        CqHandlerId id = rnic.setCompletionHandler(
                cq -> {
                    while (cursor.next()) {
                        // taken
                    }
                    cq.requestNotification(Notification.NEXT);
                },
                loop,
                HandlerOptions.defaults());
        notified = (SoftCompletionQueue)
                rnic.createCompletionQueue(CompletionQueueOptions.capacity(64).withHandler(id));
        polled = (SoftCompletionQueue) rnic.createCompletionQueue(64);
        notified.use(0);
        polled.use(0);
        cursor = notified.cursor();
        plain = polled.cursor();
        notified.requestNotification(Notification.NEXT);
    }

    @TearDown
    public void close() {
        rnic.close();
    }

    private void publish(SoftCompletionQueue cq) {
        CqSide side = cq.sides()[0];
        side.ring().claim(cqe);
        cqe.fill(1, CompletionStatus.SUCCESS, CompletionOpcode.SEND, 1, 0);
        side.ring().publish(0);
        side.settle();
    }

    /** Publish, signal, choose, run the handler, poll, request again. */
    @Benchmark
    public int notified() {
        publish(notified);
        return loop.run(8);
    }

    /** Publish and poll. */
    @Benchmark
    public boolean polled() {
        publish(polled);
        return plain.next();
    }
}
