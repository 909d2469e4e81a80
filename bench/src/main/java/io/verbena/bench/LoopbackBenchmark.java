package io.verbena.bench;

import io.verbena.bench.endpoint.Endpoint;
import io.verbena.bench.endpoint.Loopback;
import io.verbena.verbs.WorkRequest;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
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
 * Each operation from post to completion, both ends INLINE in one thread: no thread hop, so what is left is our code and
 * the system's. {@code -p provider=iwarp} is over real sockets, {@code shm} through shared memory. With {@code -prof gc} it
 * shows that nothing is allocated.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class LoopbackBenchmark {

    private static final WrFlags SOLICITED = WrFlags.SIGNALLED.withSolicited();

    @Param({"64", "4096"})
    int bytes;

    @Param("auto")
    String provider = "auto";

    @Param({"false", "true"})
    boolean crc;

    /** {@code IwarpOptions.withDirect}; has an effect through shared memory. */
    @Param("false")
    boolean direct;

    private Loopback pair;
    private Endpoint a;
    private Endpoint b;
    private WorkRequest template;
    private long address;
    private int key;

    @Setup
    public void connect() throws IOException {
        pair = new Loopback(provider, crc, direct);
        a = pair.a;
        b = pair.b;
        address = pair.address;
        key = pair.key;
        template = a.queuePair.newWorkRequest().write(address, key).element(a.region, 0, bytes);
    }

    @TearDown
    public void close() {
        pair.close();
    }

    /** A signalled Write; its completion means that the bytes have been passed to the system. */
    @Benchmark
    public void write() {
        a.queuePair.postWrite(1, a.region, 0, bytes, address, key, WrFlags.SIGNALLED);
        while (a.poll() == 0) {
            b.rnic.progress();
        }
    }

    /** The same from a template. */
    @Benchmark
    public void writeTemplate() {
        a.queuePair.post(template);
        while (a.poll() == 0) {
            b.rnic.progress();
        }
    }

    /** An inline Write without a completion, until the peer's program sees it. */
    @Benchmark
    public void writeUntilSeen() {
        pair.writeUntilSeen();
    }

    /** A Send until the receiver has polled it. */
    @Benchmark
    public void send() {
        b.queuePair.postReceive(2, b.region, 0, bytes);
        a.queuePair.postSend(1, a.region, 0, bytes, SOLICITED);
        int done = 0;
        while (done < 2) {
            done += a.poll() + b.poll();
        }
    }

    /** A Read until its bytes are here. */
    @Benchmark
    public void read() {
        a.queuePair.postRead(1, a.region, 0, bytes, address, key, WrFlags.SIGNALLED);
        while (a.poll() == 0) {
            b.rnic.progress();
        }
    }

    /** A fetch-and-add until the old value has arrived. */
    @Benchmark
    public void fetchAndAdd() {
        a.queuePair.postFetchAndAdd(1, a.region, 0, address, key, 1, WrFlags.SIGNALLED);
        while (a.poll() == 0) {
            b.rnic.progress();
        }
    }
}
