package io.verbena.bench;

import io.verbena.queue.CompletionRing;
import io.verbena.queue.Cqe;
import io.verbena.queue.ReceiveQueue;
import io.verbena.queue.WorkQueue;
import io.verbena.queue.WorkQueues;
import io.verbena.queue.Wqe;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What posting, completing and polling cost without any transport. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class QueueBenchmark {

    private final WorkQueue send = new WorkQueue(64, Wqe.strideBytes(4, 64));
    private final CompletionRing ring = new CompletionRing(256);
    private final WorkQueues queues =
            new WorkQueues(1, false, send, new ReceiveQueue(new WorkQueue(1, Wqe.strideBytes(1, 0))), ring, ring);
    private final Wqe wqe = new Wqe();
    private final Cqe cqe = new Cqe();

    /** One work request: written, published, completed, polled. */
    @Benchmark
    public long postCompletePoll() {
        send.claim(wqe);
        wqe.clear(WorkOpcode.WRITE, WrFlags.SIGNALLED)
                .wrId(7)
                .remoteAddress(4096)
                .rkey(42)
                .addElement(3, 0, 64);
        send.written();
        send.publish();
        queues.completeSend(CompletionStatus.SUCCESS);
        ring.peek(cqe);
        long id = cqe.wrId();
        ring.release();
        return id;
    }
}
