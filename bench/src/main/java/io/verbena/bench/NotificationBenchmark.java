package io.verbena.bench;

import io.verbena.host.HostEnvironment;
import io.verbena.rnic.CompletionFeed;
import io.verbena.rnic.SoftRnic;
import io.verbena.rnic.iwarp.IwarpTransport;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueueOptions;
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
    private SoftRnic rnic;
    private CompletionFeed notified;
    private CompletionFeed polled;
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
        notified = new CompletionFeed(rnic, CompletionQueueOptions.capacity(64).withHandler(id));
        polled = new CompletionFeed(rnic, CompletionQueueOptions.capacity(64));
        cursor = notified.cq().cursor();
        plain = polled.cq().cursor();
        notified.cq().requestNotification(Notification.NEXT);
    }

    @TearDown
    public void close() {
        rnic.close();
    }

    private void publish(CompletionFeed engine) {
        engine.publish(1, CompletionOpcode.SEND, 0);
        engine.settle();
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
