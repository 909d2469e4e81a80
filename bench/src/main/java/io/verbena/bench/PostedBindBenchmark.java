package io.verbena.bench;

import io.verbena.bench.endpoint.Endpoint;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.Progress;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WindowOptions;
import io.verbena.verbs.WorkRequest;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A bind with an unbind as work on a send queue, from the post to the completion, on the thread that owns the engine. With
 * {@code -prof gc}: nothing is allocated.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class PostedBindBenchmark {

    /** Pairs that are posted before the completion of the last is awaited. */
    static final int PAIRS = 32;

    /** Whether a bind gives the key a fresh value. */
    @Param({"true", "false"})
    boolean fresh;

    /** Whether the pairs are posted as a batch, which rings once, or each piece of work by itself. */
    @Param({"true", "false"})
    boolean batch;

    private Endpoint near;
    private Endpoint far;
    private WorkRequest bind;
    private WorkRequest unbind;
    private WorkRequest last;

    @Setup
    public void connect() throws IOException {
        near = new Endpoint(RnicOptions.defaults().withProgress(Progress.INLINE), 4096, 2 * PAIRS);
        far = new Endpoint(RnicOptions.defaults(), 4096, 16);
        Endpoint.connect(near, far);
        MemoryRegion region = near.domain.allocate(1 << 20, AccessRight.BIND, AccessRight.LOCAL_WRITE);
        MemoryWindow window =
                near.domain.allocateWindow(WindowOptions.defaults().withFreshKey(fresh));
        bind = near.queuePair.newWorkRequest().bind(window, region, 333, 77, AccessRight.REMOTE_READ);
        bind.flags(WrFlags.UNSIGNALLED);
        unbind = near.queuePair.newWorkRequest().unbind(window).flags(WrFlags.UNSIGNALLED);
        last = near.queuePair.newWorkRequest().unbind(window).flags(WrFlags.SIGNALLED);
    }

    @TearDown
    public void close() {
        near.close();
        far.close();
    }

    /** A bind, then an unbind. */
    @Benchmark
    @OperationsPerInvocation(PAIRS)
    public int bindAndUnbind() {
        if (batch) {
            near.queuePair.startBatch();
        }
        for (int i = 1; i < PAIRS; i++) {
            post(bind);
            post(unbind);
        }
        post(bind);
        post(last);
        if (batch) {
            near.queuePair.ringDoorbell();
        }
        int done;
        do {
            done = near.poll();
        } while (done == 0);
        return done;
    }

    private void post(WorkRequest work) {
        if (!near.queuePair.post(work)) {
            throw new IllegalStateException("the send queue is full");
        }
    }
}
