package io.verbena.bench;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A poll of an empty CQ, and a post of a Write, through the provider ibverbs, beside a direct downcall of the same function, which does
 * nothing. {@code bench/adapter} runs it: the adapter is the fake one of the tests of the module hardware, which are no dependency.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 25, time = 200, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
public class AdapterBenchmark {

    private static final String CALLS = "io.verbena.hardware.provider.DataPathCalls";

    @Param({"poll", "pollDirect", "post", "postDirect"})
    String what = "poll";

    private AutoCloseable adapter;
    private IntSupplier call;

    @Setup
    @SuppressWarnings("unchecked")
    public void open() throws ReflectiveOperationException {
        adapter = (AutoCloseable) Class.forName(CALLS).getConstructor().newInstance();
        Map<String, IntSupplier> calls =
                (Map<String, IntSupplier>) adapter.getClass().getMethod("calls").invoke(adapter);
        call = Objects.requireNonNull(calls.get(what));
    }

    @TearDown
    public void close() throws Exception {
        adapter.close();
    }

    @Benchmark
    public int call() {
        return call.getAsInt();
    }
}
